"""PET scans in the window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from app.models.inputs import Inputs, Role, Scan
from app.models.modality import Switch, WindowModality
from engine.backend.devices import DeviceInfo
from engine.corrections import CORRECTIONS
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.requirements import estimate
from engine.modalities.requirements import Requirements


class Pet(WindowModality[ListModeProtocol]):
    """List-mode PET: its grid and its corrections come from the scanner."""

    key = "pet"
    title = "PET"
    ledger_title = "Corrections"
    ledger_field = "corrections"
    ledger = CORRECTIONS
    switches: ClassVar[tuple[Switch, ...]] = (Switch("time_of_flight", "Time of flight"),)
    roles: ClassVar[tuple[Role, ...]] = ("data", "scanner", "attenuation", "normalisation")
    way = (
        "By rays: each event is traced along its line, at once and with any voxels. A dual-head "
        "protocol takes the stored response of the panels, which knows how crystals blur."
    )
    expert = ("sensitivity", "reproducible")
    grid_from = "scanner"
    rows = "events"
    curve = ("Log-likelihood", "")
    stages: ClassVar[dict[str, str]] = {
        "read": "Read",
        "kernels": "Kernels",
        "correct": "Corrections",
        "sensitivity": "Sensitivity",
        "reconstruct": "Iterations",
        "finish": "Finishing",
    }

    def standard(self) -> ListModeProtocol:
        return ListModeProtocol()

    def grid(self, protocol: ListModeProtocol, inputs: Inputs) -> ImageGrid | None:
        return protocol.grid.grid_for(inputs.scanner) if inputs.scanner else None

    def usual_grid(self, protocol: ListModeProtocol, inputs: Inputs) -> tuple[Point, Point] | None:
        if inputs.scanner is None:
            return None
        return inputs.scanner.default_voxel_mm, inputs.scanner.default_size_mm

    def requirements(
        self,
        protocol: ListModeProtocol,
        inputs: Inputs,
        grid: ImageGrid,
        on: DeviceInfo,
        left: float,
    ) -> Requirements | None:
        scan = inputs.scan
        if not isinstance(scan, Scan) or not scan.n_events:
            return None
        n_lors = inputs.scanner.n_lors if inputs.scanner else 0
        return estimate(protocol, grid, scan.n_events, on=on, n_lors=n_lors, left=left)

    def obstacles(self, protocol: ListModeProtocol, inputs: Inputs) -> dict[str, str | None]:
        scan = inputs.scan
        if not isinstance(scan, Scan):
            return {}
        data = replace(
            scan.sample,
            mu_map=_mu_map(inputs, scan.sample.mu_map),
            efficiencies=_efficiencies(inputs, scan.sample.efficiencies),
        )
        return {kind: choice.obstacle(data) for kind, choice in self.choices(protocol).items()}

    def switch_state(self, field: str, inputs: Inputs) -> tuple[bool | None, str]:
        scan = inputs.scan
        if not isinstance(scan, Scan):
            return None, "Used if the scan records it"
        if scan.sample.tof_bins is None or scan.sample.scanner.tof is None:
            return False, "The scan does not record it"
        return True, f"Used, resolution {scan.sample.scanner.tof.fwhm_ps:g} ps"

    def speed_key(self, device: str) -> str:
        return device


def _mu_map(inputs: Inputs, own: Volume | None) -> Volume | None:
    found = inputs.get("attenuation")
    return found.content if found and not found.fault else own


def _efficiencies(inputs: Inputs, own: Any) -> Any:
    found = inputs.get("normalisation")
    return found.content if found and not found.fault else own

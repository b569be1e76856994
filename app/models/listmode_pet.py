"""PET scans in the window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from app.models.inputs import Inputs, Role, Scan
from app.models.modality import Modality
from engine.backend.devices import DeviceInfo
from engine.corrections import CORRECTIONS
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.requirements import estimate
from engine.modalities.requirements import Requirements


class Pet(Modality):
    """List-mode PET: its grid and its corrections come from the scanner."""

    key = "pet"
    title = "PET"
    ledger_title = "Corrections"
    ledger_field = "corrections"
    ledger = CORRECTIONS
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

    def grid(self, plan: ListModeProtocol, inputs: Inputs) -> ImageGrid | None:
        return plan.grid.grid_for(inputs.scanner) if inputs.scanner else None

    def usual_grid(self, plan: ListModeProtocol, inputs: Inputs) -> tuple[Point, Point] | None:
        if inputs.scanner is None:
            return None
        return inputs.scanner.default_voxel_mm, inputs.scanner.default_size_mm

    def requirements(
        self, plan: ListModeProtocol, inputs: Inputs, grid: ImageGrid, on: DeviceInfo, left: float
    ) -> Requirements | None:
        scan = inputs.scan
        if not isinstance(scan, Scan) or not scan.n_events:
            return None
        n_lors = inputs.scanner.n_lors if inputs.scanner else 0
        return estimate(plan, grid, scan.n_events, on=on, n_lors=n_lors, left=left)

    def obstacles(self, plan: ListModeProtocol, inputs: Inputs) -> dict[str, str | None]:
        scan = inputs.scan
        if not isinstance(scan, Scan):
            return {}
        data = replace(
            scan.sample,
            mu_map=_mu_map(inputs, scan.sample.mu_map),
            efficiencies=_efficiencies(inputs, scan.sample.efficiencies),
        )
        return {kind: choice.obstacle(data) for kind, choice in self.choices(plan).items()}

    def speed_key(self, device: DeviceInfo) -> str:
        return device.key


def _mu_map(inputs: Inputs, own: Volume | None) -> Volume | None:
    found = inputs.get("attenuation")
    return found.content if found and not found.fault else own


def _efficiencies(inputs: Inputs, own: Any) -> Any:
    found = inputs.get("normalisation")
    return found.content if found and not found.fault else own

"""PET scans of two panels in the window, reconstructed by their stored response."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from app.models.histogram_scan import HistogramScan, summed_events
from app.models.inputs import Inputs, Role, Scan
from app.models.modality import WindowModality
from engine.backend.devices import DeviceInfo
from engine.corrections.histogram import HISTOGRAM_CORRECTIONS
from engine.data.histogram import Histogram, one_layer
from engine.geometry.dual_head import DualHead
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.dual_head_pet.protocol import MOST_ON_A_PITCH, DualHeadGrid, DualHeadProtocol
from engine.modalities.dual_head_pet.requirements import estimate
from engine.modalities.dual_head_pet.response.identity import path_of
from engine.modalities.requirements import Requirements
from engine.paths import cache_dir


class DualHeadScans(WindowModality[DualHeadProtocol]):
    """Histograms of two panels, and list mode that is counted on their lines."""

    key = "dual-head"
    title = "dual-head PET"
    ledger_title = "Corrections"
    ledger_field = "corrections"
    ledger = HISTOGRAM_CORRECTIONS
    roles: ClassVar[tuple[Role, ...]] = ("data", "scanner", "normalisation", "response")
    absent = "No μ-map: losses in the object belong into the histogram's own normalisation."
    way = (
        "By the stored response, which knows how crystals blur; computed once for each scanner and "
        "image. A PET protocol traces each event along a ray instead: at once, but less sharp."
    )
    expert = ("response",)
    grid_from = "scanner"
    rows = "lines"
    curve = ("Log-likelihood", "")
    stages: ClassVar[dict[str, str]] = {
        "read": "Read",
        "response": "Response",
        "kernels": "Kernels",
        "correct": "Corrections",
        "sensitivity": "Sensitivity",
        "reconstruct": "Iterations",
        "finish": "Finishing",
    }
    long_work: ClassVar[dict[str, str]] = {"response": "Computing the response of the panels"}

    def standard(self) -> DualHeadProtocol:
        return DualHeadProtocol()

    def grid(self, protocol: DualHeadProtocol, inputs: Inputs) -> ImageGrid | None:
        panels = _with_image(protocol, inputs)
        return panels.grid if panels else None

    def usual_grid(self, protocol: DualHeadProtocol, inputs: Inputs) -> tuple[Point, Point] | None:
        scanner = _panels(inputs)
        return (scanner.default_voxel_mm, scanner.default_size_mm) if scanner else None

    def fitting_voxel(self, voxel_mm: Point, inputs: Inputs) -> Point:
        """Return the nearest voxel whose edges along the panels divide the pitch."""
        scanner = _panels(inputs)
        if scanner is None:
            return voxel_mm
        pitch = scanner.settings.pitch_mm
        edge = pitch / min(max(round(pitch / voxel_mm[0]), 1), MOST_ON_A_PITCH)
        return edge, voxel_mm[1], edge

    def grid_note(self, protocol: DualHeadProtocol, inputs: Inputs) -> str:
        panels = _with_image(protocol, inputs)
        if panels is None:
            return ""
        n, pitch_mm = panels.settings.voxels_per_pitch, panels.settings.pitch_mm
        on_pitch = f"{n} voxels lie" if n > 1 else "one voxel lies"
        text = (
            "The grid follows the panels: it is as long and wide as they are, and along x and z "
            f"{on_pitch} on the pitch of {pitch_mm:g} mm"
        )
        if not _is_kept(protocol, inputs):
            text += (
                ".\nThe response of this image is computed first, and kept; if it is interrupted "
                "it goes on from there"
            )
        return text

    def requirements(
        self,
        protocol: DualHeadProtocol,
        inputs: Inputs,
        grid: ImageGrid,
        on: DeviceInfo,
        left: float,
    ) -> Requirements | None:
        scan, scanner = inputs.scan, _panels(inputs)
        if scan is None or scanner is None:
            return None
        columns = scan.n_columns if isinstance(scan, HistogramScan) else 2
        kept = _is_kept(protocol, inputs)
        return estimate(protocol, scanner, on=on, kept=kept, columns=columns, left=left)

    def obstacles(self, protocol: DualHeadProtocol, inputs: Inputs) -> dict[str, str | None]:
        sums = _sums(inputs)
        if sums is None:
            return {}
        found = inputs.get("normalisation")
        if found is not None and not found.fault:
            sums = replace(sums, efficiencies=found.content)
        return {kind: choice.obstacle(sums) for kind, choice in self.choices(protocol).items()}

    def speed_key(self, device: str) -> str:
        return f"dual_{device}"


def _panels(inputs: Inputs) -> DualHead | None:
    """The panels as the response and the histogram have them: all layers as one."""
    scanner = inputs.scanner
    return one_layer(scanner) if isinstance(scanner, DualHead) else None


def _with_image(protocol: DualHeadProtocol, inputs: Inputs) -> DualHead | None:
    """The panels with the image of a run between them; that of a given response if none is set."""
    panels, given = _panels(inputs), inputs.get("response")
    if panels is None:
        return None
    if (
        given is not None
        and isinstance(given.content, DualHead)
        and protocol.grid == DualHeadGrid()
    ):
        return given.content
    return protocol.grid.scanner_for(panels)


def _is_kept(protocol: DualHeadProtocol, inputs: Inputs) -> bool:
    """Whether the response need not be computed."""
    panels = _with_image(protocol, inputs)
    if "response" in inputs or panels is None:
        return True
    return path_of(cache_dir() / "response", panels, protocol.response).exists()


def _sums(inputs: Inputs) -> Histogram | None:
    scan = inputs.scan
    if isinstance(scan, HistogramScan):
        return scan.sums
    if isinstance(scan, Scan) and isinstance(scan.sample.scanner, DualHead):
        return summed_events(scan.sample)
    return None

"""Modality for X-ray CT: grid and preprocessing follow from the scan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.core.backend.devices import DeviceInfo
from engine.corrections.preprocess import STEPS
from engine.data.projections import Projections
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.base import FinishEarly, Modality, OpenStudy
from engine.modalities.requirements import Requirements
from engine.modalities.xray_ct import accepts
from engine.modalities.xray_ct.parameters import SWEEPS
from engine.modalities.xray_ct.projections_summary import ProjectionsSummary
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import estimate_unread, largest_grid

if TYPE_CHECKING:
    from engine.core.backend import Backend
    from engine.data.volume import Volume
    from engine.io.safety.open_input import InputFile
    from engine.modalities.demo import Demo
    from engine.modalities.kernel_steps import Steps
    from engine.modalities.stages import Stage
    from engine.protocols.run_context.context import Resume, RunContext


class XrayCt(Modality[CtProtocol]):
    """X-ray CT: projections are prepared and reconstructed."""

    key = "ct"
    title = "X-ray CT"
    protocol = CtProtocol
    takes_scanner = False
    ledger_title = "Preparation"
    ledger_field = "steps"
    ledger = STEPS
    sweeps = SWEEPS
    folded = True
    curve = ("Residual ‖Ax − y‖ / ‖y‖", "%")
    has_preview = True
    absent = "The scan includes its geometry. Scanner, μ-map and normalisation are for PET only."
    expert = ("adjoint",)
    finishing = ("finishing", "between", "hounsfield")
    grid_from = "scan"
    rows = "pixels"
    stages: ClassVar[dict[str, str]] = {
        "read": "Read",
        "correct": "Preparation",
        "kernels": "Compiling",
        "adjoint": "Adjoint check",
        "reconstruct": "Reconstruction",
        "finish": "Finishing",
    }

    def accepts(self, file: InputFile) -> bool:
        return accepts(file)

    def takes(self, scan: object) -> bool:
        return isinstance(scan, Projections)

    def as_read(self, scan: Projections, place: Path) -> Projections:
        from engine.modalities.xray_ct.in_memory import checked

        return checked(super().as_read(scan, place), place)

    def summarise(
        self, path: Path, scanner: str | None, *, complete_events: bool = False
    ) -> ProjectionsSummary:
        from engine.io import read_projections

        # The projections stay on disk; the summary keeps a map of them.
        return ProjectionsSummary.of(read_projections(path), path)

    def grid(self, protocol: CtProtocol, study: OpenStudy) -> ImageGrid | None:
        prepared = self._prepared(protocol, study)
        return None if prepared is None else protocol.grid.grid_for(prepared.geometry)

    def default_grid(self, protocol: CtProtocol, study: OpenStudy) -> tuple[Point, Point] | None:
        prepared = self._prepared(protocol, study)
        # The default grid ignores the grid of the protocol, but not its steps.
        if prepared is None:
            return None
        grid = CtProtocol().grid.grid_for(prepared.geometry)
        x, y, z = (float(edge) for edge in grid.size_mm)
        return grid.voxel_mm, (x, y, z)

    def requirements(
        self, protocol: CtProtocol, study: OpenStudy, grid: ImageGrid, on: DeviceInfo, left: float
    ) -> Requirements | None:
        prepared = self._prepared(protocol, study)
        if prepared is None:
            return None
        # Searching the axis needs all values and takes seconds, so it is part of the estimate.
        seeks = isinstance(study.scan, ProjectionsSummary) and study.scan.needs_axis_search(
            self._steps(protocol)
        )
        return estimate_unread(protocol, prepared, grid, on=on, seeks_axis=seeks).times(left)

    def grid_note(self, protocol: CtProtocol, study: OpenStudy) -> str:
        scan, steps = study.scan, self._steps(protocol)
        if not isinstance(scan, ProjectionsSummary):
            return ""
        notes = []
        # Until the axis is found, the centre of the volume is only an estimate.
        if protocol.grid.diameter_mm is None and scan.needs_axis_search(steps):
            notes.append(
                "The axis of rotation is found from the scan; the volume is then centred on it"
            )
        geometry = scan.prepared(steps).geometry
        grid = protocol.grid.grid_for(geometry)
        # Only iterations enlarge the grid; for direct algorithms both grids are equal.
        most = largest_grid(protocol, geometry, grid)
        if most != grid:
            notes.append(
                "Iterations need the whole volume that the rays cross, up to "
                f"{scan.describe(most)} voxels; the image is cropped afterwards"
            )
        return ". ".join(notes)

    def is_done(self, kind: str, study: OpenStudy) -> bool:
        scan = study.scan
        if not isinstance(scan, ProjectionsSummary):
            return False
        return any(step.is_done(scan.empty_scan.kind) for step in STEPS if step.kind == kind)

    def fault(self, protocol: CtProtocol, study: OpenStudy) -> str:
        scan = study.scan
        # CT numbers need 1/mm; without a pixel size the unit is 1/pixel.
        if not isinstance(scan, ProjectionsSummary) or protocol.hounsfield is None:
            return ""
        if scan.empty_scan.pixel_mm_known:
            return ""
        return (
            "CT numbers need the pixel size of the detector, which the scan does not "
            "state; switch them off in step 5."
        )

    def misfit(self, protocol: CtProtocol, study: OpenStudy) -> str:
        scan = study.scan
        if not isinstance(scan, ProjectionsSummary):
            return ""
        return protocol.misfit(scan.empty_scan.geometry)

    def scanner_kind(self, study: OpenStudy) -> str:
        scan = study.scan
        beam = (
            f"{scan.empty_scan.geometry.beam}-beam " if isinstance(scan, ProjectionsSummary) else ""
        )
        return f"{beam}{self.title}"

    def obstacles(self, protocol: CtProtocol, study: OpenStudy) -> dict[str, str | None]:
        scan = study.scan
        if not isinstance(scan, ProjectionsSummary):
            return {}
        return scan.obstacles(self._steps(protocol))

    def flow(
        self,
        context: RunContext[CtProtocol],
        resume: Resume | None,
        finish_early: FinishEarly | None,
    ) -> Stage[Volume]:
        from engine.modalities.xray_ct.flow import flow

        return flow(context, resume, finish_early)

    def warm_up(self, on: Backend) -> Steps:
        from engine.modalities.xray_ct.warm_up import of_any_projections

        return of_any_projections(on)

    @property
    def demo(self) -> Demo:
        from engine.modalities.xray_ct.demo import CtDemo

        return CtDemo()

    def _steps(self, protocol: CtProtocol) -> tuple[object, ...]:
        return tuple(self.choices(protocol).values())

    def _prepared(self, protocol: CtProtocol, study: OpenStudy) -> Projections | None:
        scan = study.scan
        if not isinstance(scan, ProjectionsSummary):
            return None
        return scan.prepared(self._steps(protocol))

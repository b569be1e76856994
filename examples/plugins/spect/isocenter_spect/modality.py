"""Modality of SPECT: combines protocol, summary, flow and demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from engine.geometry.grid import ImageGrid, Point
from engine.io.safety.open_input import open_input
from engine.modalities.base import FinishEarly, Modality, OpenStudy
from engine.modalities.requirements import Requirements
from engine.modalities.scan_files import ScanFiles
from isocenter_spect import accepts, gathers
from isocenter_spect.camera import COLLIMATOR, CRYSTAL, PHOTON_MAP, files_next_to
from isocenter_spect.protocol import LEDGER, NO_MAP, PhotonAttenuation, SpectProtocol, estimate
from isocenter_spect.scan import SpectSummary, read_scan

if TYPE_CHECKING:
    from engine.data.volume import Volume
    from engine.io.safety.open_input import InputFile
    from engine.modalities.demo import Demo
    from engine.modalities.stages import Stage
    from engine.protocols.run_context.context import Resume


class Spect(Modality[SpectProtocol]):
    """Rotating gamma camera with parallel holes or pinholes."""

    key = "spect"
    title = "SPECT"
    protocol = SpectProtocol
    takes_scanner = False
    ledger = LEDGER
    own_inputs = (COLLIMATOR, CRYSTAL)
    iterating = ("algorithm", "radius_mm")
    finishing = ("finishing", "between", "factor", "unit")
    grid_from = "scan"
    rows = "bins"
    stages: ClassVar[dict[str, str]] = {
        "read": "Read", "kernels": "Compiling", "correct": "Corrections",
        "sensitivity": "Sensitivity", "reconstruct": "Iterations", "finish": "Finishing",
    }  # fmt: skip

    def accepts(self, file: InputFile) -> bool:
        return accepts(file)

    def gathered(self, path: Path) -> ScanFiles | None:
        if not (gathers(path) and path.is_file()):
            return None
        with open_input(path) as file:
            if not accepts(file):
                return None
        found = files_next_to(path)
        return ScanFiles(path, found) if found else None

    def summarise(
        self, path: Path, scanner: str | None, *, complete_events: bool = False
    ) -> SpectSummary:
        return SpectSummary.of(read_scan(path))

    def default_grid(self, protocol: SpectProtocol, study: OpenStudy) -> tuple[Point, Point] | None:
        scan, holes = study.scan, study.contents.get(COLLIMATOR.key)
        if not isinstance(scan, SpectSummary):
            return None
        return protocol.usual(scan.pixel_mm, scan.shape, holes, scan.radius_mm)

    def grid(self, protocol: SpectProtocol, study: OpenStudy) -> ImageGrid | None:
        usual = self.default_grid(protocol, study)
        return None if usual is None else protocol.grid.grid_for(usual)

    def requirements(
        self, protocol: SpectProtocol, study: OpenStudy, grid: ImageGrid, on: Any, left: float
    ) -> Requirements | None:
        scan = study.scan
        return (
            estimate(protocol, grid, scan.shape, left) if isinstance(scan, SpectSummary) else None
        )

    def obstacles(self, protocol: SpectProtocol, study: OpenStudy) -> dict[str, str | None]:
        missing = PHOTON_MAP.key not in study.contents
        return {PhotonAttenuation.kind: NO_MAP if missing else None}

    def flow(
        self, context: Any, resume: Resume | None, finish_early: FinishEarly | None
    ) -> Stage[Volume]:
        from isocenter_spect.flow import flow

        return flow(context, resume, finish_early)

    @property
    def demo(self) -> Demo:
        from isocenter_spect.demo import SpectDemo

        return SpectDemo()

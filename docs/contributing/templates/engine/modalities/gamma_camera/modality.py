"""Modality of the gamma camera: combines protocol, summary, flow and demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.core.backend.devices import DeviceInfo
from engine.geometry.grid import ImageGrid
from engine.modalities.base import FinishEarly, Modality, OpenStudy
from engine.modalities.gamma_camera import accepts
from engine.modalities.gamma_camera.protocol import GammaCameraProtocol
from engine.modalities.gamma_camera.requirements import estimate
from engine.modalities.gamma_camera.summary import GammaSummary
from engine.modalities.requirements import Requirements

if TYPE_CHECKING:
    from engine.data.volume import Volume
    from engine.io.safety.open_input import InputFile
    from engine.modalities.demo import Demo
    from engine.modalities.stages import Stage
    from engine.protocols.run_context.context import Resume, RunContext


class GammaCamera(Modality[GammaCameraProtocol]):
    """Rotating gamma camera with parallel holes."""

    key = "gamma-camera"
    title = "gamma camera"
    protocol = GammaCameraProtocol
    takes_scanner = False
    grid_from = "scan"
    rows = "bins"
    stages: ClassVar[dict[str, str]] = {
        "read": "Read",
        "kernels": "Compiling",
        "sensitivity": "Sensitivity",
        "reconstruct": "Iterations",
        "finish": "Finishing",
    }

    def accepts(self, file: InputFile) -> bool:
        return accepts(file)

    def summarise(
        self, path: Path, scanner: str | None, *, complete_events: bool = False
    ) -> GammaSummary:
        # Imported here: `--help` and protocols need no reader.
        from engine.modalities.gamma_camera.scan import read_scan

        return GammaSummary.of(read_scan(path))

    def grid(self, protocol: GammaCameraProtocol, study: OpenStudy) -> ImageGrid | None:
        return study.scan.grid if isinstance(study.scan, GammaSummary) else None

    def requirements(
        self,
        protocol: GammaCameraProtocol,
        study: OpenStudy,
        grid: ImageGrid,
        on: DeviceInfo,
        left: float,
    ) -> Requirements | None:
        if not isinstance(study.scan, GammaSummary):
            return None
        return estimate(protocol, grid, study.scan.n_views, left)

    def flow(
        self,
        context: RunContext[GammaCameraProtocol],
        resume: Resume | None,
        finish_early: FinishEarly | None,
    ) -> Stage[Volume]:
        from engine.modalities.gamma_camera.flow import flow

        return flow(context, resume, finish_early)

    @property
    def demo(self) -> Demo:
        from engine.modalities.gamma_camera.demo import GammaCameraDemo

        return GammaCameraDemo()

"""Modality for dual-head PET: histograms, and list mode that is histogrammed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.core.backend.devices import DeviceInfo
from engine.core.paths import cached_dir
from engine.corrections.histogram import HISTOGRAM_CORRECTIONS, LineScatter
from engine.data.histogram import Histogram, one_layer
from engine.data.input_role import InputRole
from engine.data.listmode import ListMode
from engine.geometry.dual_head import DualHead
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.base import FinishEarly, Modality, OpenStudy
from engine.modalities.dual_head_pet import accepts
from engine.modalities.dual_head_pet.histogram_summary import HistogramSummary, sums_on_one_line
from engine.modalities.dual_head_pet.protocol import (
    MAX_PER_PITCH,
    DualHeadGrid,
    DualHeadProtocol,
)
from engine.modalities.dual_head_pet.requirements import estimate
from engine.modalities.dual_head_pet.response.identity import path_of
from engine.modalities.dual_head_pet.response_role import RESPONSE
from engine.modalities.listmode_pet.event_summary import EventSummary
from engine.modalities.requirements import Requirements

if TYPE_CHECKING:
    from engine.core.backend import Backend
    from engine.data.volume import Volume
    from engine.io.safety.open_input import InputFile
    from engine.modalities.demo import Demo
    from engine.modalities.kernel_steps import Steps
    from engine.modalities.stages import Stage
    from engine.protocols.run_context.context import Resume, RunContext


class DualHeadPet(Modality[DualHeadProtocol]):
    """Dual-head PET with a stored response matrix."""

    key = "dual-head"
    title = "dual-head PET"
    protocol = DualHeadProtocol
    ledger = HISTOGRAM_CORRECTIONS
    own_inputs: ClassVar[tuple[InputRole, ...]] = (RESPONSE,)
    approach = (
        "Uses a stored response matrix that models the blur of the crystals. The "
        "matrix is computed once for each scanner and image. A PET protocol traces "
        "each event along a ray instead. It starts at once, but its images are less "
        "sharp."
    )
    iterating = ("algorithm", "prior")
    expert = ("layers", "response", "error_seed")
    finishing = ("finishing", "between", "error_replicates", "error_method")
    grid_from = "scanner"
    rows = "lines"
    stages: ClassVar[dict[str, str]] = {
        "read": "Read",
        "response": "Response",
        "kernels": "Compiling",
        "correct": "Corrections",
        "scatter": "Scatter",
        "sensitivity": "Sensitivity",
        "reconstruct": "Iterations",
        "errors": "Error map",
        "finish": "Finishing",
    }
    long_work: ClassVar[dict[str, str]] = {
        "response": "Computing the response matrix of the panels"
    }

    def accepts(self, file: InputFile) -> bool:
        return accepts(file)

    def takes(self, scan: object) -> bool:
        # The events of two panels are counted by line.
        is_of_panels = isinstance(scan, ListMode) and isinstance(scan.scanner, DualHead)
        return isinstance(scan, Histogram) or is_of_panels

    def summarise(
        self, path: Path, scanner: str | None, *, complete_events: bool = False
    ) -> HistogramSummary:
        from engine.io import read_histogram

        return HistogramSummary.of(read_histogram(path, scanner=scanner))

    def suits(self, study: OpenStudy) -> bool:
        # List mode of panels can be counted by line, so both modalities suit it.
        return super().suits(study) or _sums(study) is not None

    def grid(self, protocol: DualHeadProtocol, study: OpenStudy) -> ImageGrid | None:
        panels = _with_image(protocol, study)
        return panels.grid if panels else None

    def default_grid(
        self, protocol: DualHeadProtocol, study: OpenStudy
    ) -> tuple[Point, Point] | None:
        scanner = _panels(study)
        return (scanner.default_voxel_mm, scanner.default_size_mm) if scanner else None

    def fitting_voxel(self, voxel_mm: Point, study: OpenStudy) -> Point:
        """Return the nearest voxel whose edges along the panels are a fraction of the pitch."""
        scanner = _panels(study)
        if scanner is None:
            return voxel_mm
        pitch = scanner.settings.pitch_mm
        # Symmetries of the response exist only if voxels repeat with every crystal.
        edge = pitch / min(max(round(pitch / voxel_mm[0]), 1), MAX_PER_PITCH)
        return edge, voxel_mm[1], edge

    def grid_note(self, protocol: DualHeadProtocol, study: OpenStudy) -> str:
        panels = _with_image(protocol, study)
        # The user cannot see from numbers alone why other voxels are refused.
        if panels is None:
            return ""
        n, pitch_mm = panels.settings.voxels_per_pitch, panels.settings.pitch_mm
        text = (
            "The grid has the length and width of the panels. Along x and z, its voxels are "
            f"{pitch_mm / n:.4g} mm long (crystal pitch {pitch_mm:g} mm, voxels per pitch: {n})"
        )
        if not _is_stored(protocol, study):
            text += (
                ".\nThe response matrix of this image is computed first and stored. "
                "If the computation is interrupted, the next run continues it"
            )
        return text

    def requirements(
        self,
        protocol: DualHeadProtocol,
        study: OpenStudy,
        grid: ImageGrid,
        on: DeviceInfo,
        left: float,
    ) -> Requirements | None:
        scan, scanner = study.scan, study.scanner
        if scan is None or not isinstance(scanner, DualHead):
            return None
        # Layers that are combined need much less memory, so this comes before the estimate.
        scanner = protocol.layers.scanner_for(scanner, _scanner_of_response(study))
        # List mode has prompts and delayeds, which become two columns.
        columns = scan.n_columns if isinstance(scan, HistogramSummary) else 2
        is_stored = _is_stored(protocol, study)
        sums = self._sums_with_inputs(study)
        scatter = sums is not None and protocol.corrections.of(LineScatter).runs(sums)
        return estimate(
            protocol,
            scanner,
            on=on,
            is_stored=is_stored,
            columns=columns,
            left=left,
            scatter=scatter,
        )

    def obstacles(self, protocol: DualHeadProtocol, study: OpenStudy) -> dict[str, str | None]:
        sums = self._sums_with_inputs(study)
        if sums is None:
            return {}
        return {kind: choice.obstacle(sums) for kind, choice in self.choices(protocol).items()}

    def is_done(self, kind: str, study: OpenStudy) -> bool:
        sums = self._sums_with_inputs(study)
        if sums is None:
            return False
        return any(each().is_needless(sums) for each in self.ledger if each.kind == kind)

    def _sums_with_inputs(self, study: OpenStudy) -> Histogram | None:
        """Return the counts on one line, with the auxiliary files of the study."""
        sums = _sums(study)
        for role in self.inputs if sums is not None else ():
            # The response is not a correction, and is large; only its scanner is needed here.
            if role not in self.own_inputs and role.key in study.contents:
                sums = role.attached(sums, study.contents[role.key])
        return sums

    def flow(
        self,
        context: RunContext[DualHeadProtocol],
        resume: Resume | None,
        finish_early: FinishEarly | None,
    ) -> Stage[Volume]:
        from engine.modalities.dual_head_pet.flow import flow

        return flow(context, resume, finish_early)

    def warm_up(self, on: Backend) -> Steps:
        from engine.modalities.dual_head_pet.warm_up import compute_and_project

        return [lambda: compute_and_project(on)]

    @property
    def demo(self) -> Demo:
        from engine.modalities.dual_head_pet.demo import DualHeadDemo

        return DualHeadDemo()


def _panels(study: OpenStudy) -> DualHead | None:
    """Return the panels of a study with one layer, because layers do not affect the grid."""
    return one_layer(study.scanner) if isinstance(study.scanner, DualHead) else None


def _scanner_of_response(study: OpenStudy) -> DualHead | None:
    """Return the scanner of the response in the study; None if there is none."""
    given = study.contents.get(RESPONSE.key)
    return given if isinstance(given, DualHead) else None


def _with_image(protocol: DualHeadProtocol, study: OpenStudy) -> DualHead | None:
    """Return the panels with the image of a run; with that of a stored response by default."""
    panels, given = study.scanner, _scanner_of_response(study)
    if not isinstance(panels, DualHead):
        return None
    if given is not None and protocol.grid == DualHeadGrid():
        return given
    return protocol.grid.scanner_for(protocol.layers.scanner_for(panels, given))


def _is_stored(protocol: DualHeadProtocol, study: OpenStudy) -> bool:
    """Return True if the response does not have to be computed."""
    panels = _with_image(protocol, study)
    if RESPONSE.key in study.contents or panels is None:
        return True
    return path_of(cached_dir("response"), panels, protocol.response).exists()


def _sums(study: OpenStudy) -> Histogram | None:
    """Return the counts of the scan on one line; None if it is not from two panels."""
    scan, scanner = study.scan, study.scanner
    if isinstance(scan, HistogramSummary):
        # A copy, because attaching files must not change the summary of the scan.
        return replace(scan.sums)
    if isinstance(scan, EventSummary) and isinstance(scanner, DualHead):
        return sums_on_one_line(scanner, scan.sample.n_prompts, scan.sample.n_delayed)
    return None

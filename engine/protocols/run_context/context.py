"""State of a run: inputs, clock, and the facts for its provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Generic, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.core.profiling import Profiler
from engine.data.listmode import ListMode
from engine.data.patient_position import STATED_AXES
from engine.data.projections import Projections
from engine.data.runs.events import Corrected, Measured, Profiled, Progressed, StageStarted, Warned
from engine.data.runs.history import RunHistory
from engine.data.runs.record import (
    RUN_FORMAT,
    Ending,
    ProtocolIdentity,
    RecordedCorrection,
    RecordedRun,
    RecordedWarning,
    quality_of,
)
from engine.data.runs.sharding import Divide
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.protocols.privacy.names import Names
from engine.protocols.run_context.progress import PassProgress
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import identity_of
from engine.protocols.study.study import Study

OnProgress = Callable[[Progressed], None]
PREVIEW_S = 0.1
"""Least time between two images copied off a GPU within an iteration."""
PROFILE_S = 0.5
"""The profile is told no more often than this."""


@dataclass(frozen=True)
class Resume:
    """State of an interrupted run.

    Attributes
    ----------
    image : (n_z, n_y, n_x) the iterate
    done : updates behind it
    history : history of the run up to there
    frames : finished images of the frames before it, of a scan in frames
    slices : that are finished, of a volume that is made in slabs: the image is that volume's file
    """

    image: NDArray[np.float32]
    done: int
    history: RunHistory
    frames: tuple[FrameVolume, ...] = ()
    slices: int = 0


@dataclass(frozen=True)
class ImageSpace:
    """Meaning of the values of an image.

    Attributes
    ----------
    grid : its voxels
    unit : unit of its values
    axes : directions of x, y and z: "LPS" of a patient, or plain "xyz"
    stated_axes : sides of the patient to which "xyz" grow, "" if the scan states no position
    finished_unit : unit of the finished image; "" for that of the images before
    per_value : value of the final image in that unit for a value of 1
    """

    grid: ImageGrid
    unit: str = "counts/mm"
    axes: str = "LPS"
    stated_axes: str = ""
    finished_unit: str = ""
    per_value: float = 1.0

    @property
    def finished(self) -> Self:
        """Meaning of the values of the final image."""
        return replace(self, unit=self.finished_unit or self.unit)

    def volume(self, image: Array, info: Plain | None = None) -> Volume:
        """Return an image with its meaning."""
        values = np.asarray(image, np.float32)
        axes = {"axes": self.axes, **({STATED_AXES: self.stated_axes} if self.stated_axes else {})}
        return Volume(values, self.grid, self.unit, {**(info or {}), **axes})


@dataclass
class RunLog:
    """Messages of a run so far. It only grows, and becomes the provenance.

    Attributes
    ----------
    history : times, and how near the images came to the data
    facts : facts of scan, response and sensitivity
    scanner : all that fixes the geometry of the scanner
    corrections : results of the corrections, in their order
    warnings : sentences that the user should check
    notes : sentences that only inform the user
    names : pseudonyms of the file names
    subsets : numbers of subsets that were used, each once
    fitted : why passes or subsets differ from those of the protocol; empty if they do not
    axis : rotation axis of an X-ray scan, and its source
    ending, reason : end of the iterations, and its reason
    """

    history: RunHistory = field(default_factory=RunHistory)
    facts: Plain = field(default_factory=dict)
    scanner: Plain = field(default_factory=dict)
    corrections: list[RecordedCorrection] = field(default_factory=list)
    warnings: list[RecordedWarning] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    subsets: list[int] = field(default_factory=list)
    fitted: str = ""
    axis: str = ""
    ending: Ending = "running"
    reason: str = ""
    _clock: float = 0.0
    _profiled_at: float = 0.0
    _previewed_at: float = 0.0

    def start(self, stage: str, text: str) -> StageStarted:
        """Begin a stage and its clock."""
        self._clock = perf_counter()
        return StageStarted(stage, text)

    def end(self, stage: str, **figures: float) -> Measured:
        """End the stage, which took the time since its start."""
        self.spend(stage, perf_counter() - self._clock)
        return self.measured(stage, **figures)

    def spend(self, stage: str, seconds: float) -> None:
        """Count time for a stage."""
        self.history = self.history.spent(stage, seconds)

    def measured(self, stage: str, **figures: float) -> Measured:
        """Tell of a stage, with the time it took before an interruption."""
        return Measured(stage, self.history.seconds.get(stage, 0.0), figures)

    def warn(self, text: str, about: str = "") -> Warned:
        """Keep a warning for the provenance; `about` names the correction that it doubts."""
        self.warnings.append(RecordedWarning(text=self.names.text(text), about=about))
        return Warned(text, about)

    def note(self, text: str) -> None:
        """Keep a sentence that only informs, for the provenance."""
        self.notes.append(self.names.text(text))

    def applied(self, kind: str, text: str) -> Corrected:
        """Keep what an effect came to that no correction of the protocol stands for."""
        return self.corrected(Corrected(kind, "applied", text))

    def corrected(self, event: Corrected) -> Corrected:
        """Keep what a correction did."""
        text = self.names.text(event.text)
        row = RecordedCorrection(kind=event.kind, state=event.state, level=event.level, text=text)
        self.corrections.append(row)
        return event

    def begin_iterations(self, n_subsets: int) -> None:
        """Note that the iterations of an image begin; frames may have other subsets."""
        self.conclude("running")
        if n_subsets not in self.subsets:
            self.subsets.append(n_subsets)

    def conclude(self, ending: Ending, reason: str = "") -> None:
        """Note how the iterations ended."""
        self.ending, self.reason = ending, self.names.text(reason)

    @property
    def kinds_applied(self) -> tuple[str, ...]:
        """Kinds of the effects that were applied so far, in their order."""
        return tuple(each.kind for each in self.corrections if each.state == "applied")

    def may_preview(self, on: Backend) -> bool:
        """Return True if to copy an image off the device between the ends of iterations."""
        now = perf_counter()
        if on.is_cuda and now - self._previewed_at < PREVIEW_S:
            return False
        self._previewed_at = now
        return True

    def profiled(self, profiler: Profiler) -> Iterator[Profiled]:
        """Tell the profile, unless it was told just now."""
        now = perf_counter()
        if now - self._profiled_at >= PROFILE_S:
            self._profiled_at = now
            yield Profiled(profiler.snapshot())


P_co = TypeVar("P_co", bound=Protocol, covariant=True)


@dataclass(frozen=True)
class RunContext(Generic[P_co]):
    """One run: its inputs, and its log.

    Attributes
    ----------
    study : study to reconstruct
    on : device
    log : messages of the run so far
    profiler : profiler of the stages
    on_progress : called inside long steps; None: nobody asks
    progress : progress of the stages that pass over the data; None: nobody asks
    scan : the data of the study where they are in memory already; None: they are read
    folder : folder of files that outlive the run, for whoever goes on with it; None: there is none
    divide : has others do parts of the run; None: all is done here
    """

    study: Study
    on: Backend
    log: RunLog
    profiler: Profiler
    on_progress: OnProgress | None = None
    progress: PassProgress | None = None
    scan: ListMode | Projections | None = None
    folder: Path | None = None
    divide: Divide | None = None

    @classmethod
    def of(
        cls,
        study: Study,
        on: Backend,
        on_progress: OnProgress | None = None,
        history: RunHistory | None = None,
        scan: ListMode | Projections | None = None,
        folder: Path | None = None,
        divide: Divide | None = None,
    ) -> Self:
        """Return the context of a run that begins, or goes on after `history`."""
        log = RunLog(history or RunHistory(), names=Names() if study is None else Names.of(study))
        on = on.of_a_run()
        progress = None if on_progress is None else PassProgress(on_progress)
        return cls(study, on, log, Profiler(on), on_progress, progress, scan, folder, divide)

    @property
    def protocol(self) -> P_co:
        """Protocol of the study. `modality_of` chose the flow for its type."""
        return cast(P_co, self.study.protocol)

    def record(self, iterations_done: float) -> RecordedRun:
        """Return the record of the run up to an image with so many iterations behind it."""
        algorithm, log = self.protocol.algorithm, self.log
        identity = identity_of(self.protocol)
        return RecordedRun(
            format=RUN_FORMAT,
            protocol=ProtocolIdentity.of(identity),
            quality=quality_of(identity),
            algorithm=algorithm.title,
            iterates=not algorithm.direct,
            iterations_planned=algorithm.n_iterations,
            iterations_done=iterations_done,
            subsets=tuple(log.subsets) or (algorithm.n_subsets,),
            fitted=log.names.text(log.fitted),
            frames_planned=0,
            frames_done=0,
            ending=log.ending,
            reason=log.reason,
            resumed=len(log.history.resumed_utc),
            axis=log.axis,
            corrections=tuple(log.corrections),
            warnings=tuple(log.warnings),
            notes=tuple(log.notes),
            device=self.on.label,
        )

    def ticker(self, stage: str) -> Callable[[int, int], None] | None:
        """Return what long steps call with (done, total)."""
        on_progress = self.on_progress
        if on_progress is None:
            return None
        return lambda done, total: on_progress(Progressed(stage, done, total))

    def profiled(self) -> Iterator[Profiled]:
        """Tell the profile, unless it was told just now."""
        return self.log.profiled(self.profiler)

"""State of a run: inputs, clock, and the facts for its provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Generic, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from engine.core.profiling import Profiler
from engine.data.patient_position import STATED_AXES
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
from engine.data.volume import Volume
from engine.protocols.privacy.names import Names
from engine.protocols.run_context.progress import PassProgress
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import identity_of

if TYPE_CHECKING:
    from engine.core.arrays import Array
    from engine.core.backend import Backend
    from engine.core.json_types import Plain
    from engine.data.runs.sharding import Divide
    from engine.data.timing.time_frames import FrameVolume
    from engine.geometry.grid import ImageGrid
    from engine.protocols.study.study import StudyValues

OnProgress = Callable[[Progressed], None]
PREVIEW_S = 0.1
"""Shortest time between two images copied from a GPU within an iteration [s]."""
PROFILE_S = 0.5
"""Shortest time between two reports of the profile [s]."""


@dataclass(frozen=True)
class Resume:
    """State of an interrupted run.

    Attributes
    ----------
    image : (n_z, n_y, n_x) the iterate
    done : number of updates that it results from
    history : history of the run so far
    frames : finished images of earlier frames, for a scan in frames
    slices : number of finished slices, for a volume computed in slabs; `image` is then its file
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
    grid : grid of the image
    unit : unit of its values
    axes : directions of x, y and z: "LPS" for a patient, or simply "xyz"
    stated_axes : sides of the patient to which "xyz" increase; "" if the scan states no position
    finished_unit : unit of the finished image; "" if it is that of the iterates
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
        """Return an image as a volume with grid, unit and axes.

        Parameters
        ----------
        image
            (n_z, n_y, n_x) values, on the host
        info
            further facts about the image
        """
        # Volumes are float32, whatever type the image was computed in.
        values = np.asarray(image, np.float32)
        axes = {"axes": self.axes, **({STATED_AXES: self.stated_axes} if self.stated_axes else {})}
        return Volume(values, self.grid, self.unit, {**(info or {}), **axes})


@dataclass
class RunLog:
    """Messages of a run so far. It only grows, and becomes the provenance.

    Attributes
    ----------
    history : times and convergence
    facts : facts of scan, response and sensitivity
    scanner : complete geometry of the scanner
    corrections : results of the corrections, in their order
    warnings : sentences that the user should check
    notes : sentences that only inform the user
    names : pseudonyms of the file names
    subsets : numbers of subsets that were used, without repetition
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
        """Begin a stage and its clock.

        Parameters
        ----------
        stage
            key of the stage
        text
            sentence for the user
        """
        # One clock suffices, because stages do not overlap.
        self._clock = perf_counter()
        return StageStarted(stage, text)

    def end(self, stage: str, **figures: float) -> Measured:
        """End a stage and record the time since its start.

        Parameters
        ----------
        stage
            key of the stage
        figures
            further numbers for the log
        """
        self.add_time(stage, perf_counter() - self._clock)
        return self.measured(stage, **figures)

    def add_time(self, stage: str, seconds: float) -> None:
        """Add time to a stage.

        Parameters
        ----------
        stage
            key of the stage
        seconds
            time to add; a resumed run adds to earlier times
        """
        self.history = self.history.spent(stage, seconds)

    def measured(self, stage: str, **figures: float) -> Measured:
        """Return an event with the time of a stage, including the time before an interruption.

        Parameters
        ----------
        stage
            key of the stage
        figures
            further numbers for the log
        """
        return Measured(stage, self.history.seconds.get(stage, 0.0), figures)

    def warn(self, text: str, about: str = "", *, is_assumption: bool = False) -> Warned:
        """Record a warning for the provenance.

        Parameters
        ----------
        text
            sentence for the user
        about
            kind of the correction that it concerns; "" if there is none
        is_assumption
            True if the run assumes a value of the scan that changes the image

        Returns
        -------
        warn
            the event contains the original text, the record has pseudonyms
        """
        # The window may show real names to its user; records leave this computer.
        known = self.names.text(text)
        self.warnings.append(RecordedWarning(text=known, about=about, is_assumption=is_assumption))
        return Warned(text, about, is_assumption)

    def note(self, text: str) -> None:
        """Record a sentence for the provenance that only informs.

        Parameters
        ----------
        text
            sentence for the user
        """
        self.notes.append(self.names.text(text))

    def applied(self, kind: str, text: str) -> Corrected:
        """Record an effect that belongs to no correction of the protocol.

        Parameters
        ----------
        kind
            key of the effect
        text
            result in words
        """
        return self.corrected(Corrected(kind, "applied", text))

    def corrected(self, event: Corrected) -> Corrected:
        """Record the result of a correction.

        Parameters
        ----------
        event
            result as shown to the user

        Returns
        -------
        event
            the same event, so that a caller can yield it at once
        """
        text = self.names.text(event.text)
        row = RecordedCorrection(kind=event.kind, state=event.state, level=event.level, text=text)
        self.corrections.append(row)
        return event

    def begin_iterations(self, n_subsets: int) -> None:
        """Record that the iterations of an image begin.

        Parameters
        ----------
        n_subsets
            number of subsets; frames can have different numbers
        """
        # A new image starts as "running", even after a frame that has ended.
        self.conclude("running")
        if n_subsets not in self.subsets:
            self.subsets.append(n_subsets)

    def conclude(self, ending: Ending, reason: str = "") -> None:
        """Record how the iterations ended.

        Parameters
        ----------
        ending
            kind of the end
        reason
            sentence for the user; it may be empty
        """
        self.ending, self.reason = ending, self.names.text(reason)

    @property
    def kinds_applied(self) -> tuple[str, ...]:
        """Kinds of the effects that were applied so far, in their order."""
        return tuple(each.kind for each in self.corrections if each.state == "applied")

    def may_preview(self, on: Backend) -> bool:
        """Return True if an image may be copied from the device within an iteration.

        Parameters
        ----------
        on
            device of the image

        Returns
        -------
        may_preview
            on the CPU always True, because the image is already in memory
        """
        now = perf_counter()
        # Copies stall the GPU; ten per second are enough for the eye.
        if on.is_cuda and now - self._previewed_at < PREVIEW_S:
            return False
        self._previewed_at = now
        return True

    def profiled(self, profiler: Profiler) -> Iterator[Profiled]:
        """Yield the profile unless it was reported recently.

        Parameters
        ----------
        profiler
            profiler of the run
        """
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
    on_progress : callback in long steps; None if progress is not needed
    progress : progress of the stages that pass over the data; None if it is not needed
    scan : data of the study if they are already in memory; None if they must be read
    folder : folder of files that outlive the run, for a later resume; None if there is none
    divide : distributes parts of the run to other processes; None if all is computed here
    read : fingerprints of the files before they were read, by role
    """

    study: StudyValues
    on: Backend
    log: RunLog
    profiler: Profiler
    on_progress: OnProgress | None = None
    progress: PassProgress | None = None
    scan: object | None = None
    folder: Path | None = None
    divide: Divide | None = None
    read: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        study: StudyValues,
        on: Backend,
        on_progress: OnProgress | None = None,
        history: RunHistory | None = None,
        scan: object | None = None,
        folder: Path | None = None,
        divide: Divide | None = None,
        read: Mapping[str, str] | None = None,
    ) -> Self:
        """Return the context of a run that begins, or continues after `history`.

        Parameters
        ----------
        study
            study to reconstruct
        on
            device
        on_progress
            callback in long steps; None if progress is not needed
        history
            history of the interrupted run; None for a new run
        scan
            data of the study if they are already in memory
        folder
            folder of files that outlive the run
        divide
            distributes parts of the run to other processes
        read
            fingerprints of the files before they are read, by role; None without files
        """
        # Tests of single steps run without a study, and then there are no names to hide.
        log = RunLog(history or RunHistory(), names=Names() if study is None else Names.of(study))
        on = on.of_a_run()
        progress = None if on_progress is None else PassProgress(on_progress)
        work = log, Profiler(on), on_progress, progress
        return cls(study, on, *work, scan, folder, divide, read or {})

    @property
    def protocol(self) -> P_co:
        """Protocol of the study. `modality_of` selected the flow for its type."""
        return cast(P_co, self.study.protocol)

    @cached_property
    def _identity(self) -> Plain:
        # Every image has a record, and the digests of a protocol take longer than the rest of it.
        return identity_of(self.protocol)

    def record(self, iterations_done: float) -> RecordedRun:
        """Return the record of the run up to an image.

        Parameters
        ----------
        iterations_done
            iterations that the image results from; a fraction within an iteration
        """
        algorithm, log, identity = self.protocol.algorithm, self.log, self._identity
        return RecordedRun(
            format=RUN_FORMAT,
            protocol=ProtocolIdentity.of(identity),
            quality=quality_of(identity),
            algorithm=algorithm.title,
            iterates=not algorithm.direct,
            iterations_planned=algorithm.n_iterations,
            may_end_early=algorithm.may_end_early,
            iterations_done=iterations_done,
            # Before the iterations begin, the number of subsets is that of the protocol.
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
        """Return the progress callback of a stage for long steps.

        Parameters
        ----------
        stage
            key of the stage

        Returns
        -------
        ticker
            a function of (done, total); None if progress is not needed
        """
        on_progress = self.on_progress
        if on_progress is None:
            return None
        return lambda done, total: on_progress(Progressed(stage, done, total))

    def profiled(self) -> Iterator[Profiled]:
        """Yield the profile unless it was reported recently."""
        return self.log.profiled(self.profiler)

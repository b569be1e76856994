"""Events of a reconstruction: typed, frozen, in order.

`run` yields these; the window, the command line, the checkpoint and the tests draw from it.

This module alone decides which messages are warnings: each message has a `level`. Ledger, log,
report, provenance and command line read that level and never judge the text themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.core.json_types import Plain
from engine.data.reading_note import Information
from engine.data.runs.history import RunHistory
from engine.data.runs.record import CorrectionState, RecordedRun
from engine.data.runs.record import Level as Level
from engine.data.scatter_profile import ScatterProfile
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume

if TYPE_CHECKING:
    from engine.core.profiling import Profile


@dataclass(frozen=True)
class Event:
    """Base of all events."""


@dataclass(frozen=True)
class StageStarted(Event):
    """A stage begins: its key and its purpose."""

    stage: str
    text: str


@dataclass(frozen=True)
class Progressed(Event):
    """Part of a stage is done. `text` may state the amount in its own units."""

    stage: str
    done: int
    total: int
    text: str = ""


@dataclass(frozen=True)
class Measured(Event):
    """A stage ended: its duration in seconds, and rates or sizes."""

    stage: str
    seconds: float
    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Planned(Event):
    """Requirements of the run, before the long work begins.

    Attributes
    ----------
    device : "cpu" or "cuda", on which it runs
    text : the device, memory and time in one line
    """

    device: str
    text: str


@dataclass(frozen=True)
class Loaded(Event):
    """The scan is read: its scanner, counts and facts, as text and as values."""

    text: str
    facts: Plain


@dataclass(frozen=True)
class Corrected(Event):
    """One row of the corrections list: the result of a correction, or the reason why it is off.

    Attributes
    ----------
    kind : key of the correction
    state : True if it was applied
    text : plain words with numbers
    profile : profile of scatter that was simulated, beside what was measured
    is_needless : True if the data lack nothing without it: they are corrected already, or the
        user asked for nothing
    """

    kind: str
    state: CorrectionState
    text: str
    profile: ScatterProfile | None = None
    is_needless: bool = False

    @property
    def level(self) -> Level:
        """A warning where the data needed a correction that could not be applied.

        A correction that was applied and is in doubt has a `Warned` about it as well.
        """
        is_missing = self.state == "unavailable" and not self.is_needless
        return Level.WARNING if is_missing else Level.NOTE


@dataclass(frozen=True)
class Warned(Event):
    """A warning: the user should check something.

    Attributes
    ----------
    text : a sentence
    about : key of the correction that it casts doubt on; empty: of none
    """

    text: str
    about: str = ""

    @property
    def level(self) -> Level:
        """A warning, always."""
        return Level.WARNING


@dataclass(frozen=True)
class Noted(Event):
    """A note for the user, one sentence."""

    text: str

    @property
    def level(self) -> Level:
        """A note, always."""
        return Level.NOTE


def of_note(text: str) -> Noted | Warned:
    """Return the event for the note of a reader.

    Assumptions and losses are warnings. A note that the reader marks as `Information` is not.
    """
    return Noted(text) if isinstance(text, Information) else Warned(text)


def warnings_among(notes: Iterable[str]) -> list[str]:
    """Return those notes of a reader that are warnings."""
    return [text for text in notes if of_note(text).level is Level.WARNING]


@dataclass(frozen=True)
class Preview(Event):
    """The image after one update.

    Attributes
    ----------
    volume : the image, with its grid and unit
    iteration, subset : one-based; subset counts within the iteration
    iterations, subsets : how many there are
    seconds : time of this update [s]
    log_likelihood : of the image this iteration started from (up to a constant of the data);
        only on the last subset of an iteration
    residual : ‖A x − y‖ / ‖y‖ of this image; only of line integrals, and as the one above
    history : history of the run up to this image
    frame : that the image is of, None of the whole scan. Then iterations stand for frames, and
        subsets for the updates of one; the last one of a frame is its finished image
    slices : that are finished, from the first on, of a volume that is made in slabs, for which
        subsets stand then; None: all are
    run : the record of the run up to this image; None where nobody keeps one
    """

    volume: Volume
    iteration: int
    iterations: int
    subset: int
    subsets: int
    seconds: float
    log_likelihood: float | None = None
    residual: float | None = None
    history: RunHistory = field(default_factory=RunHistory)
    frame: TimeFrame | None = None
    slices: int | None = None
    run: RecordedRun | None = None

    @property
    def update(self) -> int:
        """Updates behind the image."""
        return (self.iteration - 1) * self.subsets + self.subset

    @property
    def ends_iteration(self) -> bool:
        """True if this update is the last of its iteration."""
        return self.subset == self.subsets


@dataclass(frozen=True)
class Profiled(Event):
    """Time of each stage so far, and the current load of the machine; at most twice a second."""

    profile: Profile


@dataclass(frozen=True)
class Checkpointed(Event):
    """The current state is saved on disk."""

    job: str
    iteration: int
    subset: int


@dataclass(frozen=True)
class ResultSaved(Event):
    """The final image is saved as a result. `text` also lists old results that were removed."""

    result: str
    text: str


@dataclass(frozen=True)
class Finished(Event):
    """The final volume, after the final filters, with its provenance.

    Attributes
    ----------
    volume : volume of the whole scan; of a scan in frames the sum of them, or their mean in Bq/mL
    frames : frames of a scan in frames, in their order; they do not come from another process
    """

    volume: Volume
    provenance: Plain
    frames: tuple[FrameVolume, ...] = ()

    @property
    def run(self) -> RecordedRun | None:
        """The record of the run; None where nobody kept one."""
        return RecordedRun.of(self.provenance)


@dataclass(frozen=True)
class Aborted(Event):
    """The user aborted the run. The text states what is kept, and how to continue."""

    text: str


@dataclass(frozen=True)
class Failed(Event):
    """The run ended without a volume: what happened, what is safe, what to press."""

    text: str
    user_fault: bool
    detail: str = ""
    """Traceback for the log, empty for a fault of the input."""
    on_cpu: bool = False
    """True if the GPU failed, so that the CPU could go on."""
    reason: str = ""
    """What happened alone, where the text says besides what to press in the window."""
    died: bool = False
    """True if the process ended without a word."""
    rests: bool = False
    """True if it only waits, at its last checkpoint, for the machines that worked on it."""

"""Events of a reconstruction: typed, frozen, in order.

`run` yields them. The window, the command line, checkpoints and tests use them. Only this module
decides which messages are warnings: each message has a `level`. Ledger, log, report, provenance and
command line read that level and never interpret the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.core.json_types import Plain
from engine.data.formatting import Information
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
    image_bytes : size of the image, with one number of 4 bytes for each voxel
    n_frames : number of time frames or gates, 0 for a single image
    """

    device: str
    text: str
    image_bytes: int = 0
    n_frames: int = 0


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
    profile : simulated scatter next to the measured counts, for a plot
    is_needless : True if the data do not need it: they are already corrected, or the
        user requested nothing
    """

    kind: str
    state: CorrectionState
    text: str
    profile: ScatterProfile | None = None
    is_needless: bool = False

    @property
    def level(self) -> Level:
        """Warning if the data need a correction that could not be applied, else a note.

        An applied correction that is in doubt has an additional `Warned` event.
        """
        # "off" is a choice of the user; only "unavailable" is a loss that the user may not expect.
        is_missing = self.state == "unavailable" and not self.is_needless
        return Level.WARNING if is_missing else Level.NOTE


@dataclass(frozen=True)
class Warned(Event):
    """A warning: the user should check something.

    Attributes
    ----------
    text : a sentence
    about : key of the correction that is in doubt; empty: none
    is_assumption : True if the run assumes a value of the scan that changes the image
    """

    text: str
    about: str = ""
    is_assumption: bool = False

    @property
    def level(self) -> Level:
        """Always a warning."""
        return Level.WARNING


@dataclass(frozen=True)
class Noted(Event):
    """A note for the user, one sentence."""

    text: str

    @property
    def level(self) -> Level:
        """Always a note."""
        return Level.NOTE


def of_note(text: str) -> Noted | Warned:
    """Return the event for a note of a reader.

    Parameters
    ----------
    text
        the note; an `Information` only informs, any other text is an assumption or a loss

    Returns
    -------
    `Noted` for information, else `Warned`
    """
    # The type of the text decides, because readers return plain lists of sentences.
    return Noted(text) if isinstance(text, Information) else Warned(text)


def warnings_among(notes: Iterable[str]) -> list[str]:
    """Return the notes of a reader that are warnings."""
    return [text for text in notes if of_note(text).level is Level.WARNING]


@dataclass(frozen=True)
class Preview(Event):
    """The image after one update.

    Attributes
    ----------
    volume : the image, with its grid and unit
    iteration, subset : from 1; the subset counts within the iteration
    iterations, subsets : their numbers
    seconds : time of this update [s]
    log_likelihood : of the image at the start of this iteration (up to a constant of the data);
        only on the last subset of an iteration
    residual : ‖A x − y‖ / ‖y‖ of this image; only for line integrals, and as above
    history : history of the run up to this image
    frame : frame of the image; None: the whole scan. In frames, iterations count frames and
        subsets count the updates of one; the last one of a frame is its finished image
    slices : number of finished slices of a volume that is made in slabs, which subsets
        then count; None: all
    run : record of the run up to this image; None if there is none
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
        """Number of updates behind the image."""
        # both count from 1
        return (self.iteration - 1) * self.subsets + self.subset

    @property
    def may_end_early(self) -> bool:
        """True if the number of iterations is a maximum."""
        return self.run is not None and self.run.may_end_early

    @property
    def ends_iteration(self) -> bool:
        """True if this update is the last of its iteration."""
        return self.subset == self.subsets


@dataclass(frozen=True)
class EarlyPreview(Event):
    """An image before the first update. It is only shown: checkpoints and results ignore it.

    Attributes
    ----------
    volume : the image, with its grid and unit
    text : how it was made
    run : record of the run, with no iterations done; None if there is none
    """

    volume: Volume
    text: str
    run: RecordedRun | None = None


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
    volume : volume of the whole scan; for frames their sum, or their mean in Bq/mL
    frames : frames of a scan in frames, in order; not sent from another process
    """

    volume: Volume
    provenance: Plain
    frames: tuple[FrameVolume, ...] = ()

    @property
    def run(self) -> RecordedRun | None:
        """Record of the run; None if there is none."""
        return RecordedRun.of(self.provenance)


@dataclass(frozen=True)
class Aborted(Event):
    """The user aborted the run. The text states the saved images, and how to continue."""

    text: str


@dataclass(frozen=True)
class Failed(Event):
    """The run ended without a volume. The text states the reason, the saved data and the remedy."""

    text: str
    user_fault: bool
    detail: str = ""
    """Traceback for the log; empty if the input is the cause."""
    on_cpu: bool = False
    """True if the GPU failed, so that the run can continue on the CPU."""
    reason: str = ""
    """The cause alone; `text` also states the remedy in the window."""
    died: bool = False
    """True if the process ended without a message."""
    rests: bool = False
    """True if the run only waits at its last checkpoint for its machines."""

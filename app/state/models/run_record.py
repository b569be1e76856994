"""Record of the current run: stages, progress, ledger, curve, stored images, result."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from statistics import fmean
from time import perf_counter

from app.state.models.protocols.text import marked
from app.state.models.run_images import StoredImages
from engine.core.profiling import Profile
from engine.data import Plain, RecordedRun, TimeFrame, Volume
from engine.data.runs.events import (
    Aborted,
    Corrected,
    EarlyPreview,
    Event,
    Failed,
    Finished,
    Level,
    Loaded,
    Measured,
    Noted,
    Preview,
    Profiled,
    Progressed,
    ResultSaved,
    StageStarted,
    Warned,
)
from engine.jobs.study_index import ImagingOrder
from engine.modalities import Study

ROLLING = 12
"""Number of updates whose mean duration gives the remaining time."""


class RunState(StrEnum):
    """State of a run."""

    IDLE = "idle"
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHING = "finishing"
    FINISHED = "finished"
    FAILED = "failed"
    ABORTED = "aborted"

    @property
    def is_active(self) -> bool:
        """True while the engine works."""
        return self in (self.PREPARING, self.RUNNING, self.PAUSED, self.FINISHING)


STAGE_STATES = {
    "reconstruct": RunState.RUNNING,
    "finish": RunState.FINISHING,
    "keep": RunState.FINISHING,
}


@dataclass
class RunRecord:
    """Record of one run, filled by the engine's events.

    Attributes
    ----------
    study : data and protocol of the images; None for a file
    job : name of the job that made them; empty if none did
    result_id : ID of the result with the last image; empty if there is none
    inputs : files of the run by role, from its first checkpoint; empty before
    order : worklist order of the scan; None if there is none
    run : record of the run by the engine; None before it exists, and for a file
    opened : message that a result was opened; empty for a run of this window
    when : start of the run, or the time at which its result was saved
    stage : key of the current stage
    done, total : progress within the stage; total is 0 while unknown
    latest : the newest preview
    early : how an image before the first iteration was made; empty if there is none
    curve : (iteration, log-likelihood of the image it started from; or residual [%] or penalised
        log-likelihood of its image)
    changes : (iteration, largest change of a region [%]) of a penalised reconstruction
    timings : stages and their durations, in order
    warnings : sentences that the user should check
    notes : sentences that only inform the user
    doubts : warnings by the key of the correction they concern; "" for the others
    profile : the newest profile
    is_file : True if the image was read from a file
    file : its path; None if it is not known. It is never shown and never written
    file_facts : format, voxels and unit of that file
    """

    title: str = ""
    study: Study | None = None
    job: str = ""
    stage: str = ""
    stage_text: str = ""
    done: int = 0
    total: int = 0
    progress_text: str = ""
    facts: Plain = field(default_factory=dict)
    latest: Preview | None = None
    early: str = ""
    ledger: dict[str, Corrected] = field(default_factory=dict)
    curve: list[tuple[int, float]] = field(default_factory=list)
    changes: list[tuple[int, float]] = field(default_factory=list)
    timings: list[Measured] = field(default_factory=list)
    profile: Profile | None = None
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    doubts: dict[str, list[str]] = field(default_factory=dict)
    images: StoredImages = field(default_factory=StoredImages)
    result: Volume | None = None
    provenance: Plain = field(default_factory=dict)
    inputs: Plain = field(default_factory=dict)
    result_id: str = ""
    run: RecordedRun | None = None
    opened: str = ""
    when: datetime = field(default_factory=lambda: datetime.now().astimezone())
    exported: bool = False
    order: ImagingOrder | None = None
    is_file: bool = False
    file: Path | None = None
    file_facts: dict[str, str] = field(default_factory=dict)
    started: float = field(default_factory=perf_counter)
    _frame: TimeFrame | None = None
    _recent: deque[float] = field(default_factory=lambda: deque(maxlen=ROLLING))

    @property
    def local_title(self) -> str:
        """Title with the names that the owner knows. It is for the screen only."""
        return marked(self.study.title) if self.study else self.title

    @property
    def known_inputs(self) -> Plain:
        """Files of the run by role, with their digests; empty before they are known."""
        found = self.provenance.get("inputs")
        return found if isinstance(found, dict) and found else self.inputs

    @property
    def state_of_stage(self) -> RunState:
        """State of the run during this stage."""
        return STAGE_STATES.get(self.stage, RunState.PREPARING)

    @property
    def seconds_left(self) -> float | None:
        """Remaining time of the iterations [s], from the mean of the last updates."""
        if self.latest is None or not self._recent:
            return None
        # The mean of the last updates follows a machine that becomes slower or faster.
        p = self.latest
        updates = p.iterations * p.subsets - p.update
        return updates * fmean(self._recent)

    @property
    def limit_of_change(self) -> float | None:
        """Change of regions below which a penalised reconstruction may end [%]; None for others."""
        figures = self.latest.history.penalised if self.latest is not None else ()
        return 100 * figures[-1].limit if figures else None

    @property
    def lacking(self) -> dict[str, Corrected]:
        """Corrections that the data needed and that could not be applied, by their keys."""
        return {kind: each for kind, each in self.ledger.items() if each.level is Level.WARNING}

    @property
    def missing_corrections(self) -> dict[str, str]:
        """Reasons for corrections that were not applied, by their keys; also of a stored result."""
        if self.run is not None and not self.events_are_known:
            return self.run.missing_corrections
        return {kind: each.text for kind, each in self.lacking.items()}

    @property
    def different_warnings(self) -> tuple[str, ...]:
        """All other warnings, each once; also of a stored result."""
        # Iterations repeat a warning.
        if self.run is not None and not self.events_are_known:
            return self.run.different_warnings
        return tuple(dict.fromkeys(self.warnings))

    @property
    def n_warnings(self) -> int:
        """Number of messages to check: missing corrections and different warnings."""
        return len(self.missing_corrections) + len(self.different_warnings)

    @property
    def events_are_known(self) -> bool:
        """False for a stored result: it has only the record of its run."""
        return bool(self.ledger or self.warnings)

    @property
    def fraction(self) -> float | None:
        """Completed share of the stage; None while unknown."""
        if self.stage == "reconstruct" and self.latest is not None:
            p = self.latest
            updates = p.update / (p.iterations * p.subsets)
            # Includes the progress of the next update.
            return max(updates, self.done / max(self.total, 1))
        return self.done / self.total if self.total else None

    @property
    def is_only_here(self) -> bool:
        """True if an image of the run exists only in memory and could be lost."""
        return bool(self.job and self.images.items) and not (self.result_id or self.exported)

    @property
    def ended_early(self) -> bool:
        """True if the image was finished before the last iteration."""
        return self.result is not None and self.run is not None and self.run.is_cut_short

    def run_at(self, index: int | None) -> RecordedRun | None:
        """Return the record of the run up to a stored image.

        Parameters
        ----------
        index
            index of the image; None for the newest

        Returns
        -------
        None before the engine has reported a run
        """
        run = self.run
        if run is None or index is None or index >= len(self.images.items):
            return run
        stored = self.images.items[index]
        # A finished frame has all its iterations, like the final image.
        if stored.place is None or stored.frame is not None:
            return run
        iteration, subset = stored.place
        done = iteration - 1 + subset / max(self.latest.subsets if self.latest else 1, 1)
        return run.model_copy(update={"iterations_done": min(done, iteration)}).ended("running")

    def take(self, event: Event) -> None:
        """Update the record from an event. `RunModel` stores the images.

        Parameters
        ----------
        event
            an event of the engine
        """
        match event:
            case StageStarted():
                self.stage, self.stage_text = event.stage, event.text
                self.done, self.total, self.progress_text = 0, 0, ""
            case Progressed():
                self.done, self.total, self.progress_text = event.done, event.total, event.text
            case Measured():
                self.timings.append(event)
            case Profiled():
                self.profile = event.profile
            case Loaded():
                self.facts = event.facts
            case Corrected():
                self.ledger[event.kind] = event
            case Warned():
                self.warnings.append(event.text)
                # Grouped by correction, so that the ledger can mark the row that a warning
                # concerns.
                self.doubts.setdefault(event.about, []).append(event.text)
            case Noted():
                self.notes.append(event.text)
            case EarlyPreview():
                self.early, self.run = event.text, event.run or self.run
            case Preview():
                self._take_preview(event)
            case ResultSaved():
                self.result_id = event.result
            case Finished():
                self.result, self.provenance = event.volume, event.provenance
                self.run = event.run or self.run
            # Without a reported run there is nothing to close.
            case Aborted() | Failed() if self.run is not None:
                self.run = self.run.ended("aborted" if isinstance(event, Aborted) else "failed")

    def take_history(self, preview: Preview) -> bool:
        """Update the convergence curve from a preview.

        Parameters
        ----------
        preview
            image with the history of its run

        Returns
        -------
        True if the curve has new points
        """
        history = preview.history
        if preview.frame != self._frame:  # each time frame has its own iterations
            self._frame, self.curve, self.changes = preview.frame, [], []
        objectives = [figures.objective for figures in history.penalised]
        residuals = [100 * residual for residual in history.residuals]
        values = objectives or history.log_likelihoods or residuals
        is_news = len(values) > len(self.curve)  # a preview can arrive before a stored iterate
        if is_news:
            self.curve = list(enumerate(values, 1))
            changes = [100 * figures.change for figures in history.penalised]
            self.changes = list(enumerate(changes, 1))
        return is_news

    def _take_preview(self, preview: Preview) -> None:
        # A preview without a record of the run keeps the last known one.
        self.latest, self.run = preview, preview.run or self.run
        self._recent.append(preview.seconds)

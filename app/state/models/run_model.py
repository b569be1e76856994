"""The run at hand: where it stands, what is known of it, and which of its images is selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.run_images import ALL_FRAMES, Kept, KeptImages, Place
from app.state.models.run_record import RunRecord, RunState
from app.ui.theme.formatting import words
from engine.data import FrameVolume, TimeFrame, Volume
from engine.data.runs.events import (
    Aborted,
    Corrected,
    Event,
    Failed,
    Finished,
    Level,
    Loaded,
    Measured,
    Noted,
    Planned,
    Preview,
    ResultSaved,
    StageStarted,
    Warned,
)
from engine.modalities import Study

LOG_LEVELS = {Level.NOTE: "info", Level.WARNING: "warning"}


class RunModel(QObject):
    """State, record and images of one reconstruction.

    Signals
    -------
    state_changed, progress_changed, record_changed, images_changed : a part to show anew
    begun : a new record has replaced the last one
    image_selected : volume to show, None for none, and whether to fit the display to it
    reported : level and text of a line for the log
    result_kept : the image of the run is a result on disk

    Attributes
    ----------
    selected : the kept image on show; None follows the newest
    """

    state_changed = Signal()
    progress_changed = Signal()
    record_changed = Signal()
    images_changed = Signal()
    begun = Signal()
    image_selected = Signal(object, bool)
    reported = Signal(str, str)
    result_kept = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.state = RunState.IDLE
        self.record = RunRecord()
        self.selected: int | None = None

    @property
    def images(self) -> list[str]:
        """Names of the kept images, in order."""
        return self.record.images.labels

    def begin(self, title: str, study: Study | None = None, job: str = "") -> None:
        """Forget the last run and start a new record; a job that goes on keeps its images."""
        goes_on = bool(job) and job == self.record.job
        images = self.record.images if goes_on else KeptImages()
        self.record = RunRecord(title, study, job, images=images)
        self.selected = None
        self.begun.emit()
        self.set_state(RunState.PREPARING)
        self.record_changed.emit()
        self.images_changed.emit()
        self.progress_changed.emit()

    def forget(self) -> None:
        """Show nothing of a run that another scan was for."""
        self.begin("")
        self.set_state(RunState.IDLE)
        self.image_selected.emit(None, False)

    def set_state(self, state: RunState) -> None:
        """Say where the run stands."""
        if state is not self.state:
            self.state = state
            self.state_changed.emit()

    # events of the engine

    def take(self, event: Event) -> None:
        """Note one event of the run, previews excepted."""
        self.record.take(event)
        match event:
            case StageStarted():
                if self.state is not RunState.PAUSED:
                    self.set_state(self.record.state_of_stage)
                self.reported.emit("info", event.text)
            case Corrected():
                self.reported.emit(LOG_LEVELS[event.level], f"{words(event.kind)}: {event.text}")
            case Planned() | Loaded() | Noted():
                self.reported.emit("info", event.text)
            case Warned():
                self.reported.emit(LOG_LEVELS[event.level], event.text)
            case ResultSaved():
                self.reported.emit("info", event.text)
                self.result_kept.emit()
            case Finished():
                self._finish(event)
            case Aborted():
                self._stop(RunState.ABORTED)
                self.reported.emit("warning", event.text)
            case Failed():
                self._stop(RunState.FAILED)
                self.reported.emit("error", event.text)
        if isinstance(event, Corrected | Noted | Warned | Measured | Loaded | Finished):
            self.record_changed.emit()
        self.progress_changed.emit()

    def _finish(self, event: Finished) -> None:
        self._keep(ALL_FRAMES if self.record.images.frames else "final", event.volume)
        self.select(None)
        self.set_state(RunState.FINISHED)
        self.reported.emit("info", tr("Finished."))

    def _stop(self, state: RunState) -> None:
        """Keep the last image of a run that ended early."""
        last = self.record.latest
        if last is not None and not last.ends_iteration and last.slices is None:
            step = "frame" if last.frame is not None else "iteration"
            label = tr(
                "{step} {iteration}, subset {subset}",
                step=step,
                iteration=last.iteration,
                subset=last.subset,
            )
            place = last.iteration, last.subset
            self._keep(label, last.volume, place, last.iterations)
        self.set_state(state)

    # images

    def show_preview(self, preview: Preview) -> None:
        """Show the newest image, unless the user looks at an older one."""
        if not self.state.is_active:
            return
        self.record.take(preview)
        self._take_history(preview)
        if self.selected is None:
            self.image_selected.emit(preview.volume, preview.iteration == 1)
        self.progress_changed.emit()

    def keep(self, preview: Preview) -> None:
        """Keep the image at the end of an iteration."""
        if preview.slices is not None:
            return  # the last slab of a volume in a file: the finished one follows
        self._take_history(preview)
        place, frame = (preview.iteration, preview.subset), preview.frame
        label = f"iteration {preview.iteration}"
        if frame is not None:
            label = tr(
                "frame {iteration}, {describe}",
                iteration=preview.iteration,
                describe=frame.describe(),
            )
        self._keep(label, preview.volume, place, preview.iterations, frame)

    def keep_earlier(self, job: str, earlier: Sequence[Kept]) -> None:
        """Put iterates that were on disk before those of a job that goes on, if it is at hand."""
        if job != self.record.job or not earlier:
            return
        has_images = bool(self.record.images.items)
        self.record.images.add_earlier(earlier)
        self.images_changed.emit()
        if not has_images and self.record.latest is None:
            self.select(None)

    def show_stored(
        self,
        volume: Volume,
        name: str,
        frames: Sequence[FrameVolume] = (),
        facts: Mapping[str, str] | None = None,
    ) -> None:
        """Show a volume that was read from a file, with its facts: it is exported already."""
        self._keep_frames(frames)
        self._keep(ALL_FRAMES if frames else name, volume)
        self.record.exported = self.record.is_file = True
        self.record.file_facts, self.record.notes = dict(facts or {}), list(volume.notes)
        self.record_changed.emit()
        self.set_state(RunState.IDLE)
        self.select(None)

    def show_result(
        self, record: RunRecord, label: str, volume: Volume, frames: Sequence[FrameVolume] = ()
    ) -> None:
        """Show a result that was opened, with what made it and its frames of time."""
        self.begin(record.title)
        self.record = record
        record.result = volume
        self._keep_frames(frames)
        self._keep(label, volume)
        self.set_state(RunState.IDLE)
        self.record_changed.emit()
        self.select(None)

    def take_result(self, job: str, result_id: str) -> None:
        """Note that the last image of a job is a result on disk."""
        if job == self.record.job:
            self.record.result_id = result_id
        self.result_kept.emit()

    def select(self, index: int | None) -> None:
        """Show a kept image, or follow the newest (None)."""
        images = self.record.images.items
        newest = index is None or index >= len(images) - 1
        self.selected = None if newest else index
        if images:
            kept = images[-1 if newest or index is None else index]
            self.image_selected.emit(kept.volume, newest)

    def _take_history(self, preview: Preview) -> None:
        if self.record.take_history(preview):
            self.record_changed.emit()

    def _keep_frames(self, frames: Sequence[FrameVolume]) -> None:
        for k, (frame, image) in enumerate(frames, 1):
            self._keep(
                tr("frame {k}, {describe}", k=k, describe=frame.describe()),
                image,
                (k, 1),
                len(frames),
                frame,
            )

    def _keep(
        self,
        label: str,
        volume: Volume,
        place: Place | None = None,
        iterations: int = 0,
        frame: TimeFrame | None = None,
    ) -> None:
        if self.record.images.add(label, volume, place, iterations, frame):
            self.selected = None
        self.images_changed.emit()

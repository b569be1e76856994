"""The current run: its state, its record, and the selected image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.run_images import ALL_FRAMES, Place, StoredImage, StoredImages
from app.state.models.run_record import RunRecord, RunState
from app.ui.theme.formatting import words
from engine.data import FrameVolume, TimeFrame, Volume
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
    state_changed, progress_changed, record_changed, images_changed : a part that must be redrawn
    begun : a new record has replaced the last one
    image_selected : volume to show, None for none, and whether to fit the display to it
    reported : level and text of a line for the log
    result_stored : the image of the run has been stored as a result

    Attributes
    ----------
    selected : index of the image on show; None follows the newest
    """

    state_changed = Signal()
    progress_changed = Signal()
    record_changed = Signal()
    images_changed = Signal()
    begun = Signal()
    image_selected = Signal(object, bool)
    reported = Signal(str, str)
    result_stored = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.state = RunState.IDLE
        self.record = RunRecord()
        self.selected: int | None = None

    @property
    def images(self) -> list[str]:
        """Labels of the stored images, in order."""
        return self.record.images.labels

    def begin(self, title: str, study: Study | None = None, job: str = "") -> None:
        """Replace the record of the last run.

        Parameters
        ----------
        title
            title of the run without names of files
        study
            the study that runs; None for a file
        job
            name of the job; a resumed job keeps its images
        """
        # The scrubber of a resumed job can still go back to iterations before the pause.
        goes_on = bool(job) and job == self.record.job
        images = self.record.images if goes_on else StoredImages()
        self.record = RunRecord(title, study, job, images=images)
        self.selected = None
        self.begun.emit()
        self.set_state(RunState.PREPARING)
        self.record_changed.emit()
        self.images_changed.emit()
        self.progress_changed.emit()

    def forget(self) -> None:
        """Clear the run, because it belongs to another scan."""
        self.begin("")
        self.set_state(RunState.IDLE)
        self.image_selected.emit(None, False)

    def set_state(self, state: RunState) -> None:
        """Change the state of the run.

        Parameters
        ----------
        state
            the new state; no signal if it is the same
        """
        if state is not self.state:
            self.state = state
            self.state_changed.emit()

    # Events of the engine

    def take(self, event: Event) -> None:
        """Update the model from an event of the run, except previews.

        Parameters
        ----------
        event
            an event of the engine
        """
        self.record.take(event)
        match event:
            case StageStarted():
                # A stage may begin after the user has paused. It must not end the pause on the
                # screen.
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
                self.result_stored.emit()
            case EarlyPreview():
                self._show_early(event)
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

    def _show_early(self, early: EarlyPreview) -> None:
        # The scrubber explains the image, because it belongs to no iteration.
        self.images_changed.emit()
        if self.selected is None:
            self.image_selected.emit(early.volume, True)

    def _finish(self, event: Finished) -> None:
        self._store_image(ALL_FRAMES if self.record.images.frames else "final", event.volume)
        self.select(None)
        self.set_state(RunState.FINISHED)
        self.reported.emit("info", tr("Finished."))

    def _stop(self, state: RunState) -> None:
        """Store the last image of a run that ended early."""
        last = self.record.latest
        # An image at the end of an iteration is stored already. A slab is not a whole image.
        if last is not None and not last.ends_iteration and last.slices is None:
            # Labels are stored in files, so only their titles are translated.
            what = "frame" if last.frame is not None else "iteration"
            label = f"{what} {last.iteration}, subset {last.subset}"
            place = last.iteration, last.subset
            self._store_image(label, last.volume, place, last.iterations)
        self.set_state(state)

    # Images

    def show_preview(self, preview: Preview) -> None:
        """Show the newest image unless the user looks at an older one.

        Parameters
        ----------
        preview
            image after an update; ignored if no run is active
        """
        # Previews arrive from another thread, sometimes after the run has ended.
        if not self.state.is_active:
            return
        self.record.take(preview)
        self._take_history(preview)
        if self.selected is None:
            self.image_selected.emit(preview.volume, preview.iteration == 1)
        self.progress_changed.emit()

    def keep(self, preview: Preview) -> None:
        """Store the image at the end of an iteration.

        Parameters
        ----------
        preview
            image of the iteration
        """
        if preview.slices is not None:
            return  # the last slab of a volume in a file; the complete volume follows
        self._take_history(preview)
        place, frame = (preview.iteration, preview.subset), preview.frame
        label = f"iteration {preview.iteration}"
        if frame is not None:
            label = f"frame {preview.iteration}, {frame.describe()}"
        # The end of a run that ends by itself is not known yet.
        total = 0 if frame is None and preview.may_end_early else preview.iterations
        self._store_image(label, preview.volume, place, total, frame)

    def keep_earlier(self, job: str, earlier: Sequence[StoredImage]) -> None:
        """Insert iterates from disk before those of a resumed job.

        Parameters
        ----------
        job
            name of the job; ignored if another one is current
        earlier
            iterates in order
        """
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
        """Show a volume from a file. It counts as exported.

        Parameters
        ----------
        volume
            the volume; its notes go to the record
        name
            name of the file, for the screen
        frames
            time frames of a dynamic file
        facts
            format, voxels and unit for the record; None for none
        """
        self._keep_frames(frames)
        self._store_image(ALL_FRAMES if frames else name, volume)
        self.record.exported = self.record.is_file = True
        self.record.file_facts, self.record.notes = dict(facts or {}), list(volume.notes)
        self.record_changed.emit()
        self.set_state(RunState.IDLE)
        self.select(None)

    def show_result(
        self, record: RunRecord, label: str, volume: Volume, frames: Sequence[FrameVolume] = ()
    ) -> None:
        """Show a stored result.

        Parameters
        ----------
        record
            record of the run that made it
        label
            label of the image
        volume
            the image; sum or mean of a dynamic scan
        frames
            its time frames
        """
        # `begin` resets all views, then the record of the result replaces the empty one.
        self.begin(record.title)
        self.record = record
        record.result = volume
        self._keep_frames(frames)
        self._store_image(label, volume)
        self.set_state(RunState.IDLE)
        self.record_changed.emit()
        self.select(None)

    def take_result(self, job: str, result_id: str) -> None:
        """Store the ID of the result that holds the last image of a job.

        Parameters
        ----------
        job
            name of the job; another job only updates the list of results
        result_id
            ID of the result
        """
        if job == self.record.job:
            self.record.result_id = result_id
        self.result_stored.emit()

    def select(self, index: int | None) -> None:
        """Show a stored image.

        Parameters
        ----------
        index
            its index; None, or that of the last image, follows the newest
        """
        images = self.record.images.items
        newest = index is None or index >= len(images) - 1
        self.selected = None if newest else index
        if images:
            stored = images[-1 if newest or index is None else index]
            self.image_selected.emit(stored.volume, newest)

    def _take_history(self, preview: Preview) -> None:
        if self.record.take_history(preview):
            self.record_changed.emit()

    def _keep_frames(self, frames: Sequence[FrameVolume]) -> None:
        for k, (frame, image) in enumerate(frames, 1):
            self._store_image(f"frame {k}, {frame.describe()}", image, (k, 1), len(frames), frame)

    def _store_image(
        self,
        label: str,
        volume: Volume,
        place: Place | None = None,
        iterations: int = 0,
        frame: TimeFrame | None = None,
    ) -> None:
        if self.record.images.add(label, volume, place, iterations, frame):
            # Indices have changed, so the selection falls back to the newest image.
            self.selected = None
        self.images_changed.emit()

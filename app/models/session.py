"""The only mutable state of the window: study, protocol, run, images, log. Widgets show it."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Signal

from app.look.formatting import words
from app.models.device_choice import DeviceChoice
from app.models.inputs import AnyProtocol
from app.models.messages import Level, LogLine, Problem
from app.models.run_record import RunRecord, RunState
from app.models.study_model import StudyModel
from app.models.volume_display import VolumeDisplay
from app.views.state import ViewState
from engine.data.volume import Volume
from engine.events import (
    Aborted,
    Corrected,
    Event,
    Failed,
    Finished,
    Loaded,
    Measured,
    Planned,
    Preview,
    StageStarted,
    Warned,
)
from engine.geometry.dual_head import DualHead


class Session(StudyModel):
    """State with one signal for each part that widgets show."""

    state_changed = Signal()
    progress_changed = Signal()
    record_changed = Signal()
    images_changed = Signal()
    log_added = Signal(object)
    problem_raised = Signal(object)

    def __init__(self, device: DeviceChoice) -> None:
        super().__init__(device)
        self.view_state = ViewState(self)
        self._display = VolumeDisplay(self.view_state)
        self.state = RunState.IDLE
        self.record = RunRecord()
        self.selected: int | None = None
        self.log: list[LogLine] = []

    @property
    def doing(self) -> str:
        """What the stage at work does, in plain words."""
        stage, long_work = self.record.stage, self.modality.long_work
        if self.record.total and stage in long_work:
            return long_work[stage]
        return self.record.stage_text or "Starting the engine"

    def obstacle(self) -> str:
        """Return why a run cannot start, empty if it can."""
        if self.state.is_active:
            return "A reconstruction is running."
        return super().obstacle()

    # run

    def _forget_run(self) -> None:
        """Show nothing of a run that another scan was for."""
        self.begin("")
        self.set_state(RunState.IDLE)
        self._display.show(None)

    def _take_for_scan(self, plan: AnyProtocol, *, is_first: bool) -> None:
        super()._take_for_scan(plan, is_first=is_first)
        if self.note:
            self.add_log("info", self.note)

    def begin(self, title: str) -> None:
        """Forget the last run and start a new record."""
        self.record = RunRecord(title=title)
        self.selected = None
        self.view_state.set_blurred_axis(1 if isinstance(self.scanner, DualHead) else None)
        self.set_state(RunState.PREPARING)
        self.record_changed.emit()
        self.images_changed.emit()
        self.progress_changed.emit()

    def take(self, event: Event) -> None:
        """Note one event of the run, previews excepted."""
        self.record.take(event)
        match event:
            case StageStarted():
                if self.state is not RunState.PAUSED:
                    self.set_state(self.record.state_of_stage)
                self.add_log("info", event.text)
            case Planned() | Loaded() | Corrected() | Warned():
                self._log_event(event)
            case Finished():
                self._finish(event)
            case Aborted():
                self._stop(RunState.ABORTED)
                self.add_log("warning", event.text)
            case Failed():
                self._stop(RunState.FAILED)
                self.add_log("error", event.text)
        if isinstance(event, Corrected | Measured | Loaded | Finished):
            self.record_changed.emit()
        self.progress_changed.emit()

    def show_preview(self, preview: Preview) -> None:
        """Show the newest image, unless the user looks at an older one."""
        if not self.state.is_active:
            return
        self.record.take(preview)
        self._take_history(preview)
        if self.selected is None:
            self._display.show(preview.volume, refit=preview.iteration == 1)
        self.progress_changed.emit()

    def keep(self, preview: Preview) -> None:
        """Keep the image at the end of an iteration."""
        self._take_history(preview)
        self._keep(f"iteration {preview.iteration}", preview.volume)

    def show_file(self, volume: Volume, name: str) -> None:
        """Show a volume read from a file; it is no result of a run."""
        self.begin(name)
        self.view_state.set_blurred_axis(None)
        self._keep(name, volume)
        self.record.exported = True
        self.set_state(RunState.IDLE)
        self.select(None)
        self.add_log("info", f"{name}: {volume.grid.describe()}, {volume.unit or 'no unit'}")

    def select(self, index: int | None) -> None:
        """Show a kept image, or follow the newest (None)."""
        images = self.record.images.items
        newest = index is None or index >= len(images) - 1
        self.selected = None if newest else index
        if images:
            kept = images[-1 if newest or index is None else index]
            self._display.show(kept.volume, refit=newest)

    def _take_history(self, preview: Preview) -> None:
        if self.record.take_history(preview):
            self.record_changed.emit()

    def _keep(self, label: str, volume: Volume) -> None:
        if self.record.images.add(label, volume):
            self.selected = None
        self.images_changed.emit()

    def _finish(self, event: Finished) -> None:
        self._keep("final", event.volume)
        self.select(None)
        self.set_state(RunState.FINISHED)
        self.add_log("info", "Finished.")

    def _stop(self, state: RunState) -> None:
        """Keep the last image of a run that ended early."""
        last = self.record.latest
        if last is not None and not last.ends_iteration:
            self._keep(f"iteration {last.iteration}, subset {last.subset}", last.volume)
        self.set_state(state)

    def set_state(self, state: RunState) -> None:
        """Say where the run stands."""
        if state is not self.state:
            self.state = state
            self.state_changed.emit()

    # log

    def add_log(self, level: Level, text: str) -> None:
        """Append a line to the log."""
        line = LogLine(datetime.now().astimezone(), level, text)
        self.log.append(line)
        self.log_added.emit(line)

    def raise_problem(self, problem: Problem) -> None:
        """Put a problem before the user."""
        if problem.is_fault:
            self.add_log("error", f"{problem.title} {problem.text}")
        self.problem_raised.emit(problem)

    def _log_event(self, event: Planned | Loaded | Corrected | Warned) -> None:
        if isinstance(event, Corrected):
            self.add_log("info", f"{words(event.kind)}: {event.text}")
        else:
            self.add_log("warning" if isinstance(event, Warned) else "info", event.text)

"""The only mutable state of the window: study, protocol, run, images, log. Widgets show it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from app.device_choice import DeviceChoice
from app.display import Display
from app.history import History
from app.inputs import Input, Inputs, Role
from app.messages import Level, LogLine, Problem
from app.quality import Quality, at_quality, quality_of
from app.run_record import RunRecord, RunState
from app.views.state import ViewState
from engine.data.volume import Volume
from engine.devices import DeviceInfo
from engine.errors import EngineError
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
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner
from engine.preflight import Needs, estimate, refuse_if_too_large
from engine.protocol import Protocol
from engine.study import Study


class Session(QObject):
    """State with one signal for each part that widgets show."""

    inputs_changed = Signal()
    protocol_changed = Signal()
    state_changed = Signal()
    progress_changed = Signal()
    record_changed = Signal()
    images_changed = Signal()
    log_added = Signal(object)
    problem_raised = Signal(object)

    def __init__(self, device: DeviceChoice) -> None:
        super().__init__()
        self.device = device
        self.view_state = ViewState(self)
        self._display = Display(self.view_state)
        self.inputs = Inputs()
        self.base = Protocol()
        self.history = History(self.base)
        self.state = RunState.IDLE
        self.record = RunRecord()
        self.selected: int | None = None
        self.log: list[LogLine] = []

    def set_input(self, role: Role, found: Input | None) -> None:
        """Replace or clear one input of the study."""
        quality = self.quality
        self.inputs.pending.pop(role, None)
        if role == "data" and self._is_other(found):
            self._forget_run()
        if found is None:
            self.inputs.pop(role, None)
        else:
            self.inputs[role] = found
        if quality is not None:
            self.history.push(at_quality(self.base, quality, self.scanner))
        self.inputs_changed.emit()
        self.protocol_changed.emit()

    def await_input(self, role: Role, value: str) -> None:
        """Note a file that is being read; what it may replace stays until it proves sound."""
        before = self.inputs.get(role)
        if before is None or before.value == value:
            self.set_input(role, Input(value))
        self.inputs.pending[role] = value
        self.inputs_changed.emit()

    def _is_other(self, found: Input | None) -> bool:
        before = self.inputs.get("data")
        return before is not None and (found is None or found.value != before.value)

    def _forget_run(self) -> None:
        """Show nothing of a run that another scan was for."""
        self.begin("")
        self.set_state(RunState.IDLE)
        self._display.show(None)

    def clear_inputs(self) -> None:
        """Begin a study without any file."""
        if "data" in self.inputs:
            self._forget_run()
        self.inputs = Inputs()
        self.inputs_changed.emit()

    @property
    def scanner(self) -> Scanner | None:
        """The scanner in use."""
        return self.inputs.scanner

    @property
    def n_events(self) -> int:
        """Events of the scan, 0 before it is read."""
        return self.inputs.scan.n_events if self.inputs.scan else 0

    def study(self) -> Study:
        """Return the study as the engine takes it; the scan must have been chosen."""
        return self.inputs.study(self.protocol)

    # protocol

    @property
    def protocol(self) -> Protocol:
        """The protocol in use."""
        return self.history.current

    @property
    def quality(self) -> Quality | None:
        """Fast, standard or fine; None for a protocol changed by hand."""
        return quality_of(self.protocol, self.base, self.scanner)

    def use_protocol(self, base: Protocol) -> None:
        """Start from a saved protocol."""
        self.base = base
        self.set_protocol(base)

    def use_quality(self, quality: Quality) -> None:
        """Take the saved protocol at a quality."""
        self.set_protocol(at_quality(self.base, quality, self.scanner))

    def set_protocol(self, protocol: Protocol) -> None:
        """Change the protocol; it can be undone."""
        self.history.push(protocol)
        self.protocol_changed.emit()

    def undo(self) -> None:
        """Take the last change of the protocol back."""
        self.history.undo()
        self.protocol_changed.emit()

    def redo(self) -> None:
        """Do the last undone change again."""
        self.history.redo()
        self.protocol_changed.emit()

    # what a run would need

    def grid(self) -> ImageGrid | None:
        """Return the grid the protocol gives on the scanner, None without one.

        Raises `SettingsError` where it would have too many voxels.
        """
        return self.protocol.grid.grid_for(self.scanner) if self.scanner else None

    def needs(self, on: DeviceInfo | None = None, left: float = 1.0) -> Needs | None:
        """Return what a run needs, of which `left` is to do, on the chosen device or another."""
        grid, on = self.grid(), on or self.device.in_use
        if grid is None or on is None or not self.n_events:
            return None
        n_lors = self.scanner.n_lors if self.scanner else 0
        needs = estimate(self.protocol, grid, self.n_events, on=on, n_lors=n_lors, left=left)
        return replace(needs, seconds=needs.seconds * self.device.speed_ratio(on))

    def obstacle(self) -> str:
        """Return why a run cannot start, empty if it can."""
        if self.state.is_active:
            return "A reconstruction is running."
        if fault := self.inputs.fault() or self.device.obstacle():
            return fault
        try:
            grid = self.grid()
            needs = self.needs()
            if grid is not None and needs is not None:
                refuse_if_too_large(needs, grid)
        except EngineError as e:
            return str(e)
        return ""

    # run

    def begin(self, title: str) -> None:
        """Forget the last run and start a new record."""
        self.record = RunRecord(title=title)
        self.selected = None
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
        if self.selected is None:
            self._display.show(preview.volume, refit=preview.iteration == 1)
        self.progress_changed.emit()

    def keep(self, preview: Preview) -> None:
        """Keep the image at the end of an iteration."""
        if preview.log_likelihood is not None:
            self.record.curve.append((preview.iteration, preview.log_likelihood))
            self.record_changed.emit()
        self._keep(f"iteration {preview.iteration}", preview.volume)

    def show_file(self, volume: Volume, name: str) -> None:
        """Show a volume read from a file; it is no result of a run."""
        self.begin(name)
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
            self.add_log("info", f"{event.kind.capitalize()}: {event.text}")
        else:
            self.add_log("warning" if isinstance(event, Warned) else "info", event.text)

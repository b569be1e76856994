"""The measurement of a normalisation: in a process of its own, drawn by a thread of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.services.commands import Commands
from app.state.services.threads import Task

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.normalisation_scan import NormalisationRequest, Wish


class NormalisingJob(QObject):
    """Runs one measurement after another.

    Signals
    -------
    event_received : what the measurement tells, see `engine.tools.normalisation_scan.measure_apart`
    failed : why there is none, one sentence
    ended : nothing is at work any more

    Attributes
    ----------
    is_busy : whether a measurement is at work
    """

    event_received = Signal(object)
    failed = Signal(str)
    ended = Signal()

    def __init__(self, commands: Commands, parent: QObject) -> None:
        super().__init__(parent)
        self._commands = commands
        self._rests = self._is_wanted = False
        self.is_busy = False

    def start(self, request: NormalisationRequest) -> None:
        """Measure; nothing must be at work."""
        self._rests, self._is_wanted = False, True
        self.is_busy = True
        self._commands.run_task(
            lambda task: self._measure(task, request),
            lambda _: None,
            failed=tr("The normalisation was not measured."),
            on_failure=self.failed.emit,
            on_end=self._ended,
        )

    def rest(self, rests: bool) -> None:
        """Rest after the step at hand, or go on."""
        self._rests = rests

    def stop(self) -> None:
        """End at once; nothing is kept."""
        self._is_wanted = False

    def _measure(self, task: Task, request: NormalisationRequest) -> None:
        from engine.tools.normalisation_scan import Wish, measure_apart

        def wish() -> Wish:
            if task.isInterruptionRequested() or not self._is_wanted:
                return Wish.END
            return Wish.REST if self._rests else Wish.GO

        for event in measure_apart(request, wish):
            self.event_received.emit(event)

    def _ended(self) -> None:
        self.is_busy = False
        self.ended.emit()

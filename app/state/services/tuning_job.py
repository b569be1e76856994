"""Search for the fastest kernel variants in a separate process, read by a thread of the window."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.services.commands import Commands
from app.state.services.threads import Task

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.tuning import SearchRequest


class TuningJob(QObject):
    """Runs one search at a time.

    Signals
    -------
    event_received : an event of `engine.tools.tuning.search_in_processes`
    failed : reason why there is no result, one sentence
    ended : the process and the thread have ended

    Attributes
    ----------
    is_busy : True while a search runs
    """

    event_received = Signal(object)
    failed = Signal(str)
    ended = Signal()

    def __init__(self, commands: Commands, parent: QObject) -> None:
        super().__init__(parent)
        self._commands, self._stop = commands, Event()
        self.is_busy = False

    def start(self, request: SearchRequest) -> None:
        """Start a search. No other one may be running.

        Parameters
        ----------
        request
            device, test data and time budget
        """
        self._stop.clear()
        self.is_busy = True
        self._commands.run_task(
            lambda task: self._search(task, request),
            lambda _: None,
            failed=tr("The kernels could not be tuned."),
            on_failure=self.failed.emit,
            on_end=self._ended,
        )

    def stop(self) -> None:
        """Stop immediately; the best variant so far stays."""
        self._stop.set()

    def _search(self, task: Task, request: SearchRequest) -> None:
        from engine.tools.tuning import search_in_processes

        should_stop = lambda: self._stop.is_set() or task.isInterruptionRequested()  # noqa: E731
        for event in search_in_processes(request, should_stop):
            self.event_received.emit(event)

    def _ended(self) -> None:
        self.is_busy = False
        self.ended.emit()

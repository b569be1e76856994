"""Search for the fastest kernel variants in a separate process, read by a thread of the window."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.language.translation import tr
from app.state.services.commands import Commands
from app.state.services.dialog_jobs.dialog_job import DialogJob
from app.state.services.threads import Task

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.tuning import SearchRequest


class TuningJob(DialogJob):
    """Runs one search at a time; its events are those of `engine.tools.tuning`."""

    def __init__(self, commands: Commands, parent: QObject) -> None:
        super().__init__(commands, parent)
        self._stop = Event()

    def start(self, request: SearchRequest) -> None:
        """Start a search. No other one may be running.

        Parameters
        ----------
        request
            device, test data and time budget
        """
        self._stop.clear()
        self._run(lambda task: self._search(task, request), tr("The kernels could not be tuned."))

    def stop(self) -> None:
        """Stop immediately; the best variant so far stays."""
        self._stop.set()

    def _search(self, task: Task, request: SearchRequest) -> None:
        from engine.tools.tuning import search_in_processes

        should_stop = lambda: self._stop.is_set() or task.isInterruptionRequested()  # noqa: E731
        for event in search_in_processes(request, should_stop):
            self.event_received.emit(event)

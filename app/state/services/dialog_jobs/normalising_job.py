"""Create a normalisation in a separate process, read by a thread of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.language.translation import tr
from app.state.services.commands import Commands
from app.state.services.dialog_jobs.dialog_job import DialogJob
from app.state.services.threads import Task

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.normalisation_scan import NormalisationRequest, StopRequest


class NormalisingJob(DialogJob):
    """Runs one measurement at a time; its events are those of `engine.tools.normalisation_scan`."""

    def __init__(self, commands: Commands, parent: QObject) -> None:
        super().__init__(commands, parent)
        self._pauses = self._is_wanted = False

    def start(self, request: NormalisationRequest) -> None:
        """Start a measurement. No other one may be running.

        Parameters
        ----------
        request
            scans, source and settings
        """
        self._pauses, self._is_wanted = False, True
        self._run(
            lambda task: self._measure(task, request),
            tr("The normalisation could not be created."),
        )

    def pause(self, pauses: bool) -> None:
        """Pause after the current step, or continue.

        Parameters
        ----------
        pauses
            True to pause
        """
        self._pauses = pauses

    def stop(self) -> None:
        """Stop without a result."""
        self._is_wanted = False

    def _measure(self, task: Task, request: NormalisationRequest) -> None:
        from engine.tools.normalisation_scan import StopRequest, measure_in_process

        # The process polls this between steps. Reading plain bools from another thread is safe in
        # Python.
        def stop_request() -> StopRequest:
            if task.isInterruptionRequested() or not self._is_wanted:
                return StopRequest.END
            return StopRequest.PAUSE if self._pauses else StopRequest.CONTINUE

        for event in measure_in_process(request, stop_request):
            self.event_received.emit(event)

"""Reconstruct a quick image of the open scan and register the μ-map, in a separate process."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.language.translation import tr
from app.state.services.context import AppContext
from app.state.services.dialog_jobs.dialog_job import DialogJob
from app.state.services.threads import Task
from engine.modalities import Study

if TYPE_CHECKING:  # the engine's process is not needed to open the window
    from engine.jobs import EngineProcess


class AlignmentJob(DialogJob):
    """Runs the registration each time it is started; its events are those of `engine.jobs.align`.

    Attributes
    ----------
    engine : class that runs a study; None for the default, `EngineProcess`
    """

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(context.commands, parent)
        self._session = context.session
        self._lock = Lock()
        self._process: EngineProcess | None = None
        self._is_wanted = False
        self.engine: type[EngineProcess] | None = None

    def start(self) -> None:
        """Start the registration of the open scan. No other one may be running."""
        study, scanner = self._session.study.to_study(), self._session.study.scanner
        if scanner is None:
            self.failed.emit(tr("The scan does not name its scanner; choose one first."))
            return
        device = self._session.device.in_use
        # Read here: models must not be used in the worker thread.
        key, threads = (device.key, device.threads) if device is not None else ("cpu", None)
        self._is_wanted = True

        def work(task: Task) -> None:
            from engine.jobs import uncorrected

            self._align(task, uncorrected(study, scanner), key, threads)

        self._run(work, tr("The μ-map could not be aligned with the scan."))

    def stop(self) -> None:
        """Stop immediately."""
        # The window may stop the job before the thread has created the process.
        with self._lock:
            self._is_wanted = False
            if self._process is not None:
                self._process.abort()

    def _align(self, task: Task, study: Study, device: str, threads: int | None) -> None:
        from engine.jobs import EngineProcess, align

        with self._lock:
            if not self._is_wanted:
                return
            kind = self.engine or EngineProcess
            self._process = kind(study, device=device, threads=threads, source=align)
        for event in self._process.events():
            # Keep reading after the abort: the process closes the event stream itself.
            if task.isInterruptionRequested():
                self._process.abort()
            self.event_received.emit(event)

    def _end(self) -> None:
        self._process = None
        super()._end()

"""Reconstruct a quick image of the open scan and register the μ-map, in a separate process."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.services.context import AppContext
from app.state.services.threads import Task
from engine.modalities import Study

if TYPE_CHECKING:  # the engine's process is not needed to open the window
    from engine.jobs import EngineProcess


class AlignmentJob(QObject):
    """Runs the registration each time it is started.

    Signals
    -------
    event_received : an event of the engine, see `engine.jobs.align`
    failed : reason why there is no result, one sentence
    ended : the process and the thread have ended

    Attributes
    ----------
    is_busy : True while the engine works
    engine : class that runs a study; None for the default, `EngineProcess`
    """

    event_received = Signal(object)
    failed = Signal(str)
    ended = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._commands = context.session, context.commands
        self._lock = Lock()
        self._process: EngineProcess | None = None
        self._is_wanted = self.is_busy = False
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
        self._is_wanted = self.is_busy = True

        def work(task: Task) -> None:
            from engine.jobs import uncorrected

            self._run(task, uncorrected(study, scanner), key, threads)

        self._commands.run_task(
            work,
            lambda _: None,
            failed=tr("The μ-map could not be aligned with the scan."),
            on_failure=self.failed.emit,
            on_end=self._ended,
        )

    def stop(self) -> None:
        """Stop immediately."""
        # The window may stop the job before the thread has created the process.
        with self._lock:
            self._is_wanted = False
            if self._process is not None:
                self._process.abort()

    def _run(self, task: Task, study: Study, device: str, threads: int | None) -> None:
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

    def _ended(self) -> None:
        self._process, self.is_busy = None, False
        self.ended.emit()

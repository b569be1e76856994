"""Base of jobs that a dialog starts, one at a time."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.state.services.commands import Commands
from app.state.services.threads import Task


class DialogJob(QObject):
    """Runs work in a thread, which can read the events of a process.

    Signals
    -------
    event_received : an event of the work
    failed : reason why there is no result, one sentence
    ended : the thread and its process have ended

    Attributes
    ----------
    is_busy : True while the thread runs
    """

    event_received = Signal(object)
    failed = Signal(str)
    ended = Signal()

    def __init__(self, commands: Commands, parent: QObject) -> None:
        super().__init__(parent)
        self._commands = commands
        self.is_busy = False

    def delete_afterwards(self, dialog: QWidget) -> None:
        """Delete a closed dialog when the thread has ended, because it sends events until then.

        Parameters
        ----------
        dialog
            dialog that receives the events
        """
        if self.is_busy:
            self.ended.connect(dialog.deleteLater)
        else:
            dialog.deleteLater()

    def _run(
        self,
        work: Callable[[Task], object],
        failed: str,
        *,
        done: Callable[..., object] = lambda _: None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> None:
        self.is_busy = True
        self._commands.run_task(
            work,
            done,
            failed=failed,
            on_progress=on_progress,
            on_failure=self.failed.emit,
            on_end=self._end,
        )

    def _end(self) -> None:
        self.is_busy = False
        self.ended.emit()

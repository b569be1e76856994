"""Worker threads of the window: start, wait, stop. Their results arrive in the window's thread."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.state.models.messages import Problem
from app.state.models.session import Session
from app.state.services.threads import Task


class Tasks(QObject):
    """Runs slow functions in threads.

    Signals
    -------
    busy_changed : description of the current work; empty if nothing runs
    stoppable_changed : True if the user can stop some of it
    """

    busy_changed = Signal(str)
    stoppable_changed = Signal(bool)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._tasks: list[Task] = []
        self._stoppable: list[Task] = []
        self._is_shut = False

    def run_task(
        self,
        work: Callable[[Task], object],
        done: Callable[..., object],
        *,
        busy: str = "",
        failed: str = "",
        stoppable: bool = False,
        on_progress: Callable[[int, int], object] | None = None,
        on_failure: Callable[[str], object] | None = None,
        on_end: Callable[[], object] | None = None,
    ) -> None:
        """Call a function in a thread, and a callback with its result in the window's thread.

        No task is returned: a slot that is connected after the start could miss the last signal.

        Parameters
        ----------
        work
            function for the thread; it receives the task, to check for interruption
        done
            called with the result of `work`
        busy
            description that is shown meanwhile; "" for none
        failed
            title of the error message if `work` raises
        stoppable
            True if `stop` should interrupt it
        on_progress
            called with the finished and the total number of steps
        on_failure
            called with the error message
        on_end
            called last, in every case
        """
        if self._is_shut:
            return
        task = Task(work, self)
        self._tasks.append(task)
        if stoppable:
            self._stoppable.append(task)
        task.done.connect(done)
        task.failed.connect(lambda text: self._session.raise_problem(Problem(failed, text)))
        if on_progress:
            task.progressed.connect(on_progress)
        if on_failure:
            task.failed.connect(on_failure)
        # One slot for both: a second one could be lost when the first deletes the task.
        task.finished.connect(lambda: self._remove_task(task, on_end))
        if busy:
            self.busy_changed.emit(busy)
        self.stoppable_changed.emit(bool(self._stoppable))
        task.start()

    @property
    def is_busy(self) -> bool:
        """True while a thread works."""
        return bool(self._tasks)

    def stop(self) -> None:
        """Ask the stoppable tasks to end."""
        for task in self._stoppable:
            task.requestInterruption()

    def wait(self) -> None:
        """Stop all threads, wait for them and start no more, before the window closes."""
        # Set first: a callback of an ending thread may try to start another one.
        self._is_shut = True
        for task in self._tasks:
            # All are asked before the first wait, so that they end in parallel.
            task.requestInterruption()
        for task in self._tasks:
            task.wait()

    def _remove_task(self, task: Task, on_end: Callable[[], object] | None) -> None:
        self._tasks.remove(task)
        if task in self._stoppable:
            self._stoppable.remove(task)
        task.deleteLater()
        self.stoppable_changed.emit(bool(self._stoppable))
        if on_end is not None:
            on_end()
        # `on_end` may have started the next task, so this comes last.
        if not self._tasks:
            self.busy_changed.emit("")

"""The window's threads at work: started, waited for, stopped; what they tell arrives here."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.state.models.messages import Problem
from app.state.models.session import Session
from app.state.services.threads import Task


class Tasks(QObject):
    """Calls slow things in threads of their own.

    Signals
    -------
    busy_changed : what is going on, empty when all is quiet
    stoppable_changed : whether the user can stop something of it
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
        """Call `work` in a thread, then `done` with its result here.

        `busy` says meanwhile what is going on; `failed` is the title if it raises. `on_progress`,
        `on_failure` and `on_end`, which comes last and always, are called here too. No task is
        returned: whoever connects to a thread that runs already may come after its last signal.
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
        # one slot for both: a second one could be lost when the first lets the task go
        task.finished.connect(lambda: self._forget(task, on_end))
        if busy:
            self.busy_changed.emit(busy)
        self.stoppable_changed.emit(bool(self._stoppable))
        task.start()

    @property
    def is_busy(self) -> bool:
        """Whether a thread is at work."""
        return bool(self._tasks)

    def stop(self) -> None:
        """Ask what can be stopped to end."""
        for task in self._stoppable:
            task.requestInterruption()

    def wait(self) -> None:
        """Ask all threads to end, wait for them and start no more; before the window closes."""
        self._is_shut = True
        for task in self._tasks:
            task.requestInterruption()
        for task in self._tasks:
            task.wait()

    def _forget(self, task: Task, on_end: Callable[[], object] | None) -> None:
        self._tasks.remove(task)
        if task in self._stoppable:
            self._stoppable.remove(task)
        task.deleteLater()
        self.stoppable_changed.emit(bool(self._stoppable))
        if on_end is not None:
            on_end()
        if not self._tasks:
            self.busy_changed.emit("")

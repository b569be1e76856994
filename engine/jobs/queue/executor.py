"""Start work on a study: here in an engine process that a thread watches.

Other executors start the same work elsewhere. They receive an entry with the study as text and
paths, never an array.
"""

from __future__ import annotations

from threading import Thread
from typing import Protocol

from engine.data.runs.events import Event, Preview, Progressed, StageStarted
from engine.jobs.process.messages import Source
from engine.jobs.queue.attempt import Attempt, OnEvent
from engine.jobs.queue.ending import Ending
from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.store import StudyQueue


class Work(Protocol):
    """A study in progress."""

    @property
    def standing(self) -> tuple[str, float]:
        """Current step, and the finished share of it."""

    @property
    def ending(self) -> Ending | None:
        """How it ended, None while it continues."""

    def stop(self) -> None:
        """Request a stop as soon as possible, with a checkpoint; do not wait."""


class Executor(Protocol):
    """Starts work on studies."""

    def start(self, entry: QueueEntry) -> Work:
        """Start a study that this process has claimed; does not wait.

        Parameters
        ----------
        entry
            claimed entry

        Returns
        -------
        work
            handle for its status and its end
        """

    def n_free(self) -> int | None:
        """Return the number of studies that can run at a time; None if memory is the limit."""

    def close(self) -> None:
        """Release all connections."""


class LocalExecutor:
    """Engine processes on this machine.

    Parameters
    ----------
    queue
        queue with the studies
    on_event
        called with every event of every run, in a thread of that run
    source
        function that runs a study; None for a reconstruction
    """

    def __init__(
        self, queue: StudyQueue, on_event: OnEvent | None = None, source: Source | None = None
    ) -> None:
        self._queue, self._on_event, self._source = queue, on_event, source

    def start(self, entry: QueueEntry) -> Work:
        """Start a study that this process has claimed; does not wait."""
        work = _LocalWork(Attempt(self._queue, entry, self._source), self._on_event)
        work.start()
        return work

    def n_free(self) -> int | None:
        """Return None: the memory of this machine is the limit."""
        return None

    def close(self) -> None:
        """Do nothing: no connection is open."""


class _LocalWork(Thread):
    def __init__(self, attempt: Attempt, on_event: OnEvent | None) -> None:
        # A daemon: the runner itself waits for its studies before it ends
        super().__init__(name="queued study", daemon=True)
        self._attempt, self._on_event = attempt, on_event
        self._ending: Ending | None = None
        self._standing = ("Starting the engine", 0.0)

    @property
    def standing(self) -> tuple[str, float]:
        return self._standing

    @property
    def ending(self) -> Ending | None:
        # A thread ends after its last file is written; before that the entry is still in use
        return self._ending if not self.is_alive() else None

    def run(self) -> None:
        try:
            self._ending = self._attempt.run(self._take)
        except Exception as e:  # noqa: BLE001  the last handler: the next study must start
            self._ending = Ending(
                "failed",
                f"Internal error: {type(e).__name__}: {e}. Please send the support bundle.",
            )

    def stop(self) -> None:
        self._attempt.stop()

    def _take(self, event: Event) -> None:
        self._standing = state_after(event, *self._standing)
        if self._on_event is not None:
            self._on_event(event)


def state_after(event: Event, doing: str, done: float) -> tuple[str, float]:
    """Return the state of a run after an event.

    Parameters
    ----------
    event
        event of the run
    doing
        current step before the event
    done
        finished share of that step

    Returns
    -------
    standing
        current step and its finished share, 0 to 1
    """
    match event:
        case StageStarted():
            return event.text, 0.0
        case Progressed() if event.total:
            return doing, min(1.0, event.done / event.total)
        case Preview():
            return doing, event.update / (event.iterations * event.subsets)
    return doing, done

"""What works on a study: here an engine process, watched by a thread.

Another executor starts the same work elsewhere. What it is given is the entry: a study as text, and
paths; never an array.
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
    """A study that is worked on."""

    @property
    def standing(self) -> tuple[str, float]:
        """What it does now, and the share of that which is done."""

    @property
    def ending(self) -> Ending | None:
        """How it ended, None while it goes on."""

    def stop(self) -> None:
        """Ask it to end as soon as possible, with a checkpoint; does not wait."""


class Executor(Protocol):
    """Starts work on studies."""

    def start(self, entry: QueueEntry) -> Work:
        """Begin with a study that this process has claimed; does not wait."""

    def n_free(self) -> int | None:
        """Return how many studies may begin now, None where this machine's memory says."""

    def close(self) -> None:
        """Let go of what it holds."""


class LocalExecutor:
    """Engine processes of this machine.

    Parameters
    ----------
    queue
        to which the studies belong
    on_event
        called with every event of every run, in a thread of that run
    source
        what runs a study; a reconstruction if None
    """

    def __init__(
        self, queue: StudyQueue, on_event: OnEvent | None = None, source: Source | None = None
    ) -> None:
        self._queue, self._on_event, self._source = queue, on_event, source

    def start(self, entry: QueueEntry) -> Work:
        """Begin with a study that this process has claimed; does not wait."""
        work = _LocalWork(Attempt(self._queue, entry, self._source), self._on_event)
        work.start()
        return work

    def n_free(self) -> int | None:
        """Return None: this machine's memory says."""
        return None

    def close(self) -> None:
        """Nothing is held."""


class _LocalWork(Thread):
    def __init__(self, attempt: Attempt, on_event: OnEvent | None) -> None:
        super().__init__(name="queued study", daemon=True)
        self._attempt, self._on_event = attempt, on_event
        self._ending: Ending | None = None
        self._standing = ("Starting the engine", 0.0)

    @property
    def standing(self) -> tuple[str, float]:
        return self._standing

    @property
    def ending(self) -> Ending | None:
        return self._ending if not self.is_alive() else None

    def run(self) -> None:
        try:
            self._ending = self._attempt.run(self._take)
        except Exception as e:  # noqa: BLE001  the thread's last door: the next study must begin
            self._ending = Ending("failed", f"A fault of ours: {type(e).__name__}: {e}.")

    def stop(self) -> None:
        self._attempt.stop()

    def _take(self, event: Event) -> None:
        self._standing = standing_after(event, *self._standing)
        if self._on_event is not None:
            self._on_event(event)


def standing_after(event: Event, doing: str, done: float) -> tuple[str, float]:
    """Return what a run does after an event, and the share of that which is done."""
    match event:
        case StageStarted():
            return event.text, 0.0
        case Progressed() if event.total:
            return doing, min(1.0, event.done / event.total)
        case Preview():
            return doing, event.update / (event.iterations * event.subsets)
    return doing, done

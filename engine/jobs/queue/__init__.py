"""Studies that wait for their turn: the queue on disk, and who works through it."""

from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.store import StudyQueue

__all__ = ["QueueEntry", "StudyQueue"]

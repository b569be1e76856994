"""The queue of waiting studies on disk, and the process that works through it."""

from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.store import StudyQueue

__all__ = ["QueueEntry", "StudyQueue"]

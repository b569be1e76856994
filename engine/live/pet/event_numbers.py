"""Numbers of events in a stream: missing and repeated events, and the start of another scan."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from engine.live.core.frame import Noticed, Resumed
from engine.live.pet.event_batch import EventArrival, EventBatch

LATE = 64
"""Number of the newest messages that are remembered. The program refuses their repetitions."""


class EventNumbers:
    """Follows the numbers of the events of one stream.

    Parameters
    ----------
    name : address of the source

    Attributes
    ----------
    n_repeated : number of events that were refused because their numbers were repeated
    """

    def __init__(self, name: str) -> None:
        self._name, self.n_repeated = name, 0
        self._next: int | None = None
        # First numbers of the newest messages: events before them belong to another scan
        self._recent: deque[int] = deque(maxlen=LATE)
        self._has_reconnected = False

    @property
    def summary(self) -> str:
        """Sentence about repeated events; empty without any."""
        n = self.n_repeated
        return f"{n:,} events with repeated numbers were refused." if n else ""

    def restart(self) -> None:
        """Treat the next events as the first ones of another scan."""
        self._next = None
        self._recent.clear()

    def reconnected(self) -> None:
        """Note another connection: an earlier number then starts another scan."""
        self._has_reconnected = True

    def followed(self, batch: EventBatch) -> Iterator[EventArrival]:
        """Yield a batch with the number of missing events before it, and messages about it.

        Parameters
        ----------
        batch
            next batch of the stream
        """
        expected, has_reconnected = self._next, self._has_reconnected
        self._has_reconnected = False
        if expected is not None and batch.first < expected:
            is_recent = bool(self._recent) and batch.first >= self._recent[0]
            if is_recent and batch.first > 0 and not has_reconnected:
                yield from self._refused(batch)
                return
            # Numbers of a scan only increase: the sender has started again
            yield Resumed(
                f"{self._name}: the scan starts again, from event {batch.first:,}.",
                is_new_scan=True,
            )
            self._recent.clear()
            expected = batch.first
        self._next = batch.first + batch.events.n_events
        self._recent.append(batch.first)
        # Before the first batch everything since the start of the scan is lost
        yield replace(batch, lost=batch.first - (expected or 0))

    def _refused(self, batch: EventBatch) -> Iterator[Noticed]:
        is_first = not self.n_repeated
        self.n_repeated += batch.events.n_events
        if is_first:
            yield Noticed(
                f"{self._name}: events from number {batch.first:,} on were received before and are "
                "refused. Further ones are counted."
            )

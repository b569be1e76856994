"""Queue between a source of events that never waits and a consumer that may be slow.

Events that the consumer does not process in time are dropped, the oldest first, because a live
image needs the newest. The next batch counts them in `lost`. Memory is bounded and no source waits,
except one that can: a stored scan that is played as fast as its events are processed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from threading import Event

from engine.live.core.arrival_queue import ArrivalQueue
from engine.live.core.frame import SourceEvent
from engine.live.pet.event_batch import EventArrival, EventBatch, EventSource

MAX_BYTES = 64 * 2**20
"""Memory for events in the queue: about 20 s at 2e5 events per second."""
MAX_EVENTS = 1000
"""Maximum number of queued events of the source, such as warnings."""


class EventArrivals(ArrivalQueue[EventArrival]):
    """Batches and events of a source, in order, for one consumer.

    Parameters
    ----------
    source : source, read in a thread that starts at once
    max_bytes : memory limit of queued batches [bytes]
    """

    def __init__(self, source: EventSource, *, max_bytes: int = MAX_BYTES) -> None:
        self.source = source
        self._waiting: deque[EventArrival] = deque()
        self._max_bytes, self._bytes, self._lost, self._n_notes = max_bytes, 0, 0, 0
        super().__init__(source, "events")

    @property
    def waiting_s(self) -> float:
        """Time of the scan in the queue [s]."""
        with self._changed:
            batches = [each for each in self._waiting if isinstance(each, EventBatch)]
            return batches[-1].span_s[1] - batches[0].span_s[0] if batches else 0.0

    def _items(self, stop: Event) -> Iterator[EventArrival]:
        return self.source.batches(stop)

    def _has_items(self) -> bool:
        return bool(self._waiting)

    def _pop(self) -> EventArrival | None:
        if not self._waiting:
            return None
        arrival = self._waiting.popleft()
        if not isinstance(arrival, EventBatch):
            self._n_notes -= 1
            return arrival
        self._bytes -= arrival.n_bytes
        lost, self._lost = self._lost, 0
        return replace(arrival, lost=arrival.lost + lost) if lost else arrival

    def _push(self, arrival: EventArrival) -> None:
        if isinstance(arrival, EventBatch):
            if self.source.can_wait:
                self._changed.wait_for(lambda: self._stop.is_set() or self._fits(arrival))
            self.arrived += arrival.events.n_events
            self._bytes += arrival.n_bytes
        else:
            self._n_notes += 1
        self._waiting.append(arrival)
        # After appending: a single batch above the limit is still delivered
        self._free_memory()

    def _fits(self, batch: EventBatch) -> bool:
        return not self._bytes or self._bytes + batch.n_bytes <= self._max_bytes

    def _free_memory(self) -> None:
        while self._bytes > self._max_bytes and self._drop(EventBatch):
            pass
        while self._n_notes > MAX_EVENTS and self._drop(SourceEvent):
            pass

    def _drop(self, kind: type[EventBatch] | type[SourceEvent]) -> bool:
        """Drop the oldest one of a kind, except the last; return True if there was one."""
        for k, each in enumerate(self._waiting):
            if isinstance(each, kind) and k < len(self._waiting) - 1:
                del self._waiting[k]
                if isinstance(each, EventBatch):
                    n = each.events.n_events
                    self._bytes -= each.n_bytes
                    self.dropped += n
                    # The gap before a dropped batch is part of the gap before the next one
                    self._lost += n + each.lost
                else:
                    self._n_notes -= 1
                return True
        return False

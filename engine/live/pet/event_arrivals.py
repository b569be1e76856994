"""Queue between a source of events that never waits and a consumer that may be slow.

Events that the consumer does not process in time are dropped, the oldest first, because a live
image needs the newest. The next batch counts them in `lost`. Memory is bounded and no source waits,
except one that can: a stored scan that is played as fast as its events are processed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from threading import Condition, Event, Thread

from engine.live.core.frame import Ended, SourceEvent
from engine.live.pet.event_batch import EventArrival, EventBatch, EventSource

MOST_BYTES = 64 * 2**20
"""Memory for events in the queue: about 20 s at 2e5 events per second."""
MOST_EVENTS = 1000
"""Most events of the source in the queue."""


class EventArrivals:
    """Batches and events of a source, in order, for one consumer.

    Parameters
    ----------
    source : source, read in a thread that starts at once
    most_bytes : most memory of queued batches [bytes]

    Attributes
    ----------
    arrived : number of events from the source
    dropped : number of events that were not taken in time
    """

    def __init__(self, source: EventSource, *, most_bytes: int = MOST_BYTES) -> None:
        self.source = source
        self.arrived = self.dropped = 0
        self._waiting: deque[EventArrival] = deque()
        self._most_bytes, self._bytes, self._lost, self._n_said = most_bytes, 0, 0, 0
        self._end: Ended | None = None
        self._fault: BaseException | None = None
        self._changed, self._stop = Condition(), Event()
        self._thread = Thread(target=self._read, name=f"events of {source.name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> EventArrivals:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[EventArrival]:
        """Yield batches and events until the source has ended, `Ended` last."""
        while True:
            arrival = self.take()
            if arrival is not None:
                yield arrival
            if isinstance(arrival, Ended):
                return

    def take(self, timeout_s: float | None = None) -> EventArrival | None:
        """Return the oldest batch or event in the queue.

        Parameters
        ----------
        timeout_s
            longest wait [s]; None waits until something arrives

        Returns
        -------
        arrival
            None if nothing arrived in time; `Ended` at every call after the end

        Raises
        ------
        Exception
            the error of the source, after all batches and events before it
        """
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting or self._end), timeout_s)
            if self._waiting:
                return self._oldest()
            if self._fault is not None:
                raise self._fault
            return self._end

    @property
    def waiting_s(self) -> float:
        """Time of the scan in the queue [s]."""
        with self._changed:
            batches = [each for each in self._waiting if isinstance(each, EventBatch)]
            return batches[-1].span_s[1] - batches[0].span_s[0] if batches else 0.0

    @property
    def has_failed(self) -> bool:
        """True if the source has ended with an error."""
        return self._fault is not None

    def close(self) -> None:
        """Stop reading and close the source."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
        # A source returns within a fraction of a second; one that hangs must not block the end
        self._thread.join(timeout=10)
        self.source.close()

    def _oldest(self) -> EventArrival:
        arrival = self._waiting.popleft()
        self._changed.notify_all()
        if not isinstance(arrival, EventBatch):
            self._n_said -= 1
            return arrival
        self._bytes -= arrival.n_bytes
        lost, self._lost = self._lost, 0
        return replace(arrival, lost=arrival.lost + lost) if lost else arrival

    def _read(self) -> None:
        fault: BaseException | None = None
        end = Ended(f"{self.source.name}: ended.")
        try:
            for arrival in self.source.batches(self._stop):
                if isinstance(arrival, Ended):
                    end = arrival
                    break
                self._put(arrival)
        # A source that fails has ended, so `_end` is set in any case
        except BaseException as e:  # noqa: BLE001  handed to the consumer, who raises it
            fault = e
        with self._changed:
            self._fault, self._end = fault, end
            self._changed.notify_all()

    def _put(self, arrival: EventArrival) -> None:
        with self._changed:
            if isinstance(arrival, EventBatch):
                if self.source.can_wait:
                    self._changed.wait_for(lambda: self._stop.is_set() or self._fits(arrival))
                self.arrived += arrival.events.n_events
                self._bytes += arrival.n_bytes
            else:
                self._n_said += 1
            self._waiting.append(arrival)
            # After appending: a single batch above the limit is still delivered
            self._free_memory()
            self._changed.notify_all()

    def _fits(self, batch: EventBatch) -> bool:
        return not self._bytes or self._bytes + batch.n_bytes <= self._most_bytes

    def _free_memory(self) -> None:
        while self._bytes > self._most_bytes and self._drop(EventBatch):
            pass
        while self._n_said > MOST_EVENTS and self._drop(SourceEvent):
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
                    self._n_said -= 1
                return True
        return False

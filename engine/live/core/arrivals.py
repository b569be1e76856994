"""Queue between a source that never waits and a consumer that may be slow.

Projections that were not taken in time are dropped, the oldest first, because a live image needs
the newest. The next frame counts them in `lost`. Darks and flats stay; if they exceed the memory
too, the oldest are dropped and an event reports it. Memory is bounded and no source waits, except
one that can: a stored scan that is played as fast as its frames are processed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from threading import Condition, Event, Thread

from engine.live.core.frame import Arrival, Ended, Frame, FrameKind, Noticed, SourceEvent
from engine.live.core.source import FrameSource

MOST_BYTES = 512 * 2**20
MOST_PROJECTIONS = 256
MOST_EVENTS = 1000


class Arrivals:
    """Frames and events of a source, in order, for one consumer.

    Parameters
    ----------
    source : source, read in a thread that starts at once
    most_projections : most projections in the queue
    most_bytes : most memory of queued projections, and the same again for darks and flats [bytes]

    Attributes
    ----------
    arrived : number of frames from the source
    dropped : number of projections that were not taken in time
    """

    def __init__(
        self,
        source: FrameSource,
        *,
        most_projections: int = MOST_PROJECTIONS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.source = source
        self.arrived = self.dropped = 0
        # Two queues: projections are dropped freely, darks and flats as the last resort
        self._projections = _Waiting(most_projections, most_bytes)
        self._references = _Waiting(None, most_bytes)
        # Bounded too: a source that fails again and again must not fill the memory
        self._events: deque[tuple[int, SourceEvent]] = deque(maxlen=MOST_EVENTS)
        self._lost = self._number = self._references_dropped = 0
        self._end: Ended | None = None
        self._fault: BaseException | None = None
        self._changed = Condition()
        self._stop = Event()
        # A daemon, so that a source that hangs cannot keep the program alive
        self._thread = Thread(target=self._read, name=f"frames of {source.name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Arrivals:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Arrival]:
        """Yield frames and events until the source has ended, `Ended` last."""
        while True:
            arrival = self.take()
            if arrival is not None:
                yield arrival
            if isinstance(arrival, Ended):
                return

    def take(self, timeout_s: float | None = None) -> Arrival | None:
        """Return the oldest frame or event in the queue.

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
            the error of the source, after all frames and events before it
        """
        with self._changed:
            self._changed.wait_for(self._has_something, timeout_s)
            arrival = self._oldest()
            if arrival is not None:
                # The source may wait for space
                self._changed.notify_all()
                return arrival
            if self._fault is not None:
                raise self._fault
            return self._end

    @property
    def waiting(self) -> int:
        """Number of frames in the queue."""
        with self._changed:
            return len(self._projections.frames) + len(self._references.frames)

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

    def _read(self) -> None:
        try:
            for arrival in self.source.frames(self._stop):
                self._put(arrival)
                if isinstance(arrival, Ended):
                    break
        except BaseException as e:  # noqa: BLE001  handed to the consumer, who raises it
            self._finish(e)
        else:
            self._finish(None)

    def _finish(self, fault: BaseException | None) -> None:
        with self._changed:
            self._fault = fault
            # A source that stops without `Ended` has ended all the same
            self._end = self._end or Ended(f"{self.source.name}: ended.")
            self._changed.notify_all()

    def _put(self, arrival: Arrival) -> None:
        with self._changed:
            if self.source.can_wait and isinstance(arrival, Frame):
                # Events need no space, so they never wait
                self._changed.wait_for(lambda: self._stop.is_set() or self._fits(arrival))
            self._number += 1
            if isinstance(arrival, Frame):
                self._put_frame(arrival)
            elif isinstance(arrival, Ended):
                self._end = arrival
            else:
                self._events.append((self._number, arrival))
            self._changed.notify_all()

    def _put_frame(self, frame: Frame) -> None:
        self.arrived += 1
        if frame.kind == FrameKind.PROJECTION:
            # Projections carry the count of lost ones, so no event is needed for each
            for gone in self._projections.add(self._number, frame):
                self.dropped += 1
                # The gap before a dropped frame is part of the gap before the next one
                self._lost += 1 + gone.lost
        else:
            self._references_dropped += len(self._references.add(self._number, frame))

    def _fits(self, frame: Frame) -> bool:
        waiting = self._of_kind(frame)
        return not waiting.frames or waiting.takes(frame)

    def _of_kind(self, frame: Frame) -> _Waiting:
        return self._projections if frame.kind == FrameKind.PROJECTION else self._references

    def _has_something(self) -> bool:
        return bool(
            self._events
            or self._projections.frames
            or self._references.frames
            or self._end is not None
        )

    def _oldest(self) -> Arrival | None:
        # First, since later projections are divided by other references than expected
        if self._references_dropped:
            n, self._references_dropped = self._references_dropped, 0
            images = "1 dark or flat" if n == 1 else f"{n} darks or flats"
            return Noticed(
                f"{self.source.name}: {images} could not be processed in time and were not used."
            )
        # Numbers restore the order of arrival over the three queues
        heads = [
            (waiting[0][0], waiting)
            for waiting in (self._events, self._references.frames, self._projections.frames)
            if waiting
        ]
        if not heads:
            return None
        first = min(heads, key=lambda head: head[0])[1]
        if first is self._events:
            return self._events.popleft()[1]
        if first is self._references.frames:
            return self._references.pop()
        # The count belongs to the frame after the gap, and starts again
        frame, lost = self._projections.pop(), self._lost
        self._lost = 0
        return replace(frame, lost=frame.lost + lost) if lost else frame


class _Waiting:
    """Queued frames, limited by number and bytes, but always at least one."""

    def __init__(self, most: int | None, most_bytes: int) -> None:
        self.frames: deque[tuple[int, Frame]] = deque()
        self._most, self._most_bytes = most, most_bytes
        self._bytes = 0

    def add(self, number: int, frame: Frame) -> list[Frame]:
        """Append a frame; return the frames that were dropped for it."""
        self.frames.append((number, frame))
        self._bytes += int(frame.values.nbytes)
        gone = []
        # A single frame may be larger than the limit: without it there would never be an image
        while len(self.frames) > 1 and self._is_full():
            gone.append(self.pop())
        return gone

    def takes(self, frame: Frame) -> bool:
        """Return True if a frame fits into the queue."""
        return not self._exceeds(len(self.frames) + 1, self._bytes + int(frame.values.nbytes))

    def pop(self) -> Frame:
        """Remove and return the oldest frame."""
        frame = self.frames.popleft()[1]
        self._bytes -= int(frame.values.nbytes)
        return frame

    def _is_full(self) -> bool:
        return self._exceeds(len(self.frames), self._bytes)

    def _exceeds(self, n: int, n_bytes: int) -> bool:
        return n_bytes > self._most_bytes or (self._most is not None and n > self._most)

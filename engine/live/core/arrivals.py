"""Queue between a source that never waits and a consumer that may be slow.

Projections that are not processed in time are dropped, the oldest first, because a live image needs
the newest. The next frame counts them in `lost`. Darks and flats stay; if they exceed the memory
too, the oldest are dropped and an event reports it. Memory is bounded and no source waits, except
one that can: a stored scan that is played as fast as its frames are processed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from threading import Event

from engine.live.core.arrival_queue import ArrivalQueue
from engine.live.core.frame import Arrival, Frame, FrameKind, Noticed, SourceEvent
from engine.live.core.source import FrameSource

MAX_BYTES = 512 * 2**20
MAX_PROJECTIONS = 256
MAX_EVENTS = 1000


class Arrivals(ArrivalQueue[Arrival]):
    """Frames and events of a source, in order, for one consumer.

    Parameters
    ----------
    source : source, read in a thread that starts at once
    max_projections : maximum number of queued projections
    max_bytes : memory limit of queued projections, and the same again for darks and flats [bytes]
    """

    def __init__(
        self,
        source: FrameSource,
        *,
        max_projections: int = MAX_PROJECTIONS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.source = source
        # Two queues: projections are dropped freely, darks and flats as the last resort
        self._projections = _Waiting(max_projections, max_bytes)
        self._references = _Waiting(None, max_bytes)
        # Bounded too: a source that fails again and again must not fill the memory
        self._events: deque[tuple[int, SourceEvent]] = deque(maxlen=MAX_EVENTS)
        self._lost = self._number = self._references_dropped = 0
        super().__init__(source, "frames")

    @property
    def waiting(self) -> int:
        """Number of frames in the queue."""
        with self._changed:
            return len(self._projections.frames) + len(self._references.frames)

    def _items(self, stop: Event) -> Iterator[Arrival]:
        return self.source.frames(stop)

    def _push(self, arrival: Arrival) -> None:
        if self.source.can_wait and isinstance(arrival, Frame):
            # Events need no space, so they never wait
            self._changed.wait_for(lambda: self._stop.is_set() or self._fits(arrival))
        self._number += 1
        if isinstance(arrival, Frame):
            self._put_frame(arrival)
        else:
            self._events.append((self._number, arrival))

    def _put_frame(self, frame: Frame) -> None:
        self.arrived += 1
        if frame.kind == FrameKind.PROJECTION:
            # Projections carry the count of lost ones, so no event is needed for each
            for removed in self._projections.add(self._number, frame):
                self.dropped += 1
                # The gap before a dropped frame is part of the gap before the next one
                self._lost += 1 + removed.lost
        else:
            self._references_dropped += len(self._references.add(self._number, frame))

    def _fits(self, frame: Frame) -> bool:
        waiting = self._of_kind(frame)
        return not waiting.frames or waiting.takes(frame)

    def _of_kind(self, frame: Frame) -> _Waiting:
        return self._projections if frame.kind == FrameKind.PROJECTION else self._references

    def _has_items(self) -> bool:
        return bool(self._events or self._projections.frames or self._references.frames)

    def _pop(self) -> Arrival | None:
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

    def __init__(self, max_waiting: int | None, max_bytes: int) -> None:
        self.frames: deque[tuple[int, Frame]] = deque()
        self._max_waiting, self._max_bytes = max_waiting, max_bytes
        self._bytes = 0

    def add(self, number: int, frame: Frame) -> list[Frame]:
        """Append a frame; return the frames that were dropped for it."""
        self.frames.append((number, frame))
        self._bytes += int(frame.values.nbytes)
        removed = []
        # A single frame may be larger than the limit: without it there would never be an image
        while len(self.frames) > 1 and self._is_full():
            removed.append(self.pop())
        return removed

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
        return n_bytes > self._max_bytes or (
            self._max_waiting is not None and n > self._max_waiting
        )

"""Hand-over between a source that never waits and a consumer that may be slow.

Projections that were not taken in time are dropped, the oldest first, and counted in `lost` of
the next one: a live image wants the newest. Darks and flats stay; where even they are more than
memory should hold, the oldest go and an event says so. So memory is bounded and no source waits,
but for one that can: a stored scan, played as fast as its frames are taken.
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
    source : read in a thread that starts at once
    most_projections : that wait to be taken
    most_bytes : of projections that wait, and the same again of darks and flats [bytes]

    Attributes
    ----------
    arrived : frames that came from the source
    dropped : projections that were not taken in time
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
        self._projections = _Waiting(most_projections, most_bytes)
        self._references = _Waiting(None, most_bytes)
        self._events: deque[tuple[int, SourceEvent]] = deque(maxlen=MOST_EVENTS)
        self._lost = self._number = self._references_dropped = 0
        self._end: Ended | None = None
        self._fault: BaseException | None = None
        self._changed = Condition()
        self._stop = Event()
        self._thread = Thread(target=self._read, name=f"frames of {source.name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Arrivals:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Arrival]:
        """Yield what comes until the source has ended, its `Ended` last."""
        while True:
            arrival = self.take()
            if arrival is not None:
                yield arrival
            if isinstance(arrival, Ended):
                return

    def take(self, timeout_s: float | None = None) -> Arrival | None:
        """Return the oldest that waits, or None if nothing comes in time.

        After the end it is `Ended` again and again. A fault of the source is raised here, after
        all that came before it.
        """
        with self._changed:
            self._changed.wait_for(self._has_something, timeout_s)
            arrival = self._oldest()
            if arrival is not None:
                self._changed.notify_all()
                return arrival
            if self._fault is not None:
                raise self._fault
            return self._end

    @property
    def waiting(self) -> int:
        """Number of frames that wait to be taken."""
        with self._changed:
            return len(self._projections.frames) + len(self._references.frames)

    def close(self) -> None:
        """Stop reading and let go of the source."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
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
            self._end = self._end or Ended(f"{self.source.name}: ended.")
            self._changed.notify_all()

    def _put(self, arrival: Arrival) -> None:
        with self._changed:
            if self.source.can_wait and isinstance(arrival, Frame):
                self._changed.wait_for(lambda: self._stop.is_set() or self._has_room(arrival))
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
            for gone in self._projections.add(self._number, frame):
                self.dropped += 1
                self._lost += 1 + gone.lost
        else:
            self._references_dropped += len(self._references.add(self._number, frame))

    def _has_room(self, frame: Frame) -> bool:
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
        if self._references_dropped:
            text = f"{self.source.name}: {self._references_dropped} darks or flats "
            self._references_dropped = 0
            return Noticed(f"{text}were not taken in time and are not used.")
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
        frame, lost = self._projections.pop(), self._lost
        self._lost = 0
        return replace(frame, lost=frame.lost + lost) if lost else frame


class _Waiting:
    """Frames that wait, no more than so many and so many bytes, but always one."""

    def __init__(self, most: int | None, most_bytes: int) -> None:
        self.frames: deque[tuple[int, Frame]] = deque()
        self._most, self._most_bytes = most, most_bytes
        self._bytes = 0

    def add(self, number: int, frame: Frame) -> list[Frame]:
        """Append a frame; returns those that had to go for it."""
        self.frames.append((number, frame))
        self._bytes += int(frame.values.nbytes)
        gone = []
        while len(self.frames) > 1 and self._is_full():
            gone.append(self.pop())
        return gone

    def takes(self, frame: Frame) -> bool:
        """Whether a frame fits beside those that wait."""
        return not self._exceeds(len(self.frames) + 1, self._bytes + int(frame.values.nbytes))

    def pop(self) -> Frame:
        """Take the oldest."""
        frame = self.frames.popleft()[1]
        self._bytes -= int(frame.values.nbytes)
        return frame

    def _is_full(self) -> bool:
        return self._exceeds(len(self.frames), self._bytes)

    def _exceeds(self, n: int, n_bytes: int) -> bool:
        return n_bytes > self._most_bytes or (self._most is not None and n > self._most)

"""Numbers of frames in a stream: missing frames, and the start of another scan."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.live.core.frame import Arrival, Frame, FrameKind, Noticed, Resumed
from engine.live.ct.frame_checks import Screening

LATE = 64
"""A number below the last one by less than this is late; otherwise another scan starts."""


class Sequence:
    """Follows the frames of one stream, and checks them.

    Attributes
    ----------
    n_projections : number of received projections
    n_repeated : number of projections that were refused because their number was repeated
    """

    def __init__(self, name: str) -> None:
        self.n_projections = self.n_repeated = 0
        self._name = name
        self._screening = Screening(name)
        self._last: int | None = None
        # Older numbers start another scan, so they need not be remembered
        self._seen: deque[int] = deque(maxlen=2 * LATE)
        self._has_reconnected = False
        self._scan = 0

    @property
    def summary(self) -> str:
        """Sentence about repeated projections; empty without any."""
        n = self.n_repeated
        if not n:
            return ""
        if n == 1:
            return "1 projection with a repeated number was refused."
        return f"{n:,} projections with a repeated number were refused."

    def restart(self) -> None:
        """Treat the next frame as the first one of another scan."""
        self._screening.restart()
        self._last = None
        self._seen.clear()
        self._scan += 1

    def reconnected(self) -> None:
        """Note another connection: an earlier number then starts another scan."""
        self._seen.clear()
        self._has_reconnected = True

    @property
    def scan(self) -> int:
        """Number of the current scan."""
        return self._scan

    def followed(self, frame: Frame) -> Iterable[Arrival]:
        """Return a frame with the number of missing ones before it, and messages about it.

        Parameters
        ----------
        frame
            next frame of the stream
        """
        is_next = self._last is not None and frame.index == self._last + 1
        if (
            is_next
            and frame.kind == FrameKind.PROJECTION
            and not self._has_reconnected
            and self._screening.passes(frame)
        ):
            # Nothing to report about nearly all frames, and a generator for each would cost time
            self.n_projections += 1
            self._last = frame.index
            self._seen.append(frame.index)
            return (frame.of_scan(self._scan),)
        return self._followed(frame)

    def _followed(self, frame: Frame) -> Iterator[Arrival]:
        if frame.kind == FrameKind.PROJECTION:
            last = self._last
            if self._is_repeated(frame.index, last):
                self.n_repeated += 1
                if self.n_repeated == 1:
                    yield Noticed(
                        f"{self._name}: projection {frame.index} was received before and is "
                        "refused. Further ones are counted."
                    )
                return
            self.n_projections += 1
            is_earlier = self._has_reconnected and last is not None and frame.index <= last
            self._has_reconnected = False
            if last is not None and (is_earlier or _starts_new_scan(frame.index, last)):
                # Before the frame, so that consumers discard the old views first
                yield Resumed(
                    f"{self._name}: the scan starts again because projection {frame.index} "
                    f"follows projection {last}.",
                    is_new_scan=True,
                )
                self.restart()
                self._last = frame.index
            elif last is not None and frame.index > last + 1:
                frame = replace(frame, lost=frame.index - last - 1)
            # A late frame must not move the count back, or the next one would seem to follow a gap
            self._last = frame.index if last is None else max(frame.index, self._last or 0)
            # Numbers of another sender can continue those of the first one
            frame = frame.of_scan(self._scan)
        for each in self._screening.screened(frame):
            # A frame that was not usable may be sent again
            if isinstance(each, Frame) and each.kind == FrameKind.PROJECTION:
                self._seen.append(each.index)
            yield each

    def _is_repeated(self, index: int, last: int | None) -> bool:
        # A number above all others is new, and the search would take longer than the other checks
        if last is None or index > last or index not in self._seen:
            return False
        return not _starts_new_scan(index, last)


def _starts_new_scan(index: int, last: int) -> bool:
    return index < last and (index == 0 or last - index >= LATE)

"""Numbers of frames as a stream counts them: what is missing, and when a scan begins anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.live.core.frame import Arrival, Frame, FrameKind, Resumed
from engine.live.ct.frame_checks import Screening

LATE = 64
"""A number that is smaller than the last one by less than this is late; else a scan begins anew."""


class Sequence:
    """Follows the frames of one stream, and screens them.

    Attributes
    ----------
    n_projections : that came
    """

    def __init__(self, name: str) -> None:
        self.n_projections = 0
        self._name = name
        self._screening = Screening(name)
        self._last: int | None = None

    def begin_anew(self) -> None:
        """Take the next frame for the first of another scan."""
        self._screening.begin_anew()
        self._last = None

    def followed(self, frame: Frame) -> Iterator[Arrival]:
        """Yield a frame with what is missing before it, and what is to be said."""
        if frame.kind == FrameKind.PROJECTION:
            self.n_projections += 1
            last = self._last
            if last is not None and _begins_anew(frame.index, last):
                yield Resumed(
                    f"{self._name}: the scan begins anew, projection {frame.index} comes after "
                    f"{last}.",
                    anew=True,
                )
                self._screening.begin_anew()
                self._last = frame.index
            elif last is not None and frame.index > last + 1:
                frame = replace(frame, lost=frame.index - last - 1)
            self._last = frame.index if last is None else max(frame.index, self._last or 0)
        yield from self._screening.screened(frame)


def _begins_anew(index: int, last: int) -> bool:
    return index < last and (index == 0 or last - index >= LATE)

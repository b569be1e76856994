"""Numbers of frames in a stream: missing frames, and the start of another scan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.live.core.frame import Arrival, Frame, FrameKind, Resumed
from engine.live.ct.frame_checks import Screening

LATE = 64
"""A number below the last one by less than this is late; otherwise another scan starts."""


class Sequence:
    """Follows the frames of one stream, and checks them.

    Attributes
    ----------
    n_projections : number of projections that came
    """

    def __init__(self, name: str) -> None:
        self.n_projections = 0
        self._name = name
        self._screening = Screening(name)
        self._last: int | None = None

    def restart(self) -> None:
        """Treat the next frame as the first one of another scan."""
        self._screening.restart()
        self._last = None

    def followed(self, frame: Frame) -> Iterator[Arrival]:
        """Yield a frame with the number of missing ones before it, and messages about it.

        Parameters
        ----------
        frame
            next frame of the stream
        """
        if frame.kind == FrameKind.PROJECTION:
            self.n_projections += 1
            last = self._last
            if last is not None and _starts_new_scan(frame.index, last):
                # Before the frame, so that consumers discard the old views first
                yield Resumed(
                    f"{self._name}: the scan starts again because projection {frame.index} "
                    f"follows projection {last}.",
                    anew=True,
                )
                self._screening.restart()
                self._last = frame.index
            elif last is not None and frame.index > last + 1:
                frame = replace(frame, lost=frame.index - last - 1)
            # A late frame must not move the count back, or the next one would seem to follow a gap
            self._last = frame.index if last is None else max(frame.index, self._last or 0)
        yield from self._screening.screened(frame)


def _starts_new_scan(index: int, last: int) -> bool:
    return index < last and (index == 0 or last - index >= LATE)

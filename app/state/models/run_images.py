"""The images of a run that the window keeps, in the order of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.language.translation import tr
from engine.data import FrameVolume, TimeFrame, Volume

KEPT_BYTES = 1 << 30
"""Images of past iterations may hold this much memory."""
ALL_FRAMES = tr("all frames")
"""Label of the sum or mean of frames of time."""
Place = tuple[float, int]
"""Iteration and subset behind an image."""
LAST: Place = (float("inf"), 0)
"""Place of what comes after all iterations."""


@dataclass(frozen=True)
class Kept:
    """An image of the run that can be shown and exported.

    Attributes
    ----------
    place : within the run; None of an image that is not of a run by iterations
    iterations : of the whole run; of a scan in frames, the frames
    frame : of time, that it is the finished image of
    """

    label: str
    volume: Volume
    place: Place | None = None
    iterations: int = 0
    frame: TimeFrame | None = None

    @property
    def caption(self) -> str:
        """The label with the number of iterations: "iteration 12 of 40"."""
        if self.place is None:
            return self.label
        iteration, _, rest = self.label.partition(",")
        return f"{iteration} of {self.iterations}" + (f",{rest}" if rest else "")


class KeptImages:
    """Images in order; past the memory limit, every other older one goes."""

    def __init__(self, limit_bytes: int = KEPT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self.items: list[Kept] = []

    @property
    def labels(self) -> list[str]:
        """Names in order."""
        return [kept.label for kept in self.items]

    @property
    def captions(self) -> list[str]:
        """Names in order, with the number of iterations."""
        return [kept.caption for kept in self.items]

    @property
    def frames(self) -> list[FrameVolume]:
        """Finished frames of time, in their order; those that memory allows."""
        return [FrameVolume(kept.frame, kept.volume) for kept in self.items if kept.frame]

    def add(
        self,
        label: str,
        volume: Volume,
        place: Place | None = None,
        iterations: int = 0,
        frame: TimeFrame | None = None,
    ) -> bool:
        """Keep an image; returns whether others had to go.

        A run that was taken back to a checkpoint makes some images anew: the older ones of that
        place, and after it, go.
        """
        before = self.items
        if place is not None:
            before = [kept for kept in before if (kept.place or LAST) < place]
        newest = Kept(label, volume, place, iterations, frame)
        fell_back = len(before) < len(self.items)
        self.items = [*before, newest]
        return self._thin() or fell_back

    def add_earlier(self, earlier: Sequence[Kept]) -> None:
        """Put images before those there are, without such as there are already."""
        first = min((kept.place or LAST for kept in self.items), default=LAST)
        self.items = [*(kept for kept in earlier if (kept.place or LAST) < first), *self.items]
        self._thin()

    def _thin(self) -> bool:
        if sum(kept.volume.values.nbytes for kept in self.items) <= self._limit_bytes:
            return False
        newest = self.items[-1]
        self.items = [*self.items[:-1][::2], newest]
        return True

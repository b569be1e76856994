"""The images of a run that the window stores, in the order of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.data import FrameVolume, TimeFrame, Volume

MAX_BYTES = 1 << 30
"""Memory limit for images of past iterations in bytes."""
ALL_FRAMES = "all frames"
"""Label of the sum or mean of frames of time. Files store it, so it is not translated."""
Place = tuple[float, int]
"""Iteration and subset of an image."""
LAST: Place = (float("inf"), 0)
"""Place of an image after all iterations, such as the filtered one."""


@dataclass(frozen=True)
class StoredImage:
    """An image of the run that can be shown and exported.

    Attributes
    ----------
    label : name in lists
    volume : the image
    place : position in the run; None for an image without iterations
    iterations : number of iterations of the whole run; for a dynamic scan, of frames; 0 if
        the run ends by itself
    frame : time frame of a finished image; None for other images
    """

    label: str
    volume: Volume
    place: Place | None = None
    iterations: int = 0
    frame: TimeFrame | None = None

    @property
    def caption(self) -> str:
        """The label with the number of iterations: "iteration 12 of 40"."""
        if self.place is None or not self.iterations:
            return self.label
        # The label may continue with a subset, which must follow the total.
        iteration, _, rest = self.label.partition(",")
        return f"{iteration} of {self.iterations}" + (f",{rest}" if rest else "")

    @property
    def n_bytes(self) -> int:
        """Memory of the image and of its replicates."""
        error = self.volume.error
        replicates = 0 if error is None else error.deviations.nbytes + error.scale.nbytes
        return self.volume.values.nbytes + replicates


class StoredImages:
    """Images in order. Above the memory limit, every second older one is dropped."""

    def __init__(self, limit_bytes: int = MAX_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self.items: list[StoredImage] = []

    @property
    def labels(self) -> list[str]:
        """Labels in order."""
        return [each.label for each in self.items]

    @property
    def captions(self) -> list[str]:
        """Labels in order, with the number of iterations."""
        return [each.caption for each in self.items]

    @property
    def frames(self) -> list[FrameVolume]:
        """Finished time frames in order, as far as the memory limit allows."""
        # A dynamic scan may exceed the memory limit, so some frames can be missing here.
        return [FrameVolume(each.frame, each.volume) for each in self.items if each.frame]

    def add(
        self,
        label: str,
        volume: Volume,
        place: Place | None = None,
        iterations: int = 0,
        frame: TimeFrame | None = None,
    ) -> bool:
        """Store an image.

        A run that returned to a checkpoint repeats some images. Older images of that place and
        after it are dropped.

        Parameters
        ----------
        label
            name in lists
        volume
            the image
        place
            iteration and subset; None for an image without iterations
        iterations
            number of iterations of the whole run
        frame
            time frame of a finished image

        Returns
        -------
        True if other images were dropped, so that indices have changed
        """
        before = self.items
        if place is not None:
            before = [each for each in before if (each.place or LAST) < place]
        newest = StoredImage(label, volume, place, iterations, frame)
        fell_back = len(before) < len(self.items)
        self.items = [*before, newest]
        return self._drop_every_second() or fell_back

    def add_earlier(self, earlier: Sequence[StoredImage]) -> None:
        """Put images before the existing ones, without duplicates.

        Parameters
        ----------
        earlier
            iterates from disk, in order
        """
        # Iterates from disk that this window has received too are skipped.
        first = min((each.place or LAST for each in self.items), default=LAST)
        self.items = [*(each for each in earlier if (each.place or LAST) < first), *self.items]
        self._drop_every_second()

    def _drop_every_second(self) -> bool:
        if sum(each.n_bytes for each in self.items) <= self._limit_bytes:
            return False
        # Dropping every second one keeps the rest evenly spread over the run.
        newest = self.items[-1]
        self.items = [*self.items[:-1][::2], newest]
        return True

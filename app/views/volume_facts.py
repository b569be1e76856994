"""Facts that need all values of a volume: cached, and computed in a thread for large ones.

Reading half a gigabyte takes longer than a window may freeze. Code that loads a volume calls
`facts_of(volume).find()` in a thread. The views then find the facts in the cache.
"""

from __future__ import annotations

import weakref
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.views.colour import windows
from app.views.colour.windows import Window
from app.views.slices.start_cursor import initial_cursor
from engine.data import Volume
from engine.geometry import Point

_CACHE: dict[int, VolumeFacts] = {}
_LOCK = Lock()
N_BINS = 200
MIN_RANGE = 1e-4
"""Narrowest range of a histogram, as a share of the largest value."""
SMALLEST = 1e-30
"""Range of values that float32 cannot divide."""
MIN_SHARE = 0.05
"""Smallest value with a relative error, as a share of the upper limit of the automatic window."""


class ValueCounts(NamedTuple):
    """Histogram of a sample, with bins of equal width."""

    counts: NDArray[np.intp]
    lowest: float
    highest: float


class VolumeFacts:
    """Facts of one volume, each computed when it is first needed."""

    def __init__(self, volume: Volume) -> None:
        # A strong reference from the cache would keep every volume in memory.
        self._volume = weakref.ref(volume)
        self._windows: dict[bool, Window] = {}
        self._largest: float | None = None
        self._bright_top: float | None = None
        self._place: Point | None = None
        self._histogram: ValueCounts | None = None
        self._front: NDArray[np.float32] | None = None

    @property
    def volume(self) -> Volume:
        """The volume."""
        volume = self._volume()
        if volume is None:
            # A caller that holds the volume cannot get here; the error shows a programming mistake.
            raise ReferenceError(
                "the volume was deleted while a view was still using it; keep a reference to it"
            )
        return volume

    def find(self) -> None:
        """Compute all facts that the views need first."""
        self.auto_window(diverging=False)
        _ = self.largest, self.bright_top, self.initial_cursor, self.front, self.histogram

    @property
    def largest(self) -> float:
        """Largest absolute value of a sample."""
        if self._largest is None:
            self._largest = windows.largest(self.volume.values)
        return self._largest

    @property
    def bright_top(self) -> float:
        """Value that exceeds nearly all voxels that are not faint."""
        if self._bright_top is None:
            self._bright_top = windows.bright_top(self.volume.values)
        return self._bright_top

    def auto_window(self, *, diverging: bool) -> Window:
        """Return a window that shows most of the values.

        Parameters
        ----------
        diverging
            True for a window that is symmetric about zero
        """
        if diverging not in self._windows:
            volume = self.volume
            found = windows.auto_window(volume.values, volume.unit, diverging=diverging)
            self._windows[diverging] = found
        return self._windows[diverging]

    @property
    def initial_cursor(self) -> Point:
        """A point with visible structures in its slices [mm]."""
        if self._place is None:
            self._place = initial_cursor(self.volume, self.bright_top)
        return self._place

    @property
    def histogram(self) -> ValueCounts:
        """Histogram of a sample, without NaN."""
        if self._histogram is None:
            found = windows.sample(self.volume.values)
            lowest, highest = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
            # All values may be equal but for rounding, and a histogram needs a range that float32
            # can divide into bins.
            size = max(abs(lowest), abs(highest))
            if highest - lowest <= max(MIN_RANGE * size, SMALLEST):
                highest = lowest + max(1.0, size)
            counts, _ = np.histogram(found, N_BINS, (lowest, highest))
            self._histogram = ValueCounts(counts, lowest, highest)
        return self._histogram

    @property
    def front(self) -> NDArray[np.float32]:
        """Maximum (n_z, n_x) along y, without NaN."""
        if self._front is None:
            self._front = windows.largest_along(self.volume.values, axis=1)
        return self._front


def min_value(volume: Volume) -> float:
    """Return the smallest value of a volume that has a relative error, in its unit.

    Near zero the ratio of error and value is large and says nothing, so that the background would
    be brightest.

    Parameters
    ----------
    volume
        the volume
    """
    return MIN_SHARE * facts_of(volume).bright_top


def facts_of(volume: Volume) -> VolumeFacts:
    """Return the cached facts of a volume. They are deleted with the volume.

    Parameters
    ----------
    volume
        the volume; compared by identity
    """
    # Threads that load volumes and the window both come here.
    with _LOCK:
        key = id(volume)
        found = _CACHE.get(key)
        if found is None:
            found = _CACHE[key] = VolumeFacts(volume)
            # Keys are object IDs, which Python reuses after the object is deleted.
            weakref.finalize(volume, _CACHE.pop, key, None)
        return found


def looked_through(volume: Volume) -> Volume:
    """Compute the facts of a volume, in a thread.

    Parameters
    ----------
    volume
        the volume

    Returns
    -------
    the same volume
    """
    facts_of(volume).find()
    return volume

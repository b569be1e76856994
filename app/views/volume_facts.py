"""What is told from all values of a volume: kept, and found in a thread for a large one.

Half a gigabyte takes longer to look through than a window may stand still. Whoever reads a volume
calls `facts_of(volume).find()` in a thread; what is shown later is there already.
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

_KEPT: dict[int, VolumeFacts] = {}
_LOCK = Lock()
N_BINS = 200


class ValueCounts(NamedTuple):
    """How many values of a sample lie in each of evenly wide parts of their range."""

    counts: NDArray[np.intp]
    lowest: float
    highest: float


class VolumeFacts:
    """Facts of one volume, each found when it is first asked for."""

    def __init__(self, volume: Volume) -> None:
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
            raise ReferenceError("its volume is gone")
        return volume

    def find(self) -> None:
        """Find all that the views ask for first."""
        self.auto_window(diverging=False)
        _ = self.largest, self.bright_top, self.initial_cursor, self.front, self.histogram

    @property
    def largest(self) -> float:
        """The largest absolute value, as a sample tells it."""
        if self._largest is None:
            self._largest = windows.largest(self.volume.values)
        return self._largest

    @property
    def bright_top(self) -> float:
        """Value below which nearly all voxels lie that are not faint."""
        if self._bright_top is None:
            self._bright_top = windows.bright_top(self.volume.values)
        return self._bright_top

    def auto_window(self, *, diverging: bool) -> Window:
        """Return a window that shows most of the values."""
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
        """How often values are, in a sample of all; NaN is left out."""
        if self._histogram is None:
            found = windows.sample(self.volume.values)
            lowest, highest = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
            highest = highest if highest > lowest else lowest + 1.0
            counts, _ = np.histogram(found, N_BINS, (lowest, highest))
            self._histogram = ValueCounts(counts, lowest, highest)
        return self._histogram

    @property
    def front(self) -> NDArray[np.float32]:
        """(n_z, n_x) largest values along y, NaN left out."""
        if self._front is None:
            self._front = windows.largest_along(self.volume.values, axis=1)
        return self._front


def facts_of(volume: Volume) -> VolumeFacts:
    """Return the cached facts of a volume. They are deleted with the volume."""
    with _LOCK:
        key = id(volume)
        found = _KEPT.get(key)
        if found is None:
            found = _KEPT[key] = VolumeFacts(volume)
            weakref.finalize(volume, _KEPT.pop, key, None)
        return found


def looked_through(volume: Volume) -> Volume:
    """Return a volume of which all is known that views ask for first; called in threads."""
    facts_of(volume).find()
    return volume

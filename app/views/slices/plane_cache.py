"""Slices of volumes. Sagittal ones are read ahead, eight at a time, without Qt.

Neighbours along x are next to each other in memory. The voxels of a sagittal slice are not. Each
read fetches sixteen neighbours from memory, so eight slices cost twice as much as one. While a view
steps through its slices, each step reads a part of the next eight, so all steps take equally long.
"""

from __future__ import annotations

import math
import weakref
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from engine.data import Volume
from engine.geometry import Orientation

Values = NDArray[np.float32]
N_READ = 8
"""Number of sagittal slices that are read together."""
MAX_CACHED = 3
"""Number of groups of slices in memory for each volume: one, and its neighbours on both sides."""
LONGEST_STEP = 2
"""Largest number of slices in a step that reads ahead [slices]."""
LAST_SHARE = 1 / 4
"""Missing part of a group that is read when the group is needed. It takes half as long as a slice
alone.
"""


def slice_of(volume: Volume, orientation: Orientation, index: int) -> Values:
    """Return a slice as it is displayed.

    Parameters
    ----------
    volume
        the volume; its values do not change
    orientation
        the plane
    index
        slice along the normal axis

    Returns
    -------
    (rows, columns), a copy
    """
    if orientation.normal != 0:
        return orientation.extract(volume.values, index)
    with _LOCK:
        return orientation.place(_sagittal_slice(volume, index))


class _Group:
    """Neighbouring slices across x, (n_z, n_y, n), read row by row along z."""

    def __init__(self, values: Values, first: int, into: Values | None) -> None:
        self._part = values[:, :, first : first + N_READ]
        # New memory can take longer than reading: the system clears it when it is first written.
        is_like = into is not None and into.shape == self._part.shape
        self.read = (
            into
            if into is not None and is_like
            else np.empty_like(self._part, order="C", subok=False)
        )
        self.n_rows = 0

    @property
    def n_missing(self) -> int:
        """Number of rows that are not read yet."""
        return len(self._part) - self.n_rows

    def read_rows(self, n: int) -> None:
        """Read some of the missing rows, or all if there are no more."""
        rows = slice(self.n_rows, min(self.n_rows + n, len(self._part)))
        _blocks(self.read)[rows] = _blocks(self._part)[rows]
        self.n_rows = rows.stop

    def slice(self, place: int) -> Values:
        """Return the slice (n_z, n_y) at a place in the group."""
        return self.read[:, :, place]


def _blocks(part: Values) -> NDArray[np.generic]:
    """Return voxels that are neighbours along x as one item, which numpy copies twice as fast."""
    is_in_line = part.strides[2] == part.itemsize
    return part.view(f"V{part.itemsize * part.shape[2]}") if is_in_line else part


class _Groups:
    """Groups of one volume, and the last two slices that were requested."""

    def __init__(self) -> None:
        self.groups: dict[int, _Group] = {}
        self._pairs: list[tuple[int, Values]] = []
        self._latest: tuple[int, ...] = ()

    def slice(self, values: Values, index: int) -> Values:
        """Return the slice (n_z, n_y) across x, valid until the next call."""
        number, place = divmod(index, N_READ)
        step = self._step_to(index)
        group = self.groups.get(number)
        if group is not None:
            # Marked as used first, so that the next group does not reuse its memory.
            self._mark_used(number, group)
        if 0 < abs(step) <= LONGEST_STEP:
            # The steps through this group read all of the next one.
            share = abs(step) / N_READ
            self._read_ahead(values, number + (1 if step > 0 else -1), share)
        if group is not None and group.n_missing <= LAST_SHARE * len(values):
            group.read_rows(group.n_missing)
        if group is None or group.n_missing:
            return self._single_slice(values, index)
        return group.slice(place)

    def _single_slice(self, values: Values, index: int) -> Values:
        """Return a slice of a group that is not read."""
        for first, pair in self._pairs:
            if 0 <= index - first < pair.shape[2]:
                return pair[:, :, index - first]
        # With its upper neighbour, which a blend requests next and which costs little more.
        part = values[:, :, index : index + 2]
        # Two pairs: the upper slice of a blend is the lower one of the next step.
        into = self._pairs.pop(0)[1] if len(self._pairs) == 2 else None
        if into is None or into.shape != part.shape:
            into = np.empty_like(part, order="C", subok=False)
        _blocks(into)[...] = _blocks(part)
        self._pairs.append((index, into))
        return into[:, :, 0]

    def _step_to(self, index: int) -> int:
        """Return the distance from the last two slices, with sign; 0 between them."""
        latest = self._latest or (index,)
        self._latest = (latest[-1], index)
        # A blend requests two neighbours, the lower one first. A step must go past both.
        return index - min(max(index, min(latest)), max(latest))

    def _read_ahead(self, values: Values, number: int, share: float) -> None:
        if not 0 <= number * N_READ < values.shape[2]:
            return
        group = self.groups.get(number)
        if group is None:
            oldest = (
                self.groups.pop(next(iter(self.groups))) if len(self.groups) >= MAX_CACHED else None
            )
            group = _Group(values, number * N_READ, None if oldest is None else oldest.read)
        group.read_rows(math.ceil(share * len(values)))
        self._mark_used(number, group)

    def _mark_used(self, number: int, group: _Group) -> None:
        # Removed and inserted again, so that the dictionary is in order of use.
        self.groups.pop(number, None)
        self.groups[number] = group


_CACHE: dict[int, _Groups] = {}
_LOCK = Lock()


def _sagittal_slice(volume: Volume, index: int) -> Values:
    """Return the slice (n_z, n_y) across x, valid until the next call."""
    key = id(volume)
    if key not in _CACHE:
        _CACHE[key] = _Groups()
        # Keys are object IDs, which Python reuses after the object is deleted.
        weakref.finalize(volume, _CACHE.pop, key, None)
    return _CACHE[key].slice(volume.values, index)

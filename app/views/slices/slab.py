"""Several slices as one image of a chosen thickness: maximum, mean or minimum; no Qt.

For a slice i and a thickness t across voxels of length v, the slices i − n … i + n are used, with

    n = round((t / v − 1) / 2)

so that (2n + 1) v is as near to t as whole slices allow. Slices and results of blocks of eight are
cached, so a step of the wheel costs one new slice.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.language.translation import tr
from app.views.text import millimetres
from engine.data import Volume
from engine.geometry import ImageGrid

Values = NDArray[np.floating]
SlabKind = Literal["", "highest", "mean", "lowest"]
SHORT_NAMES: dict[SlabKind, str] = {"highest": tr("MIP"), "mean": tr("Mean"), "lowest": tr("MinIP")}
MIN_MM, MAX_MM = 0.1, 100.0
MAX_EACH_SIDE = 64
"""Largest number of slices on each side. The projection view shows thicker ranges."""
EIGHT = 8
CACHED_SLICES, CACHED_EIGHTS = 32, 20


@dataclass(frozen=True)
class Slab:
    """The combination of neighbouring slices.

    Attributes
    ----------
    kind : value that is shown; "" for a single slice
    thickness_mm : total thickness [mm]
    """

    kind: SlabKind = ""
    thickness_mm: float = 10.0

    def range(self, grid: ImageGrid, axis: int, index: int) -> range:
        """Return the indices of the slices of a slab.

        Parameters
        ----------
        grid
            grid of the volume
        axis
            axis across the slices: 0, 1, 2 for x, y, z
        index
            index of the central slice

        Returns
        -------
        at the end of the volume a slab has fewer slices
        """
        n_each_side = 0
        if self.kind:
            n_each_side = max(round((self.thickness_mm / grid.voxel_mm[axis] - 1) / 2), 0)
        # A slab of a fine grid could otherwise contain hundreds of slices per wheel step.
        n_each_side = min(n_each_side, MAX_EACH_SIDE)
        return range(
            max(index - n_each_side, 0), min(index + n_each_side + 1, grid.shape[2 - axis])
        )

    def describe(self, grid: ImageGrid, axis: int, index: int, unit: str) -> str:
        """Describe the slab with its real thickness; empty for a single slice.

        Parameters
        ----------
        grid
            grid of the volume
        axis
            axis across the slices
        index
            index of the central slice
        unit
            unit of lengths
        """
        if not self.kind:
            return ""
        thick = len(self.range(grid, axis, index)) * grid.voxel_mm[axis]
        return f"{SHORT_NAMES[self.kind]} of {millimetres(thick)} {unit}"


class SlabCutter:
    """Computes slabs along one axis of one volume at a time."""

    def __init__(self) -> None:
        self._volume: Volume | None = None
        self._key: tuple[SlabKind, int] = ("", 0)
        self._slices: OrderedDict[int, Values] = OrderedDict()
        self._eights: OrderedDict[int, Values] = OrderedDict()

    def cut(self, volume: Volume, axis: int, index: int, slab: Slab) -> NDArray[np.float32]:
        """Return a slab.

        Parameters
        ----------
        volume
            the volume
        axis
            axis across the slices: 0, 1, 2 for x, y, z
        index
            index of the central slice
        slab
            kind and thickness

        Returns
        -------
        a volume that is one voxel deep along the axis
        """
        key = slab.kind, axis
        # Another kind or axis makes all cached blocks invalid.
        self.keep_only(volume if key == self._key else None)
        self._volume, self._key = volume, key
        wanted = slab.range(volume.grid, axis, index)
        if slab.kind == "mean":
            # Blocks are added in double precision, because a sum of 129 slices of float32 loses
            # digits.
            total: Values = np.zeros(self._slice(wanted[0]).shape)
            for part in self._parts(wanted):
                total += part
            found: Values = total / len(wanted)
        else:
            found = _combine(self._parts(wanted), slab.kind)
        return np.expand_dims(np.asarray(found, np.float32), 2 - axis)

    def keep_only(self, volume: Volume | None) -> None:
        """Drop cached slices of other volumes, which would keep them in memory.

        Parameters
        ----------
        volume
            volume whose slices stay; None drops all
        """
        if volume is not self._volume:
            self._volume = None
            self._slices.clear()
            self._eights.clear()

    def _parts(self, wanted: range) -> Iterable[Values]:
        """Return whole blocks of eight combined, and the single slices before and after them."""
        at = wanted.start
        while at < wanted.stop:
            if at % EIGHT == 0 and at + EIGHT <= wanted.stop:
                yield _from_cache(self._eights, at, self._block_of_eight, CACHED_EIGHTS)
                at += EIGHT
            else:
                yield self._cached_slice(at)
                at += 1

    def _cached_slice(self, index: int) -> Values:
        return _from_cache(self._slices, index, self._slice, CACHED_SLICES)

    def _slice(self, index: int) -> Values:
        if self._volume is None:
            raise ReferenceError("no volume has been set; set one before reading slices")
        # A copy: slices across x are spread over the whole array and slow to read repeatedly.
        return np.ascontiguousarray(
            np.moveaxis(self._volume.values, 2 - self._key[1], 0)[index], np.float32
        )

    def _block_of_eight(self, first: int) -> Values:
        slices = (self._cached_slice(k) for k in range(first, first + EIGHT))
        return _combine(slices, self._key[0])


def _from_cache(
    cache: OrderedDict[int, Values], key: int, make: Callable[[int], Values], most: int
) -> Values:
    if key not in cache:
        while len(cache) >= most:
            cache.popitem(last=False)
        cache[key] = make(key)
    # Least recently used entries are dropped first.
    cache.move_to_end(key)
    return cache[key]


def _combine(parts: Iterable[Values], kind: SlabKind) -> Values:
    """Return maximum or minimum without NaN, or the sum."""
    quick = {"highest": np.maximum, "lowest": np.minimum, "mean": np.add}[kind]
    without_nan = {"highest": np.fmax, "lowest": np.fmin, "mean": np.add}[kind]
    every = list(parts)
    found = every[0].copy()
    for part in every[1:]:
        quick(found, part, out=found)
    # NaN is rare, so the fast function runs first and the result is checked.
    if without_nan is not quick and np.isnan(found).any():  # fmax is far slower
        return np.asarray(without_nan.reduce(every))
    return found

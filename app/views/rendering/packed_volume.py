"""A volume as 16-bit levels for a texture, and the highest level of each block, without Qt.

    value = low + level / 65535 · (high − low)

Rays only cross the box around the blocks that can change the image. Blocks include one more voxel
on each side, because interpolation also reads the neighbours of a block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.data import Volume
from engine.geometry import Point

Levels = NDArray[np.uint16]
Masks = NDArray[np.uint8]
BLOCK = 8
"""Voxels of a block along each axis."""
TOP = 65535


@dataclass(frozen=True, eq=False)
class PackedVolume:
    """A volume as a texture.

    Attributes
    ----------
    levels : (n_z, n_y, n_x)
    blocks : highest level of each block, (n_z, n_y, n_x) / `BLOCK` rounded up
    low, high : values at the levels 0 and 65535, in the unit of the volume; outside it counts as
        low, which is at most 0 unless the unit is HU
    lower_mm, size_mm : corner and size (x, y, z) of the texture [mm]
    factor : number of voxels of the volume along each edge of one voxel of the texture
    n_not_finite : number of voxels of the volume that count as 0 because they are not finite
    """

    levels: Levels
    blocks: Levels
    low: float
    high: float
    lower_mm: Point
    size_mm: Point
    factor: int = 1
    n_not_finite: int = 0

    @classmethod
    def of(cls, volume: Volume, max_voxels: int, longest_edge: int | None = None) -> PackedVolume:
        """Pack a volume. A volume that is too large is reduced to means of cubes.

        Parameters
        ----------
        volume
            the volume; values that are not finite count as 0
        max_voxels
            largest number of voxels of the texture
        longest_edge
            largest number of voxels along each axis; None for any
        """
        factor = factor_for(volume.grid.shape, max_voxels, longest_edge)
        values = np.asarray(volume.values, np.float32)
        # Slice by slice, because a mask of a large volume would need a quarter of its memory.
        n_finite = sum(int(np.count_nonzero(np.isfinite(plane))) for plane in values)
        means = _means(values, factor)
        low, high = float(means.min()), float(means.max())
        # Outside the volume counts as the lowest level: nothing, or the air of a CT image.
        low = low if volume.unit == "HU" else min(low, 0.0)
        # Levels of a constant volume still need a range to divide by.
        high = high if high > low else low + 1.0
        means -= np.float32(low)
        means *= np.float32(TOP / (high - low))
        levels = (means + np.float32(0.5)).astype(np.uint16)
        x, y, z = volume.grid.voxel_mm
        n_z, n_y, n_x = levels.shape
        size = (n_x * factor * x, n_y * factor * y, n_z * factor * z)
        lower_x, lower_y, lower_z = (float(edge) for edge in volume.grid.lower_mm)
        lower = lower_x, lower_y, lower_z
        n_not_finite = values.size - n_finite
        blocks = highest_of_blocks(levels)
        return cls(levels, blocks, low, high, lower, size, factor, n_not_finite)

    @property
    def voxel_mm(self) -> Point:
        """Edges (x, y, z) of a voxel of the texture [mm]."""
        n_z, n_y, n_x = self.levels.shape
        x, y, z = self.size_mm
        return x / n_x, y / n_y, z / n_z

    def level_of(self, value: float) -> float:
        """Convert a value to a level from 0 to 1, not clipped.

        Parameters
        ----------
        value
            value in the unit of the volume
        """
        return (value - self.low) / (self.high - self.low)

    def corners_mm(self, level: float | None = None) -> NDArray[np.float64]:
        """Return the corners of the texture, or of its part with higher levels.

        Parameters
        ----------
        level
            level from 0 to 1; None for the whole texture

        Returns
        -------
        (8, 3) points (x, y, z) in the axes of the volume [mm]; the whole texture if no level is
        higher
        """
        low, high = np.zeros(3), np.ones(3)
        if level is not None:
            found = self.box_above(level)
            low, high = found if (found[1] > found[0]).all() else (low, high)
        every = np.array([[k >> axis & 1 for axis in range(3)] for k in range(8)])
        return np.asarray(np.array(self.lower_mm) + (low + every * (high - low)) * self.size_mm)

    def box_above(self, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the smallest box of whole blocks that contains all higher levels.

        Parameters
        ----------
        level
            level from 0 to 1

        Returns
        -------
        lower and upper corner (x, y, z) in coordinates of the texture, 0 to 1; equal corners if
        there is no higher level
        """
        low, high = np.zeros(3), np.zeros(3)
        filled = self.blocks > level * TOP
        shape = self.levels.shape
        for axis in range(3):
            others = tuple(k for k in range(3) if k != axis)
            found = np.flatnonzero(filled.any(axis=others))
            if found.size:
                # One more voxel on each side, because interpolation reaches into the next one.
                low[2 - axis] = max(found[0] * BLOCK - 1, 0) / shape[axis]
                high[2 - axis] = min((found[-1] + 1) * BLOCK + 1, shape[axis]) / shape[axis]
        return low, high


def factor_for(shape: tuple[int, ...], max_voxels: int, longest_edge: int | None = None) -> int:
    """Return the smallest edge of the cubes that reduce a volume to a number of voxels.

    Parameters
    ----------
    shape
        (n_z, n_y, n_x)
    max_voxels
        largest number of voxels
    longest_edge
        largest number of voxels along each axis; None for any
    """
    factor = 1 if longest_edge is None else math.ceil(max(shape) / longest_edge)
    while math.prod(math.ceil(n / factor) for n in shape) > max_voxels:
        factor += 1
    return factor


def _means(values: NDArray[np.float32], factor: int) -> NDArray[np.float32]:
    """Return a copy without NaN, reduced to the means of cubes."""
    if factor == 1:
        return np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    # Slab by slab: a copy of a large volume without NaN would not fit the cache.
    slabs = (values[i : i + factor] for i in range(0, len(values), factor))
    return np.stack([_mean_plane(slab, factor) for slab in slabs])


def _mean_plane(slab: NDArray[np.float32], factor: int) -> NDArray[np.float32]:
    plane = slab.mean(axis=0)
    if not np.isfinite(plane).all():
        plane = np.nan_to_num(slab, nan=0.0, posinf=0.0, neginf=0.0).mean(axis=0)
    for axis in (0, 1):
        starts = np.arange(0, plane.shape[axis], factor)
        sums = np.add.reduceat(plane, starts, axis=axis)
        counts = np.diff(np.append(starts, plane.shape[axis])).astype(np.float32)
        plane = sums / np.expand_dims(counts, 1 - axis)
    return np.asarray(plane, np.float32)


def highest_of_blocks(levels: NDArray[np.generic]) -> Levels:
    """Return the highest level of each block and of the voxels next to it.

    Parameters
    ----------
    levels
        (n_z, n_y, n_x) uint16 or uint8

    Returns
    -------
    the maxima as the type of `levels`
    """
    found = levels
    for axis in range(3):
        starts = np.arange(0, found.shape[axis], BLOCK)
        highest = np.maximum.reduceat(found, starts, axis=axis)
        # The first voxel after a block, and the last one before it.
        after = np.take(found, np.minimum(starts + BLOCK, found.shape[axis] - 1), axis=axis)
        before = np.take(found, np.maximum(starts - 1, 0), axis=axis)
        found = np.maximum(highest, np.maximum(before, after))
    return np.ascontiguousarray(found)


@dataclass(frozen=True, eq=False)
class PackedMasks:
    """Regions as a texture on the grid of a packed volume.

    Attributes
    ----------
    coverage : share of each voxel in any region, 0 to 255, (n_z, n_y, n_x)
    labels : number of the region of each voxel from 1, 0 for none
    colours : colour "#rrggbb" of each region
    """

    coverage: Masks
    labels: Masks
    colours: tuple[str, ...]

    def box(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the smallest box with all regions; the whole texture if they are empty.

        Returns
        -------
        lower and upper corner (x, y, z) in coordinates of the texture, 0 to 1
        """
        low, high = np.zeros(3), np.ones(3)
        for axis in range(3):
            others = tuple(k for k in range(3) if k != axis)
            found = np.flatnonzero(self.coverage.any(axis=others))
            if found.size:
                n = self.coverage.shape[axis]
                low[2 - axis] = max(found[0] - 1, 0) / n
                high[2 - axis] = min(found[-1] + 2, n) / n
        return low, high

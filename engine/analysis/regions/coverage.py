"""Fraction of each voxel inside a region, for the voxels that the region can touch.

A line along one axis is inside a solid between two points known in closed form, so its share of
each voxel is exact. The other axes are sampled by many lines through each voxel. Shapes bounded by
planes across an axis are exact along it:

    share = (length of the line inside the voxel) / (edge), averaged over the lines
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.geometry.grid import ImageGrid, Point

SHARES = NDArray[np.float64]
Inside = NDArray[np.bool_]
LINES_ACROSS = 64
"""Minimum number of lines through a region."""
MIN_LINES, MAX_LINES = 3, 32
"""Minimum and maximum number of lines per voxel along a sampled axis."""
MIN_SHARE = 1e-9
"""Rounding error of a sum; voxels with a smaller share are outside."""
HALF = 0.5
A = TypeVar("A", bound=NDArray[np.generic])


@dataclass(frozen=True)
class RegionCoverage:
    """A box of voxels, with the fraction of each inside a region.

    Attributes
    ----------
    start : (z, y, x) of the first voxel of the box
    share : (n_z, n_y, n_x), 0 to 1
    centres : (n_z, n_y, n_x) voxels whose centre is inside
    """

    start: tuple[int, int, int]
    share: SHARES
    centres: Inside

    @property
    def box(self) -> tuple[slice, slice, slice]:
        """Slices of the box in the image (z, y, x)."""
        z, y, x = (slice(a, a + n) for a, n in zip(self.start, self.share.shape, strict=True))
        return z, y, x

    @property
    def is_empty(self) -> bool:
        """True if no voxel is inside."""
        return not self.share.any()

    @property
    def n_bytes(self) -> int:
        """Memory use in bytes."""
        return self.share.nbytes + self.centres.nbytes

    def trimmed(self) -> RegionCoverage:
        """Return the coverage on the bounding box of its voxels."""
        start, parts = list(self.start), list[slice]()
        for axis in range(3):
            others = tuple(k for k in range(3) if k != axis)
            found = np.flatnonzero(self.share.any(axis=others))
            first, last = (int(found[0]), int(found[-1]) + 1) if len(found) else (0, 0)
            start[axis] += first
            parts.append(slice(first, last))
        box = tuple(parts)
        return RegionCoverage((start[0], start[1], start[2]), self.share[box], self.centres[box])

    def by_centres(self) -> RegionCoverage:
        """Return the voxels whose centre is inside, with a share of 1."""
        return RegionCoverage(self.start, self.centres.astype(float), self.centres)

    def within(self, box: tuple[slice, slice, slice]) -> SHARES:
        """Return the shares on another box.

        Parameters
        ----------
        box
            slices (z, y, x) of the image

        Returns
        -------
        SHARES
            in the shape of `box`; 0 outside this coverage
        """
        return self._moved(self.share, np.zeros([part.stop - part.start for part in box]), box)

    def centres_within(self, box: tuple[slice, slice, slice]) -> Inside:
        """Return the voxels with centres inside, on another box.

        Parameters
        ----------
        box
            slices (z, y, x) of the image

        Returns
        -------
        Inside
            in the shape of `box`; False outside this coverage
        """
        out = np.zeros([part.stop - part.start for part in box], bool)
        return self._moved(self.centres, out, box)

    def _moved(self, found: A, out: A, box: tuple[slice, slice, slice]) -> A:
        mine, theirs = list[slice](), list[slice]()
        for own, other in zip(self.box, box, strict=True):
            first, last = max(own.start, other.start), min(own.stop, other.stop)
            last = max(first, last)
            mine.append(slice(first - own.start, last - own.start))
            theirs.append(slice(first - other.start, last - other.start))
        part = found[tuple(mine)]
        if part.size:
            out[tuple(theirs)] = part
        return out


def box_of(grid: ImageGrid, low_mm: Point, high_mm: Point) -> tuple[slice, slice, slice]:
    """Return the voxels that a box in space touches.

    Parameters
    ----------
    grid
        grid of the image
    low_mm, high_mm
        lower and upper corner (x, y, z) [mm]

    Returns
    -------
    tuple of slice
        (z, y, x), clipped to the grid; empty slices if the box is outside
    """
    size = np.array(grid.shape[::-1])
    # The tolerance keeps a corner that is on a voxel face, up to rounding, from touching one more
    # voxel.
    low = np.clip(np.floor(grid.to_voxels(np.array(low_mm)) + 1e-9), 0, size).astype(int)
    high = np.clip(np.ceil(grid.to_voxels(np.array(high_mm)) - 1e-9), low, size).astype(int)
    z, y, x = (slice(int(a), int(b)) for a, b in zip(low[::-1], high[::-1], strict=True))
    return z, y, x


def start_of(box: tuple[slice, slice, slice]) -> tuple[int, int, int]:
    """Return the first voxel (z, y, x) of a box."""
    return box[0].start, box[1].start, box[2].start


def edges_of(grid: ImageGrid, axis: int, part: slice) -> Array:
    """Return the borders of voxels along an axis, one more than voxels [mm].

    Parameters
    ----------
    grid
        grid of the image
    axis
        0, 1, 2 for x, y, z
    part
        voxels
    """
    return grid.lower_mm[axis] + np.arange(part.start, part.stop + 1) * grid.voxel_mm[axis]


def overlap(grid: ImageGrid, axis: int, part: slice, low_mm: float, high_mm: float) -> Array:
    """Return the share of each voxel between two planes across an axis.

    Parameters
    ----------
    grid
        grid of the image
    axis
        0, 1, 2 for x, y, z
    part
        voxels
    low_mm, high_mm
        positions of the planes [mm]
    """
    edges = edges_of(grid, axis, part)
    inside = np.minimum(edges[1:], high_mm) - np.maximum(edges[:-1], low_mm)
    return np.asarray(np.clip(inside / grid.voxel_mm[axis], 0.0, 1.0))


def centres_of(grid: ImageGrid, axis: int, part: slice) -> Array:
    """Return the centres of voxels along an axis [mm]; axis 0 is x."""
    return np.asarray(grid.centres_mm(axis)[part])


def between(grid: ImageGrid, axis: int, part: slice, low_mm: float, high_mm: float) -> Inside:
    """Return the voxels with centres between two planes across an axis.

    Parameters
    ----------
    grid
        grid of the image
    axis
        0, 1, 2 for x, y, z
    part
        voxels
    low_mm, high_mm
        positions of the planes [mm]; a centre on the lower one is inside
    """
    centres = centres_of(grid, axis, part)
    # Half open, so that a voxel between two adjacent regions belongs to exactly one of them.
    return np.asarray((low_mm <= centres) & (centres < high_mm))


def lines_for(extent_mm: float, edge_mm: float) -> int:
    """Return the number of lines per voxel for an accurate share.

    Parameters
    ----------
    extent_mm
        size of the region along the sampled axis [mm]
    edge_mm
        voxel size along it [mm]
    """
    wanted = np.ceil(LINES_ACROSS * edge_mm / max(extent_mm, 1e-6))
    return int(np.clip(wanted, MIN_LINES, MAX_LINES))


def lines_through(grid: ImageGrid, axis: int, part: slice, n_lines: int) -> Array:
    """Return the positions of evenly spaced lines through each voxel [mm].

    Parameters
    ----------
    grid
        grid of the image
    axis
        0, 1, 2 for x, y, z
    part
        voxels
    n_lines
        lines per voxel
    """
    steps = (np.arange(part.start * n_lines, part.stop * n_lines) + 0.5) / n_lines
    return np.asarray(grid.lower_mm[axis] + steps * grid.voxel_mm[axis])


def from_chords(rows: NDArray[np.int64], low: Array, high: Array, shape: tuple[int, int]) -> SHARES:
    """Return the sums of shares of voxels in rows, from the chords of lines.

    Parameters
    ----------
    rows
        (n,) row of voxels of each line
    low, high
        (n,) start and end of each chord, in voxels from the first border of the row
    shape
        (rows, voxels)
    """
    # Each chord adds a step up at its start and a step down at its end, and one cumulative sum then
    # fills all voxels in between. The cost does not depend on the length of the chords. A step
    # inside a voxel is split over two entries by its position.
    n_rows, n = shape
    sums = np.zeros(n_rows * (n + 2))
    for ends, sign in ((low, 1.0), (high, -1.0)):
        at = np.clip(ends, 0.0, float(n))
        first = np.floor(at).astype(np.int64)
        part = at - first
        index = rows * (n + 2) + first
        sums += np.bincount(index, sign * (1.0 - part), len(sums))
        sums += np.bincount(index + 1, sign * part, len(sums))
    summed = np.cumsum(sums.reshape(n_rows, n + 2), axis=1)[:, :n]
    return np.asarray(summed)


def clean_share(share: SHARES) -> SHARES:
    """Return shares from 0 to 1, without the rounding errors of their sums."""
    share = np.clip(share, 0.0, 1.0)
    share[share < MIN_SHARE] = 0.0
    return share

"""Points at which lines enter and leave ellipsoids, ellipses and polygons, as shares of voxels.

ellipsoid    x = c_x ± r_x √(1 − ((y − c_y) / r_y)² − ((z − c_z) / r_z)²)
polygon      crossings of its edges in their order, inside between the odd and the next one
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Array
from engine.geometry.grid import ImageGrid, Point
from engine.regions.coverage import (
    SHARES,
    RegionCoverage,
    box_of,
    edges_of,
    from_chords,
    lines_for,
    lines_through,
    overlap,
    settled,
    start_of,
)

PLANE_AXES = ((1, 2), (0, 2), (0, 1))
"""Axes in a plane across x, y and z: the one that its lines run along first."""


def box(grid: ImageGrid, low_mm: Point, high_mm: Point) -> RegionCoverage:
    """Return the shares of an upright box, exact."""
    touched = box_of(grid, low_mm, high_mm)
    z, y, x = (overlap(grid, k, touched[2 - k], low_mm[k], high_mm[k]) for k in (2, 1, 0))
    return RegionCoverage(start_of(touched), settled(z[:, None, None] * y[:, None] * x))


def ellipsoid(grid: ImageGrid, centre_mm: Point, radii_mm: Point) -> RegionCoverage:
    """Return the shares of an ellipsoid along the axes."""
    low, high = _around(centre_mm, radii_mm)
    touched = box_of(grid, low, high)
    n_z, n_y, n_x = (part.stop - part.start for part in touched)
    lines = [lines_for(2 * radii_mm[k], grid.voxel_mm[k]) for k in range(3)]
    y = (lines_through(grid, 1, touched[1], lines[1]) - centre_mm[1]) / radii_mm[1]
    z = (lines_through(grid, 2, touched[0], lines[2]) - centre_mm[2]) / radii_mm[2]
    inside = 1.0 - z[:, None] ** 2 - y**2
    k, j = np.nonzero(inside > 0)
    half = radii_mm[0] * np.sqrt(inside[k, j])
    rows = (k // lines[2]) * n_y + j // lines[1]
    first = edges_of(grid, 0, touched[2])[0]
    middle, edge = centre_mm[0] - first, grid.voxel_mm[0]
    summed = from_chords(rows, (middle - half) / edge, (middle + half) / edge, (n_z * n_y, n_x))
    share = summed.reshape(n_z, n_y, n_x) / (lines[1] * lines[2])
    return RegionCoverage(start_of(touched), settled(share))


@dataclass(frozen=True)
class Prism:
    """What lies between two planes across an axis, with one cross-section throughout.

    Attributes
    ----------
    axis : across the planes; 0, 1, 2 is x, y, z
    low_mm, high_mm : the planes
    """

    axis: int
    low_mm: float
    high_mm: float

    def of_ellipse(self, grid: ImageGrid, centre_mm: Point, radii_mm: Point) -> RegionCoverage:
        """Return the shares of an elliptic cylinder."""
        low, high = _around(centre_mm, radii_mm)
        touched = self._touched(grid, low, high)
        along, across = PLANE_AXES[self.axis]
        n_lines = lines_for(2 * radii_mm[across], grid.voxel_mm[across])
        v = (lines_through(grid, across, touched[2 - across], n_lines) - centre_mm[across]) / (
            radii_mm[across]
        )
        inside = 1.0 - v**2
        at = np.flatnonzero(inside > 0)
        half = radii_mm[along] * np.sqrt(inside[at])
        chords = at, centre_mm[along] - half, centre_mm[along] + half
        return self._filled(grid, touched, n_lines, chords)

    def of_polygon(self, grid: ImageGrid, corners_mm: Array) -> RegionCoverage:
        """Return the shares of a prism; corners are (n, 2), along both axes in the plane [mm]."""
        along, across = PLANE_AXES[self.axis]
        low, high = [0.0] * 3, [0.0] * 3
        for axis, values in ((along, corners_mm[:, 0]), (across, corners_mm[:, 1])):
            low[axis], high[axis] = float(values.min()), float(values.max())
        touched = self._touched(grid, (low[0], low[1], low[2]), (high[0], high[1], high[2]))
        n_lines = lines_for(high[across] - low[across], grid.voxel_mm[across])
        v = lines_through(grid, across, touched[2 - across], n_lines)
        return self._filled(grid, touched, n_lines, _crossings(corners_mm, v))

    def _touched(self, grid: ImageGrid, low: Point, high: Point) -> tuple[slice, slice, slice]:
        ends = [list(low), list(high)]
        ends[0][self.axis], ends[1][self.axis] = self.low_mm, self.high_mm
        (a, b, c), (d, e, f) = ends
        return box_of(grid, (a, b, c), (d, e, f))

    def _filled(
        self,
        grid: ImageGrid,
        touched: tuple[slice, slice, slice],
        n_lines: int,
        chords: tuple[Array, Array, Array],
    ) -> RegionCoverage:
        along, across = PLANE_AXES[self.axis]
        parts = touched[2 - along], touched[2 - across]
        n_along, n_across = (part.stop - part.start for part in parts)
        first = edges_of(grid, along, parts[0])[0]
        at, low, high = chords
        start, end = ((each - first) / grid.voxel_mm[along] for each in (low, high))
        rows = np.asarray(at, np.int64) // n_lines
        plane = from_chords(rows, start, end, (n_across, n_along)) / n_lines
        depth = overlap(grid, self.axis, touched[2 - self.axis], self.low_mm, self.high_mm)
        shape = [1, 1, 1]
        shape[2 - self.axis] = len(depth)
        share: SHARES = np.expand_dims(plane, 2 - self.axis) * depth.reshape(shape)
        return RegionCoverage(start_of(touched), settled(share))


def _around(centre_mm: Point, radii_mm: Point) -> tuple[Point, Point]:
    (x, y, z), (a, b, c) = centre_mm, radii_mm
    return (x - a, y - b, z - c), (x + a, y + b, z + c)


def _crossings(corners_mm: Array, v: Array) -> tuple[Array, Array, Array]:
    """Return, for each part of a line inside a polygon, the line, and where the part ends [mm]."""
    start, end = corners_mm, np.roll(corners_mm, -1, axis=0)
    (u0, v0), (u1, v1) = start.T[:, :, None], end.T[:, :, None]
    crosses = (np.minimum(v0, v1) <= v) & (v < np.maximum(v0, v1))
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.where(crosses, u0 + (v - v0) / (v1 - v0) * (u1 - u0), np.inf)
    u = np.sort(u, axis=0)
    pairs = u[: len(u) // 2 * 2].reshape(-1, 2, len(v))
    k, at = np.nonzero(np.isfinite(pairs[:, 1]))
    return at, pairs[k, 0, at], pairs[k, 1, at]

"""Voxel coverage of boxes, ellipsoids and prisms.

ellipsoid    from the points where lines enter and leave: x = c_x ± r_x √(1 − Σ ((y − c_y) / r_y)²)
polygon      from exact areas, `engine.analysis.regions.polygon_area`
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.regions.coverage import (
    SHARES,
    Inside,
    RegionCoverage,
    between,
    box_of,
    centres_of,
    clean_share,
    edges_of,
    from_chords,
    lines_for,
    lines_through,
    overlap,
    start_of,
)
from engine.analysis.regions.polygon_area import centres_in, shares_in
from engine.core.arrays import Array
from engine.geometry.grid import ImageGrid, Point

# Lines run along x where possible, because x varies fastest in memory.
PLANE_AXES = ((1, 2), (0, 2), (0, 1))
"""The two axes of a plane across x, y and z; lines run along the first."""


def box(grid: ImageGrid, low_mm: Point, high_mm: Point) -> RegionCoverage:
    """Return the exact shares of a box along the axes.

    Parameters
    ----------
    grid
        grid of the image
    low_mm, high_mm
        lower and upper corner (x, y, z) [mm]
    """
    touched = box_of(grid, low_mm, high_mm)
    # The share of a box is the product of the overlaps along the three axes.
    z, y, x = (overlap(grid, k, touched[2 - k], low_mm[k], high_mm[k]) for k in (2, 1, 0))
    c, b, a = (between(grid, k, touched[2 - k], low_mm[k], high_mm[k]) for k in (2, 1, 0))
    share, centres = z[:, None, None] * y[:, None] * x, c[:, None, None] & b[:, None] & a
    return RegionCoverage(start_of(touched), clean_share(share), centres)


def ellipsoid(grid: ImageGrid, centre_mm: Point, radii_mm: Point) -> RegionCoverage:
    """Return the shares of an ellipsoid along the axes.

    Parameters
    ----------
    grid
        grid of the image
    centre_mm
        centre (x, y, z) [mm]
    radii_mm
        semi-axes (x, y, z) [mm]

    Returns
    -------
    RegionCoverage
        exact along x; y and z are sampled by lines
    """
    low, high = _box_of_ellipsoid(centre_mm, radii_mm)
    touched = box_of(grid, low, high)
    n_z, n_y, n_x = (part.stop - part.start for part in touched)
    # The number of lines per voxel adapts to the size: a small ellipsoid covers few voxels, each of
    # which matters more.
    lines = [lines_for(2 * radii_mm[k], grid.voxel_mm[k]) for k in range(3)]
    y = (lines_through(grid, 1, touched[1], lines[1]) - centre_mm[1]) / radii_mm[1]
    z = (lines_through(grid, 2, touched[0], lines[2]) - centre_mm[2]) / radii_mm[2]
    # Points of the lines in units of the radii: an ellipsoid becomes the unit sphere.
    inside = 1.0 - z[:, None] ** 2 - y**2
    k, j = np.nonzero(inside > 0)
    half = radii_mm[0] * np.sqrt(inside[k, j])
    rows = (k // lines[2]) * n_y + j // lines[1]
    first = edges_of(grid, 0, touched[2])[0]
    middle, edge = centre_mm[0] - first, grid.voxel_mm[0]
    summed = from_chords(rows, (middle - half) / edge, (middle + half) / edge, (n_z * n_y, n_x))
    share = summed.reshape(n_z, n_y, n_x) / (lines[1] * lines[2])
    a, b, c = (
        ((centres_of(grid, axis, touched[2 - axis]) - centre_mm[axis]) / radii_mm[axis]) ** 2
        for axis in range(3)
    )
    return RegionCoverage(
        start_of(touched), clean_share(share), c[:, None, None] + b[:, None] + a <= 1
    )


@dataclass(frozen=True)
class Prism:
    """Space between two planes across an axis, with a constant cross-section.

    Attributes
    ----------
    axis : axis across the planes; 0, 1, 2 is x, y, z
    low_mm, high_mm : positions of the planes [mm]
    """

    axis: int
    low_mm: float
    high_mm: float

    def of_ellipse(self, grid: ImageGrid, centre_mm: Point, radii_mm: Point) -> RegionCoverage:
        """Return the shares of an elliptic cylinder.

        Parameters
        ----------
        grid
            grid of the image
        centre_mm
            centre (x, y, z) [mm]; the coordinate along the axis is not used
        radii_mm
            semi-axes (x, y, z) [mm]; the one along the axis is not used
        """
        low, high = _box_of_ellipsoid(centre_mm, radii_mm)
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
        u, w = (
            ((centres_of(grid, k, touched[2 - k]) - centre_mm[k]) / radii_mm[k]) ** 2
            for k in (along, across)
        )
        plane = self._plane(grid, touched, n_lines, chords)
        return self._filled(grid, touched, plane, w[:, None] + u <= 1)

    def of_polygon(self, grid: ImageGrid, corners_mm: Array) -> RegionCoverage:
        """Return the exact shares of a prism with a polygon as cross-section.

        Parameters
        ----------
        grid
            grid of the image
        corners_mm
            (n, 2) corners along the two axes of `PLANE_AXES` [mm]
        """
        along, across = PLANE_AXES[self.axis]
        low, high = [0.0] * 3, [0.0] * 3
        for axis, values in ((along, corners_mm[:, 0]), (across, corners_mm[:, 1])):
            low[axis], high[axis] = float(values.min()), float(values.max())
        touched = self._touched(grid, (low[0], low[1], low[2]), (high[0], high[1], high[2]))
        parts = touched[2 - along], touched[2 - across]
        corner = [edges_of(grid, k, touched[2 - k])[0] for k in (along, across)]
        # `shares_in` counts in pixels from the corner of its grid.
        pixel = [grid.voxel_mm[k] for k in (along, across)]
        n_along, n_across = (part.stop - part.start for part in parts)
        plane = shares_in([(corners_mm - corner) / pixel], (n_across, n_along))
        u, w = (centres_of(grid, k, touched[2 - k]) for k in (along, across))
        return self._filled(grid, touched, plane, centres_in([corners_mm], u, w))

    def _touched(self, grid: ImageGrid, low: Point, high: Point) -> tuple[slice, slice, slice]:
        ends = [list(low), list(high)]
        ends[0][self.axis], ends[1][self.axis] = self.low_mm, self.high_mm
        (a, b, c), (d, e, f) = ends
        return box_of(grid, (a, b, c), (d, e, f))

    def _plane(
        self,
        grid: ImageGrid,
        touched: tuple[slice, slice, slice],
        n_lines: int,
        chords: tuple[Array, Array, Array],
    ) -> SHARES:
        """Return the shares of pixels in the plane, (across, along), from chords of lines."""
        along, across = PLANE_AXES[self.axis]
        n_along, n_across = (touched[2 - k].stop - touched[2 - k].start for k in (along, across))
        first = edges_of(grid, along, touched[2 - along])[0]
        at, low, high = chords
        start, end = ((each - first) / grid.voxel_mm[along] for each in (low, high))
        rows = np.asarray(at, np.int64) // n_lines
        return from_chords(rows, start, end, (n_across, n_along)) / n_lines

    def _filled(
        self,
        grid: ImageGrid,
        touched: tuple[slice, slice, slice],
        plane: SHARES,
        centres: Inside,
    ) -> RegionCoverage:
        """Return the coverage of a cross-section over all planes of the prism."""
        axis, part = self.axis, touched[2 - self.axis]
        depth = overlap(grid, axis, part, self.low_mm, self.high_mm)
        levels = between(grid, axis, part, self.low_mm, self.high_mm)
        shape = [1, 1, 1]
        shape[2 - axis] = len(depth)
        share: SHARES = np.expand_dims(plane, 2 - axis) * depth.reshape(shape)
        inside = np.expand_dims(centres, 2 - axis) & levels.reshape(shape)
        return RegionCoverage(start_of(touched), clean_share(share), inside)


def _box_of_ellipsoid(centre_mm: Point, radii_mm: Point) -> tuple[Point, Point]:
    (x, y, z), (a, b, c) = centre_mm, radii_mm
    return (x - a, y - b, z - c), (x + a, y + b, z + c)

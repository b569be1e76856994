"""Closed contours of a region in the slices of an image, as structure sets store them.

A solid has contours in closed form. At the distance d from the centre of an ellipsoid with the
semi-axis r across the slices, the axes of the contour are those of the ellipsoid times

    √(1 − (d/r)²).

An ellipse becomes a polygon of n corners with the area of the ellipse: its semi-axes are multiplied
by √((2π/n) / sin(2π/n)). All other shapes follow the edges of the voxels that are at least half
inside, so a segmentation of the same image has the same voxels. A contour around a hole is joined
with the contour around it by a channel without width (PS3.3 C.8.8.6.3), because many programs do
not combine contours by XOR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis.regions.base import RegionShape, middle_of
from engine.analysis.regions.coverage import HALF, RegionCoverage, edges_of
from engine.analysis.regions.measuring import coverage_of
from engine.analysis.regions.planar import PlanarContours
from engine.analysis.regions.solids import (
    BoxRegion,
    CylinderRegion,
    EllipsoidRegion,
    PolygonRegion,
    SphereRegion,
)
from engine.core.arrays import Array
from engine.data.volume import Volume

N_CORNERS = 120
"""Corners of an ellipse; the polygon is within 0.05 % of its radius."""
ANGLES = np.arange(N_CORNERS) * (2 * pi / N_CORNERS)
SAME_AREA = sqrt(2 * pi / N_CORNERS / sin(2 * pi / N_CORNERS))
Z = 2
Vertex = tuple[int, int]


class SliceContours(NamedTuple):
    """The contours of a region in one plane across z.

    Attributes
    ----------
    height_mm : z of the plane in the coordinates of the image [mm]
    rings : corners (n, 2) of each contour, x and y [mm]; no contour lies inside another one
    """

    height_mm: float
    rings: tuple[Array, ...]


def slice_contours(shape: RegionShape, volume: Volume) -> list[SliceContours]:
    """Return the contours of a region, from the lowest to the highest plane.

    Parameters
    ----------
    shape
        region in the coordinates of the image
    volume
        image that supplies the slices; contours that were drawn in planes keep their own planes

    Returns
    -------
    list of SliceContours
        empty if no slice has a contour

    Raises
    ------
    DataError
        if a threshold region has no level in the image
    """
    if isinstance(shape, PlanarContours):
        return list(_as_drawn(shape))
    if _has_closed_form(shape):
        heights = (float(z) for z in volume.grid.centres_mm(Z))
        found = ((z, _ring_at(shape, z)) for z in heights)
        return [SliceContours(z, (ring,)) for z, ring in found if ring is not None]
    return list(_of_voxels(coverage_of(shape, volume), volume))


def _as_drawn(shape: PlanarContours) -> Iterator[SliceContours]:
    heights, rings = np.array(shape.heights_mm), shape.rings
    for height in np.unique(heights):
        own = tuple(rings[k] for k in np.flatnonzero(heights == height))
        yield SliceContours(float(height), joined(own))


def _has_closed_form(shape: RegionShape) -> bool:
    if isinstance(shape, PolygonRegion):
        return shape.axis == Z
    return isinstance(shape, SphereRegion | EllipsoidRegion | BoxRegion | CylinderRegion)


def _ring_at(shape: RegionShape, z: float) -> Array | None:
    """Return the contour (n, 2) of a solid at a height; None outside the solid."""
    low, high = shape.bounds_mm
    # Half open, as for voxel centres: adjacent regions share no slice.
    if not low[Z] <= z < high[Z]:
        return None
    if isinstance(shape, PolygonRegion):
        return np.array(shape.corners_mm, float)
    middle = np.array(middle_of(shape.bounds_mm))
    half = (np.array(high) - np.array(low)) / 2
    part = sqrt(max(0.0, 1.0 - ((z - middle[Z]) / half[Z]) ** 2))
    if isinstance(shape, SphereRegion | EllipsoidRegion):
        return _ellipse(middle, half * part) if part else None
    if isinstance(shape, CylinderRegion):
        if shape.axis == Z:
            return _ellipse(middle, half)
        # Along the slices a cylinder is a rectangle, as long as the cylinder and a chord wide.
        half[1 - shape.axis] *= part
        return _rectangle(middle, half) if part else None
    return _rectangle(middle, half)


def _ellipse(middle: Array, half: Array) -> Array:
    x, y = (middle[k] + SAME_AREA * half[k] * f(ANGLES) for k, f in ((0, np.cos), (1, np.sin)))
    return np.stack([x, y], axis=1)


def _rectangle(middle: Array, half: Array) -> Array:
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return np.asarray(middle[:2] + signs * half[:2])


def _of_voxels(coverage: RegionCoverage, volume: Volume) -> Iterator[SliceContours]:
    grid, (first, down, across) = volume.grid, coverage.box
    x, y = edges_of(grid, 0, across), edges_of(grid, 1, down)
    heights = grid.centres_mm(Z)
    for k, share in enumerate(coverage.share, first.start):
        rings = borders_of(share >= HALF)
        if rings:
            placed = tuple(np.stack([x[each[:, 0]], y[each[:, 1]]], axis=1) for each in rings)
            yield SliceContours(float(heights[k]), joined(placed))


def borders_of(inside: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Return the closed borders of the voxels of a slice.

    Parameters
    ----------
    inside
        (n_y, n_x) voxels

    Returns
    -------
    list of arrays
        corners (n, 2) of each border, x and y in voxel edges. The area of an outer border is
        positive, and that of a hole negative. Voxels that share only a corner have two borders.
    """
    after = _edges_by_start(np.pad(inside, 1))
    borders = list[NDArray[np.int64]]()
    while after:
        start = next(iter(after))
        borders.append(_corners(_walk(after, start)))
    return borders


def _edges_by_start(padded: NDArray[np.bool_]) -> dict[Vertex, list[Vertex]]:
    """Return the border edges by their first vertex; voxels lie to the right of an edge."""
    after: dict[Vertex, list[Vertex]] = {}
    sides: Sequence[tuple[Vertex, Vertex, Vertex]] = (
        ((-1, 0), (0, 0), (1, 0)),
        ((0, 1), (1, 0), (1, 1)),
        ((1, 0), (1, 1), (0, 1)),
        ((0, -1), (0, 1), (0, 0)),
    )
    for neighbour, start, end in sides:
        outside = ~np.roll(padded, (-neighbour[0], -neighbour[1]), (0, 1))
        # The padding has one voxel at each side, so vertices count from 1 there.
        for row, column in zip(*np.nonzero(padded & outside), strict=True):
            x, y = int(column) - 1, int(row) - 1
            after.setdefault((x + start[0], y + start[1]), []).append((x + end[0], y + end[1]))
    return after


def _walk(after: dict[Vertex, list[Vertex]], start: Vertex) -> list[Vertex]:
    """Return the vertices of one border, and remove its edges."""
    found, at, step = [start], start, (0, 0)
    while True:
        ends = after[at]
        # At a vertex of two voxels that share only a corner, the turn to the right stays with the
        # same voxel.
        right = at[0] - step[1], at[1] + step[0]
        end = right if right in ends else ends[0]
        ends.remove(end)
        if not ends:
            del after[at]
        if end == start:
            return found
        step, at = (end[0] - at[0], end[1] - at[1]), end
        found.append(end)


def _corners(vertices: list[Vertex]) -> NDArray[np.int64]:
    """Return the vertices at which a border turns."""
    points = np.array(vertices, np.int64)
    steps = np.roll(points, -1, axis=0) - points
    return points[(steps != np.roll(steps, 1, axis=0)).any(axis=1)]


def joined(rings: Sequence[Array]) -> tuple[Array, ...]:
    """Join each contour of a hole with the contour around the hole.

    Parameters
    ----------
    rings
        corners (n, 2) of contours; a contour inside an odd number of others bounds a hole.
        Contours that cross each other stay as they are

    Returns
    -------
    tuple of arrays
        contours with the same area by the even-odd rule
    """
    boxes = _boxes(rings)
    around = [_around(k, rings, boxes) for k in range(len(rings))]
    whole = {k: ring for k, ring in enumerate(rings) if len(around[k]) % 2 == 0}
    holes = [k for k in range(len(rings)) if k not in whole]
    # From left to right: a channel to the left then ends at the outer contour, or at a hole that
    # has a channel already.
    for k in sorted(holes, key=lambda each: float(rings[each][:, 0].min())):
        outer = [o for o in around[k] if o in whole and len(around[o]) == len(around[k]) - 1]
        if len(outer) == 1:
            whole[outer[0]] = _with_channel(whole[outer[0]], rings[k])
        else:  # contours that cross each other
            whole[k] = rings[k]
    return tuple(whole.values())


def _boxes(rings: Sequence[Array]) -> tuple[Array, Array]:
    """Return the lower and upper corners (n, 2) of the contours."""
    corners = [(each.min(axis=0), each.max(axis=0)) for each in rings]
    low, high = (np.array(ends).reshape(-1, 2) for ends in zip(*corners, strict=True))
    return low, high


def _around(k: int, rings: Sequence[Array], boxes: tuple[Array, Array]) -> list[int]:
    """Return the contours around a contour."""
    # Borders of voxels can share corners but no edge, so the middle of an edge is inside or outside
    # of the others.
    middle = (rings[k][0] + rings[k][1]) / 2
    low, high = boxes
    # A slice can have thousands of holes, and nearly all of the others are elsewhere.
    near = np.flatnonzero(((low <= middle) & (middle <= high)).all(axis=1))
    return [n for n in near.tolist() if n != k and _contains(rings[n], middle)]


def _contains(ring: Array, point: Array) -> bool:
    return bool(np.count_nonzero(_crossings(ring, point)[0] < point[0]) % 2)


def _crossings(ring: Array, point: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return where a horizontal line through a point crosses a contour, and in which edges."""
    start, end = ring, np.roll(ring, -1, axis=0)
    # Half open: a line through a corner crosses one of its two edges.
    edges = np.flatnonzero((start[:, 1] > point[1]) != (end[:, 1] > point[1]))
    a, b = start[edges], end[edges]
    return a[:, 0] + (point[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0]), edges


def _with_channel(outer: Array, hole: Array) -> Array:
    """Return the contour of an area with a hole, joined by a horizontal channel to the left."""
    k = int(hole[:, 0].argmin())
    hole = np.roll(hole, -k, axis=0)
    # A vertical edge has its leftmost point in the middle as well. There the channel does not touch
    # corners of other voxels.
    if hole[1, 0] == hole[0, 0]:
        begin = hole[0] + (hole[1] - hole[0]) / 4
        hole = np.concatenate([begin[None], hole[1:], hole[:1]])
    places, edges = _crossings(outer, hole[0])
    left = places < hole[0, 0]
    if not left.any():  # contours that cross each other
        return np.concatenate([outer, outer[:1], hole, hole[:1]])
    i = int(np.where(left, places, -np.inf).argmax())
    gate, after = np.array([[places[i], hole[0, 1]]]), int(edges[i]) + 1
    return np.concatenate([outer[:after], gate, hole, hole[:1], gate, outer[after:]])

"""Slices of a volume in the planes of another image, without Qt.

Where the volume's axes lie along those of the picture, a slice is two of its own blended along the
normal: at d = (depth − first centre) / voxel, with i = ⌊d⌋ and w = d − i,

    (1 − w) slice_i + w slice_(i+1)

and its pixels stay its own. Else it is trilinear at points of the plane, NaN outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from app.views.fusion.trilinear import plane_values
from app.views.planes.placing import VolumePlacing
from engine.data import Volume
from engine.geometry import ImageGrid, Orientation, Point, Rect

Values = NDArray[np.float32]
Cut = Callable[[int, int], Values]
N_ACROSS = 340
"""Most points along the longer side of a plane that lies askew in a volume."""
SAME = 1e-3
"""Part of a voxel that no eye tells."""


def slice_through(
    volume: Volume,
    placing: VolumePlacing,
    orientation: Orientation,
    point_mm: Point,
    *,
    blended: bool = True,
    cut: Cut | None = None,
) -> tuple[Values, Rect] | None:
    """Return a slice of a volume in the plane of an image, and its rectangle in that plane [mm].

    Parameters
    ----------
    volume
        the volume that is shown
    placing
        position and rotation of the volume
    orientation
        the plane of the image
    point_mm
        a point of the image in the plane
    blended
        True interpolates between slices, False takes the nearest slice
    cut
        replaces the slice (axis, index) of a volume with parallel axes by a volume one voxel
        deep, such as a slab of several slices

    Returns
    -------
    (rows, columns) values, NaN where there is none, and their place; None where the plane misses
    the volume
    """
    rect = placing.rect(orientation, volume.grid)
    if not placing.is_straight:
        step = max(max(rect.width, rect.height) / N_ACROSS, min(volume.grid.voxel_mm))
        shape = (math.ceil(rect.height / step), math.ceil(rect.width / step))
        values = _askew(volume, placing, orientation, point_mm, rect, shape)
        return None if np.isnan(values).all() else (values, rect)
    own = placing.seen(orientation)
    depth = float(placing.to_volume(np.array(point_mm))[own.normal])
    values_there = _between(volume, own, depth, blended=blended, cut=cut)
    return None if values_there is None else (values_there, rect)


def resampled(
    volume: Volume,
    placing: VolumePlacing,
    orientation: Orientation,
    point_mm: Point,
    rect: Rect,
    shape: tuple[int, int],
) -> Values:
    """Return a volume's values at the pixels (rows, columns) of a rectangle; NaN outside."""
    if not placing.is_straight:
        return _askew(volume, placing, orientation, point_mm, rect, shape)
    found = slice_through(volume, placing, orientation, point_mm)
    if found is None:
        return np.full(shape, np.nan, np.float32)
    values, there = found
    if values.shape == shape and _is_same(there, rect):
        return values
    down = _line(there.v, there.height, values.shape[0], rect.v, rect.height, shape[0])
    across = _line(there.u, there.width, values.shape[1], rect.u, rect.width, shape[1])
    return _blend(_blend(values, *down).T, *across).T


def on_plane(
    volume: Volume,
    placing: VolumePlacing,
    corner_mm: NDArray[np.float64],
    ways: tuple[NDArray[np.float64], NDArray[np.float64]],
    rect: Rect,
    shape: tuple[int, int],
) -> Values:
    """Return a volume's values at the pixels (rows, columns) of a rectangle that lies anyhow.

    Parameters
    ----------
    volume, placing
        whose values, and where it lies
    corner_mm
        (x, y, z) of the picture where the rectangle begins
    ways
        unit vectors (x, y, z) down and across
    rect
        its size [mm]
    shape
        pixels down and across

    Returns
    -------
    (rows, columns), NaN outside the volume
    """
    steps = np.stack([ways[0] * rect.height / shape[0], ways[1] * rect.width / shape[1]], 1)
    first = corner_mm + steps @ (0.5, 0.5)
    voxel = np.array(volume.grid.voxel_mm)
    start = volume.grid.to_voxels(placing.to_volume(first)) - 0.5
    down, across = (placing.matrix @ steps / voxel[:, None]).T[:, ::-1]
    return plane_values(volume.values, start[::-1], (down, across), shape)


def value_at(volume: Volume, placing: VolumePlacing, point_mm: Point) -> float | None:
    """Return the value of the voxel of a volume under a point of the picture; None outside."""
    x, y, z = (float(each) for each in placing.to_volume(np.array(point_mm)))
    index = volume.grid.index_of((x, y, z))
    return None if index is None else float(volume.values[index])


def _between(
    volume: Volume, own: Orientation, depth_mm: float, *, blended: bool, cut: Cut | None
) -> Values | None:
    grid: ImageGrid = volume.grid
    n = grid.shape[2 - own.normal]
    place = (depth_mm - float(grid.lower_mm[own.normal])) / grid.voxel_mm[own.normal] - 0.5
    if not -0.5 - SAME <= place <= n - 0.5 + SAME:
        return None
    place = min(max(place, 0.0), n - 1.0)
    if cut is not None:
        return own.extract(cut(own.normal, round(place)), 0)
    first = min(math.floor(place), max(n - 2, 0))
    weight = place - first
    if weight < SAME or weight > 1 - SAME or not blended:
        return own.extract(volume.values, first + round(weight))
    lower, upper = (own.extract(volume.values, first + k) for k in (0, 1))
    lower *= np.float32(1 - weight)
    upper *= np.float32(weight)
    lower += upper
    return lower


def _askew(
    volume: Volume,
    placing: VolumePlacing,
    orientation: Orientation,
    point_mm: Point,
    rect: Rect,
    shape: tuple[int, int],
) -> Values:
    down, across = np.zeros(3), np.zeros(3)
    down[orientation.down.axis] = orientation.down.sign
    across[orientation.right.axis] = orientation.right.sign
    corner = orientation.to_patient(rect.u, rect.v, point_mm[orientation.normal])
    return on_plane(volume, placing, np.array(corner), (down, across), rect, shape)


def _line(
    start: float, length: float, n: int, wanted: float, wanted_length: float, n_wanted: int
) -> tuple[NDArray[np.intp], Values, NDArray[np.bool_]]:
    """Return lower neighbours, weights of the upper ones, and which pixels lie within."""
    middle = wanted + (np.arange(n_wanted) + 0.5) * (wanted_length / n_wanted)
    place = (middle - start) * (n / length) - 0.5
    inside = (place >= -0.5 - SAME) & (place <= n - 0.5 + SAME)
    place = np.clip(place, 0, n - 1)
    lower = np.minimum(place.astype(np.intp), max(n - 2, 0))
    return lower, (place - lower).astype(np.float32), inside


def _blend(
    values: Values, lower: NDArray[np.intp], weight: Values, inside: NDArray[np.bool_]
) -> Values:
    """Interpolate along the first axis."""
    upper = np.minimum(lower + 1, len(values) - 1)
    found = values[lower] * (1 - weight)[:, None]
    found += values[upper] * weight[:, None]
    found[~inside] = np.nan
    return np.asarray(found, np.float32)


def _is_same(one: Rect, other: Rect) -> bool:
    return all(
        math.isclose(a, b, abs_tol=SAME)
        for a, b in (
            (one.u, other.u),
            (one.v, other.v),
            (one.width, other.width),
            (one.height, other.height),
        )
    )

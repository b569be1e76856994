"""Slices of a volume in the planes of another image, without Qt.

If the volume's axes are parallel to those of the image, a slice is a blend of two of its own slices
at d = (depth − first centre) / voxel, with i = ⌊d⌋ and w = d − i,

    (1 − w) slice_i + w slice_(i+1)

and its pixels are not resampled. Otherwise values are interpolated trilinearly at points of the
plane, NaN outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from app.views.fusion.trilinear import plane_values
from app.views.planes.placing import VolumePlacing
from app.views.slices.plane_cache import slice_of
from engine.data import Volume
from engine.geometry import ImageGrid, Orientation, Point, Rect

Values = NDArray[np.float32]
Cut = Callable[[int, int], Values]
Index = tuple[int, int, int]
N_ACROSS = 340
"""Largest number of points along the longer side of an oblique plane."""
SAME = 1e-3
"""Shift that cannot be seen, as a share of a voxel."""


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
        # No finer than a voxel: more points would show nothing new.
        step = max(max(rect.width, rect.height) / N_ACROSS, min(volume.grid.voxel_mm))
        shape = (math.ceil(rect.height / step), math.ceil(rect.width / step))
        values = _oblique_slice(volume, placing, orientation, point_mm, rect, shape)
        return None if np.isnan(values).all() else (values, rect)
    own = placing.seen(orientation)
    depth = float(placing.to_volume(np.array(point_mm))[own.normal])
    values_there = _parallel_slice(volume, own, depth, blended=blended, cut=cut)
    return None if values_there is None else (values_there, rect)


def resampled(
    volume: Volume,
    placing: VolumePlacing,
    orientation: Orientation,
    point_mm: Point,
    rect: Rect,
    shape: tuple[int, int],
) -> Values:
    """Return the values of a volume at the pixels of a rectangle.

    Parameters
    ----------
    volume
        the volume
    placing
        position and rotation of the volume
    orientation
        the plane of the image
    point_mm
        a point of the image in the plane
    rect
        the rectangle in the plane [mm]
    shape
        number of rows and columns

    Returns
    -------
    (rows, columns) values, NaN outside the volume
    """
    if not placing.is_straight:
        return _oblique_slice(volume, placing, orientation, point_mm, rect, shape)
    found = slice_through(volume, placing, orientation, point_mm)
    if found is None:
        return np.full(shape, np.nan, np.float32)
    values, there = found
    # The usual case of two images from one scan needs no interpolation.
    if values.shape == shape and _is_same_rect(there, rect):
        return values
    down = _neighbours(there.v, there.height, values.shape[0], rect.v, rect.height, shape[0])
    across = _neighbours(there.u, there.width, values.shape[1], rect.u, rect.width, shape[1])
    # Separable: one axis after the other, with a transposition in between.
    return _blend(_blend(values, *down).T, *across).T


def on_plane(
    volume: Volume,
    placing: VolumePlacing,
    corner_mm: NDArray[np.float64],
    ways: tuple[NDArray[np.float64], NDArray[np.float64]],
    rect: Rect,
    shape: tuple[int, int],
) -> Values:
    """Return the values of a volume at the pixels of a rectangle of any orientation.

    Parameters
    ----------
    volume, placing
        the volume and its position
    corner_mm
        (x, y, z) of the first corner of the rectangle, in the image
    ways
        unit vectors (x, y, z) down and across
    rect
        size of the rectangle [mm]
    shape
        number of rows and columns

    Returns
    -------
    (rows, columns), NaN outside the volume
    """
    steps = np.stack([ways[0] * rect.height / shape[0], ways[1] * rect.width / shape[1]], 1)
    # The centre of the first pixel, half a step from the corner.
    first = corner_mm + steps @ (0.5, 0.5)
    voxel = np.array(volume.grid.voxel_mm)
    start = volume.grid.to_voxels(placing.to_volume(first)) - 0.5
    down, across = (placing.matrix @ steps / voxel[:, None]).T[:, ::-1]
    return plane_values(volume.values, start[::-1], (down, across), shape)


def index_at(volume: Volume, placing: VolumePlacing, point_mm: Point) -> Index | None:
    """Return the voxel of a volume at a point of the image.

    Parameters
    ----------
    volume, placing
        the volume and its position
    point_mm
        point of the image [mm]

    Returns
    -------
    (z, y, x); None outside the volume
    """
    # No interpolation: the status line states values that are stored in the file.
    x, y, z = (float(each) for each in placing.to_volume(np.array(point_mm)))
    return volume.grid.index_of((x, y, z))


def _parallel_slice(
    volume: Volume, own: Orientation, depth_mm: float, *, blended: bool, cut: Cut | None
) -> Values | None:
    grid: ImageGrid = volume.grid
    n = grid.shape[2 - own.normal]
    place = (depth_mm - float(grid.lower_mm[own.normal])) / grid.voxel_mm[own.normal] - 0.5
    # The outer half voxel still belongs to the volume.
    if not -0.5 - SAME <= place <= n - 0.5 + SAME:
        return None
    place = min(max(place, 0.0), n - 1.0)
    if cut is not None:
        return own.extract(cut(own.normal, round(place)), 0)
    first = min(math.floor(place), max(n - 2, 0))
    weight = place - first
    # Rounding of the geometry must not blend two slices that coincide with the plane.
    if weight < SAME or weight > 1 - SAME or not blended:
        return slice_of(volume, own, first + round(weight))
    lower, upper = (slice_of(volume, own, first + k) for k in (0, 1))
    # In place: `slice_of` returns copies, and full slices are large.
    lower *= np.float32(1 - weight)
    upper *= np.float32(weight)
    lower += upper
    return lower


def _oblique_slice(
    volume: Volume,
    placing: VolumePlacing,
    orientation: Orientation,
    point_mm: Point,
    rect: Rect,
    shape: tuple[int, int],
) -> Values:
    # The directions of the screen as vectors of the image.
    down, across = np.zeros(3), np.zeros(3)
    down[orientation.down.axis] = orientation.down.sign
    across[orientation.right.axis] = orientation.right.sign
    corner = orientation.to_patient(rect.u, rect.v, point_mm[orientation.normal])
    return on_plane(volume, placing, np.array(corner), (down, across), rect, shape)


def _neighbours(
    start: float, length: float, n: int, wanted: float, wanted_length: float, n_wanted: int
) -> tuple[NDArray[np.intp], Values, NDArray[np.bool_]]:
    """Return lower neighbours, weights of the upper ones, and which pixels are inside."""
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


def _is_same_rect(one: Rect, other: Rect) -> bool:
    return all(
        math.isclose(a, b, abs_tol=SAME)
        for a, b in (
            (one.u, other.u),
            (one.v, other.v),
            (one.width, other.width),
            (one.height, other.height),
        )
    )

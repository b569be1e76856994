"""Search for a good first cursor position in a volume, without Qt."""

from __future__ import annotations

import numpy as np

from app.views.planes.plane_geometry import clamp_to, slice_index
from engine.data import Volume
from engine.geometry import ImageGrid, Point

SEEN = 0.1
"""Share of the window below which values are hardly visible."""


def initial_cursor(volume: Volume, bright_top: float) -> Point:
    """Return the centre of activity, or the brightest voxel if nothing is visible there.

    Between two point sources, for example, a slice may meet neither of them.

    Parameters
    ----------
    volume
        the volume
    bright_top
        typical bright value, from `windows.bright_top`

    Returns
    -------
    a voxel centre [mm]
    """
    centre = centre_of_activity(volume)
    if shows_something(volume, centre, bright_top) or not any(
        (plane > 0).any() for plane in volume.values
    ):
        return centre
    # The brightest voxel is visible by definition.
    z, y, x = np.unravel_index(int(np.nanargmax(volume.values)), volume.values.shape)
    return _voxel_centre(volume.grid, (int(x), int(y), int(z)))


def shows_something(volume: Volume, point_mm: Point, bright_top: float) -> bool:
    """Return True if each of the three slices through a point shows something.

    Parameters
    ----------
    volume
        the volume
    point_mm
        the point [mm]
    bright_top
        typical bright value
    """
    values, least = volume.values, SEEN * bright_top
    places = (slice_index(volume.grid, axis, point_mm[axis]) for axis in range(3))
    slices = (np.take(values, place, axis=2 - axis) for axis, place in enumerate(places))
    return all(bool((plane > least).any()) for plane in slices)


def centre_of_activity(volume: Volume) -> Point:
    """Return the mean position of positive values.

    Parameters
    ----------
    volume
        the volume

    Returns
    -------
    a voxel centre [mm]; that at the centre of the grid if no value is positive
    """
    grid = volume.grid
    # At most 64 samples per axis: the cursor needs no more precision.
    steps = [max(1, n // 64) for n in grid.shape]
    thinned = volume.values[:: steps[0], :: steps[1], :: steps[2]]
    weights = np.where(np.isfinite(thinned) & (thinned > 0), thinned, 0).astype(np.float64)
    total = weights.sum()
    if total <= 0:
        return clamp_to(grid, grid.centre_mm)
    places = []
    for axis in range(3):
        centres = grid.centres_mm(axis)[:: steps[2 - axis]]
        others = tuple(other for other in range(3) if other != 2 - axis)
        places.append(float(weights.sum(axis=others) @ centres / total))
    return clamp_to(grid, _on_voxel_centre(grid, places))


def _on_voxel_centre(grid: ImageGrid, point_mm: list[float]) -> Point:
    x, y, z = (slice_index(grid, axis, point_mm[axis]) for axis in range(3))
    return _voxel_centre(grid, (x, y, z))


def _voxel_centre(grid: ImageGrid, indices: tuple[int, int, int]) -> Point:
    x, y, z = (float(grid.centres_mm(axis)[index]) for axis, index in enumerate(indices))
    return x, y, z

"""Linear interpolation of a volume at points, and after a rigid motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.rigid_motion import Matrix, RigidMotion

NOTHING = 1e-9


def values_at(volume: Volume, points_mm: Matrix, outside: float = 0.0) -> NDArray[np.float32]:
    """Interpolate a volume at points.

    Parameters
    ----------
    volume
        the volume
    points_mm
        (n, 3) x, y, z
    outside
        value of points outside the volume

    Returns
    -------
    (n,) float32
    """
    from scipy.ndimage import map_coordinates

    # SciPy counts from voxel centres and in the order z, y, x.
    places = (volume.grid.to_voxels(points_mm) - 0.5).T[::-1]
    found = map_coordinates(volume.values, places, order=1, mode="constant", cval=outside)
    return np.asarray(found, np.float32)


def moved(volume: Volume, motion: RigidMotion) -> Volume:
    """Return a volume after a rigid motion.

    The new grid has the same voxel size and contains the whole moved volume. Values outside the
    original volume are 0.

    Parameters
    ----------
    volume
        the volume
    motion
        rotation about the centre of the grid, then shift
    """
    from scipy.ndimage import affine_transform

    if motion.angle_deg < NOTHING:  # only the grid moves
        x, y, z = (
            float(a + b) for a, b in zip(volume.grid.centre_mm, motion.shift_mm, strict=True)
        )
        return replace(volume, grid=replace(volume.grid, centre_mm=(x, y, z)))
    grid = _storage(volume.grid, motion)
    voxel = np.array(volume.grid.voxel_mm)
    # Centre of the first voxel of the new grid, mapped back into the old one.
    first = np.array([[grid.centres_mm(axis)[0] for axis in range(3)]])
    start = volume.grid.to_voxels(motion.back(first, volume.grid.centre_mm))[0] - 0.5
    steps = motion.matrix.T * voxel / voxel[:, None]  # one step of the new grid, in old voxels
    values = affine_transform(
        volume.values, steps[::-1, ::-1], start[::-1], grid.shape, order=1, mode="grid-constant"
    )
    return replace(volume, values=np.ascontiguousarray(values, np.float32), grid=grid)


def _storage(grid: ImageGrid, motion: RigidMotion) -> ImageGrid:
    """Return a grid of the same voxel size that contains a volume after its motion."""
    voxel = np.array(grid.voxel_mm)
    # The bounding box of a rotated box: absolute values of the matrix times its size. A tolerance
    # keeps rounding from adding a voxel.
    n = np.ceil(np.abs(motion.matrix) @ grid.size_mm / voxel - NOTHING).astype(int)
    # The centre moves with the volume, because the rotation is about it.
    x, y, z = (float(a + b) for a, b in zip(grid.centre_mm, motion.shift_mm, strict=True))
    shape = (int(n[2]), int(n[1]), int(n[0]))
    return replace(grid, shape=shape, centre_mm=(x, y, z))

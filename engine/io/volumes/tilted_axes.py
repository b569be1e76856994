"""Resample volumes with tilted axes (oblique slices, tilted gantry) onto straight patient axes.

A file states the centre of voxel (i, j, k) by a matrix M: p = M (i, j, k, 1) [mm, LPS]. With a
tilted gantry, the step between slices is not perpendicular to them. By linear interpolation,

    value(p) = values at M⁻¹ p, `fill` outside.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.ranges import stated_grid
from engine.io.volumes.straight_axes import MAX_TILT, straightened

SHEARED_DEG = 0.06
Matrix = NDArray[np.float64]


def upright(
    path: Path, values: NDArray[np.float32], affine: Matrix, fill: float
) -> tuple[NDArray[np.float32], ImageGrid, tuple[str, ...]]:
    """Return [z, y, x] values along LPS, their grid, and a note if they were resampled.

    Parameters
    ----------
    path
        file, for error messages
    values
        (n_i, n_j, n_k); k counts slices
    affine
        (4, 4) from voxel numbers to LPS [mm]
    fill
        value outside the slices

    Raises
    ------
    GeometryError
        if the slices do not form a volume
    """
    edges = np.linalg.norm(affine[:3, :3], axis=0)
    is_flat = not np.isfinite(affine).all() or (edges <= 0).any()
    if is_flat or abs(np.linalg.det(affine[:3, :3] / edges)) < MAX_TILT:
        raise GeometryError(
            f"{path.name}: its affine matrix is singular or contains NaN, so its slices do not "
            "form a volume; export it again."
        )
    cosines = affine[:3, :3] / edges
    world = _nearest_axes(cosines)
    off = np.abs(cosines)
    off[world, range(3)] = 0
    if off.max() <= MAX_TILT:
        # Straight volumes are not interpolated: their values stay exact.
        return *straightened(path, values, affine), ()
    voxel = tuple(float(edges[list(world).index(axis)]) for axis in range(3))
    lower, upper = _box(values.shape, affine)
    # The tolerance prevents an extra voxel from rounding.
    n = np.ceil((upper - lower) / voxel - MAX_TILT).astype(int)
    grid = stated_grid(path, tuple(int(m) for m in n[::-1]), voxel, (lower + upper) / 2)
    refuse_large_data(4 * grid.n_voxels, path.name)
    note = (
        f"{path.name}: its axes are tilted by {np.degrees(np.arcsin(min(off.max(), 1.0))):.1f}° "
        f"against the patient axes; it was resampled onto straight voxels of {grid.describe()}. "
        f"Voxels outside it have the value {fill:g}.{_shear(cosines)}"
    )
    return _resampled(values, affine, grid, fill), grid, (note,)


def _shear(cosines: Matrix) -> str:
    """Return a sentence on the shear of the slices, "" if they are perpendicular to their step."""
    normal = np.cross(cosines[:, 0], cosines[:, 1])
    along = abs(float(normal @ cosines[:, 2])) / float(np.linalg.norm(normal))
    lean = float(np.degrees(np.arccos(min(along, 1.0))))
    return f" Its axes are sheared by {lean:.1f}°, as by a tilted gantry." * (lean > SHEARED_DEG)


def _nearest_axes(cosines: Matrix) -> NDArray[np.intp]:
    """Return the nearest LPS axis of each of three directions, each axis once."""
    # Near 45°, two directions can have the same nearest axis, so assign all three at once. SciPy's
    # assignment would take a quarter of a second to import.
    along = np.abs(cosines)
    orders = permutations(range(3))
    return np.array(max(orders, key=lambda order: sum(along[order, range(3)])), np.intp)


def _box(shape: tuple[int, ...], affine: Matrix) -> tuple[Matrix, Matrix]:
    """Return the corners of the straight box around all voxels [mm]."""
    corners = np.array(np.meshgrid(*([-0.5, n - 0.5] for n in shape), indexing="ij"))
    points = affine[:3, :3] @ corners.reshape(3, -1) + affine[:3, 3:]
    return points.min(axis=1), points.max(axis=1)


def _resampled(
    values: NDArray[np.float32], affine: Matrix, grid: ImageGrid, fill: float
) -> NDArray[np.float32]:
    from scipy.ndimage import affine_transform

    back = np.linalg.inv(affine)
    first = [float(grid.centres_mm(axis)[0]) for axis in range(3)]
    # scipy maps output indices (z, y, x) to input indices (i, j, k), so columns are reversed.
    per_voxel = (back[:3, :3] * np.array(grid.voxel_mm))[:, ::-1]
    offset = back[:3] @ [*first, 1]
    found = affine_transform(
        values, per_voxel, offset, grid.shape, order=1, mode="grid-constant", cval=fill
    )
    return np.ascontiguousarray(found, np.float32)

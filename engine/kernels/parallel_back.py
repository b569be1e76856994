"""Voxel-driven back projection of parallel rays perpendicular to z, by detector rows.

    out(x) = Σ_views y_view(a, b) / τ²,   (τ a, τ b, τ) = M_view (x, 1)

Symbols and coordinates are those of `cone_back`. Here τ is constant, and b depends only on z. Two
rows of a view are therefore interpolated once for a slice, and its lines along x read the result.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.cone.cone_back import MATH, STILL, Corner
from engine.kernels.vectors.window import MARGIN, add_between

_KERNEL = cached_njit(**MATH)
_INLINE = njit(inline="always", **MATH)

LINES = 16
"""Lines of voxels that share an interpolated row, so that they stay in the L1 cache."""


LEVEL = 1e-6
"""Maximum change of the detector row over the width of a slice."""


def are_level(matrices: Array, shape: tuple[int, int]) -> bool:
    """Return True if each slice has one detector row in each view, for parallel rays.

    Parameters
    ----------
    matrices
        (n_views, 3, 4) from voxels to the detector
    shape
        (n_y, n_x) of a slice
    """
    if matrices[:, 2, :3].any():
        return False
    climb = np.abs(matrices[:, 1, :2]) @ np.array(shape[::-1]) / np.abs(matrices[:, 2, 3])
    return bool((climb < LEVEL).all())


def level_buffers(n_columns: int) -> Array:
    """Return the working memory of a thread for `parallel`.

    Parameters
    ----------
    n_columns
        columns of the detector
    """
    return np.zeros(n_columns + 2 * MARGIN, np.float32)  # margins are read with weight 0


@_KERNEL
def parallel(
    start: int, stop: int, matrices: Array, corner: Corner, middle: int, projections: Array,
    n_columns: int, blend: Array, out: Array,
) -> None:  # fmt: skip
    """Add all views to the lines of voxels start ... stop - 1, counted through (z, y).

    Parameters
    ----------
    start, stop
        range of lines
    matrices
        (n_views, 3, 4)
    corner
        voxel (y, x, z) of the volume at the first voxel of `out`
    middle
        voxel from which x is counted, so that a box has the bits of the whole volume
    projections
        (n_views, n_rows * n_columns), rows contiguous
    n_columns
        columns of the detector
    blend
        from `level_buffers`
    out
        (n_z, n_y, n_x), any box
    """
    n_y = out.shape[1]
    first = start
    while first < stop:
        z = first // n_y
        end = min(first + LINES, (z + 1) * n_y, stop)
        for n in range(len(projections)):
            m, height = matrices[n], corner[2] + z + 0.5
            per_depth = 1.0 / m[2, 3]
            b = (m[1, 2] * height + m[1, 3]) * per_depth + 0.5
            if not 0.0 <= b < projections.shape[1] // n_columns - 1.0:
                continue
            _blend(projections[n], b, per_depth * per_depth, n_columns, blend)
            step, at_x = m[0, 0] * per_depth, middle + 0.5
            for line in range(first, end):
                y = corner[0] + line % n_y + 0.5
                a = (m[0, 0] * at_x + m[0, 1] * y + m[0, 2] * height + m[0, 3]) * per_depth + 0.5
                _add_row(blend, a, step, n_columns - 1.0, corner[1] - middle, out[z, line % n_y])
        first = end


@_INLINE
def _blend(view: Array, b: float, weight: float, n_columns: int, blend: Array) -> None:
    """Write the row of a view at the height b, times a weight, to `blend`."""
    real, j = blend.dtype.type, int(b)
    near, far = real((1.0 - (b - j)) * weight), real((b - j) * weight)
    low, high = view[j * n_columns : (j + 1) * n_columns], view[(j + 1) * n_columns :]
    for i in range(low.size):
        blend[MARGIN + i] = near * low[i] + far * high[i]


@_INLINE
def _add_row(row: Array, a: float, step: float, size: float, corner: int, voxels: Array) -> None:
    """Add row(a + k step) to the voxels k - corner that are projected to the row."""
    moves = step if abs(step) > STILL else STILL
    at_first, at_last = -a / moves, (size - a) / moves
    start = math.ceil(max(min(at_first, at_last), float(corner)))
    stop = math.floor(min(max(at_first, at_last), corner + voxels.size - 1.0)) + 1
    # Both quotients are rounded. Move inward until the ends are valid.
    while start < stop and not 0.0 <= a + start * step < size:
        start += 1
    while start < stop and not 0.0 <= a + (stop - 1) * step < size:
        stop -= 1
    if start < stop:
        add_between(voxels, corner, (start, stop), row, 0, a, step)

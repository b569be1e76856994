"""Voxel-driven back projection: the detector value at the projection of each voxel.

    out(x) = Σ_views y_view(a, b) / τ²,   (τ a, τ b, τ) = M_view (x, 1)

x : point in voxels from the lower corner of the box
a, b : column and row of its projection, with pixel centres at + 1/2
y : projection, linear between pixel centres and zero outside
τ : depth of the point relative to that of the detector, 1 for parallel rays
M : (3, 4) matrix of a view

The algorithm is that of Graas et al., "ASTRA KernelKit", Algorithm 1.

Volumes are [y, x, z] without a border, projections [view, column, row] with a border of one zero
pixel. If detector columns run along z (`upright`), a and τ do not change along z. Two detector
columns are then interpolated once for all voxels of a line along z.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.vectors.window import MARGIN, add_and_fetch

Corner = tuple[int, int, int]
Pair = tuple[float, float]
Tile = tuple[int, int]

MATH: Plain = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
_KERNEL = cached_njit(**MATH)
_INLINE = njit(inline="always", **MATH)

STILL = 1e-12
"""Rows per voxel, below which a line of voxels stays on one row."""


class UprightBuffers(NamedTuple):
    """Working memory of a thread for `upright`: an interpolated column, positions of a line."""

    blend: Array
    seen: Array


def upright_buffers(n_rows: int, tile: Tile) -> UprightBuffers:
    """Return the working memory for the rows of a detector and the views of a tile.

    Parameters
    ----------
    n_rows
        rows of the detector, including the border
    tile
        lines of voxels and views of a tile
    """
    # Initially zero, because margins are read with weight 0.
    blend = np.zeros(n_rows + 1 + 2 * MARGIN, np.float32)
    return UprightBuffers(blend, np.empty((6, tile[1])))


def by_entry(matrices: Array) -> Array:
    """Return matrices (n_views, 3, 4) as (3, 4, n_views): the views of an entry are contiguous."""
    return np.ascontiguousarray(matrices.transpose(1, 2, 0))


@_INLINE
def _inside(first: float, step: float, ends: Pair, size: float) -> tuple[int, int]:
    """Return the range of k between two ends for which 0 <= first + k step < size."""
    start, stop = math.ceil(ends[0]), math.floor(ends[1]) + 1
    # Both quotients are rounded. Move inward until the ends are valid, because an index outside is
    # a memory fault.
    while start < stop and not 0.0 <= first + start * step < size:
        start += 1
    while start < stop and not 0.0 <= first + (stop - 1) * step < size:
        stop -= 1
    return start, stop


@_INLINE
def _find_views(
    line: Pair, views: tuple[int, int], entries: Array, sizes: Pair, slices: Pair, seen: Array
) -> None:
    """Compute the positions of a line of voxels in some views, without branches.

    line : y, x
    entries : (3, 4, n_views)
    sizes : last column and row
    slices : first and last z
    seen : rows a, 1/τ, row of z = 0, rows per z, first and last z on the detector. First is greater
        than last if the line does not project onto the detector.
    """
    y, x = line
    for n in range(views[1] - views[0]):
        view = views[0] + n
        depth = entries[2, 0, view] * x + entries[2, 1, view] * y + entries[2, 3, view]
        per_depth = 1.0 / depth
        a = entries[0, 0, view] * x + entries[0, 1, view] * y + entries[0, 3, view]
        a = a * per_depth + 0.5
        step = entries[1, 2, view] * per_depth
        first = entries[1, 0, view] * x + entries[1, 1, view] * y + entries[1, 3, view]
        first = first * per_depth + 0.5 * step + 0.5
        # Avoids a division by 0: rows that do not move are on the detector or not.
        rows_by_z = step if abs(step) > STILL else STILL
        at_first, at_last = -first / rows_by_z, (sizes[1] - first) / rows_by_z
        # Behind the source or in its plane, no ray through this line reaches the detector.
        is_seen = (depth > 0.0) & (a >= 0.0) & (a < sizes[0])
        seen[0, n], seen[1, n], seen[2, n], seen[3, n] = a, per_depth, first, step
        seen[4, n] = max(min(at_first, at_last), slices[0]) if is_seen else slices[1] + 1.0
        seen[5, n] = min(max(at_first, at_last), slices[1])


@_KERNEL
def upright(
    start: int, stop: int, tile: Tile, entries: Array, corner: Corner, projections: Array,
    buffers: UprightBuffers, out: Array,
) -> None:  # fmt: skip
    """Add all views to the lines of voxels start ... stop - 1, counted through (y, x).

    Parameters
    ----------
    start, stop
        range of lines
    tile
        lines and views that are processed together, so that both stay in the cache; each voxel adds
        the views in order, for any tile
    entries
        (3, 4, n_views) matrices of the whole volume, from `by_entry`
    corner
        voxel (y, x, z) of the volume at out[0, 0, 0]
    projections
        (n_views, n_columns, n_rows) with a border of one zero pixel
    buffers
        working memory of this thread
    out
        (n_y, n_x, n_z), any box of the volume; its values do not depend on the box
    """
    n_x, n_z, z_0 = out.shape[1], out.shape[2], corner[2]
    n_views, n_columns, n_rows = projections.shape
    sizes, slices = (n_columns - 1.0, n_rows - 1.0), (float(z_0), z_0 + n_z - 1.0)
    real = out.dtype.type
    # Blocks of lines and views: a few projections serve many lines before they leave the cache.
    n_lines, n_views_at_once = tile
    blend, seen = buffers.blend, buffers.seen
    for line_block in range(start, stop, n_lines):
        for view in range(0, n_views, n_views_at_once):
            views = view, min(view + n_views_at_once, n_views)
            for line in range(line_block, min(line_block + n_lines, stop)):
                y, x = corner[0] + line // n_x + 0.5, corner[1] + line % n_x + 0.5
                _find_views((y, x), views, entries, sizes, slices, seen)
                voxels = out[line // n_x, line % n_x]
                for n in range(views[1] - views[0]):
                    if seen[4, n] > seen[5, n]:
                        continue
                    first, step = seen[2, n], seen[3, n]
                    from_z, to_z = _inside(first, step, (seen[4, n], seen[5, n]), sizes[1])
                    if from_z >= to_z:
                        continue
                    i = int(seen[0, n])
                    # 1/τ² once for both columns: the depth does not change along z.
                    weight = seen[1, n] * seen[1, n]
                    right_weight = real((seen[0, n] - i) * weight)
                    left_weight = real((1.0 - (seen[0, n] - i)) * weight)
                    b_a, b_b = first + from_z * step, first + (to_z - 1) * step
                    # One more row: a rounded position can read it.
                    low, high = max(int(min(b_a, b_b)) - 1, 0), int(max(b_a, b_b)) + 2
                    # Loops from zero over slices, so that Numba knows that no index is negative.
                    projection = projections[views[0] + n]
                    left, right = projection[i, low:high], projection[i + 1, low:high]
                    for row in range(left.size):
                        blend[MARGIN + row] = left_weight * left[row] + right_weight * right[row]
                    # Prefetch the columns of the next view, which are in memory or in a slower
                    # cache.
                    after = min(n + 1, views[1] - views[0] - 1)
                    is_seen = seen[4, after] <= seen[5, after]
                    i, following = (
                        int(seen[0, after]) if is_seen else 0,
                        projections[views[0] + after],
                    )
                    columns, span = (following[i], following[i + 1]), (from_z, to_z)
                    add_and_fetch(voxels, z_0, span, blend, low, first, step, columns, is_seen)

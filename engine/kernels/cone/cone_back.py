"""Voxel-driven back projection: what the detector reads where each voxel's shadow falls.

out(x) = Σ_views y_view(a, b) / τ²,   (τ a, τ b, τ) = M_view (x, 1)

a and b count columns and rows, pixel middles at + 1/2; y is linear between pixels and zero outside;
τ is the depth of the voxel over that of the detector, 1 for parallel rays. M takes points in
voxels from the lower corner of the box. (Graas et al., "ASTRA KernelKit", Algorithm 1.)

Volumes are [y, x, z], without a border; projections are [view, column, row] with a border of one
zero pixel. Where rows run along z (`upright`), a and τ do not change along z: two columns of the
detector are blended once for all voxels above each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.vectors.window import MARGIN, add_between

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

_ONE = np.uint32(1)

STILL = 1e-12
"""Rows by voxel below which a line is seen at one row throughout."""
_LEVEL = 1e-9
"""Rows by voxel that a line seen at one height may climb."""


class UprightBuffers(NamedTuple):
    """Working space of a thread for `upright`: a blended row, and where a line falls in views."""

    blend: Array
    seen: Array


def upright_buffers(n_rows: int, tile: Tile) -> UprightBuffers:
    """Room for bordered rows of a detector and the views of a tile."""
    # zero at first: margins are read with the weight 0
    blend = np.zeros(n_rows + 1 + 2 * MARGIN, np.float32)
    return UprightBuffers(blend, np.empty((6, tile[1])))


def by_entry(matrices: Array) -> Array:
    """(3, 4, n_views) of (n_views, 3, 4) matrices: the views of an entry one after the other."""
    return np.ascontiguousarray(matrices.transpose(1, 2, 0))


@_INLINE
def _inside(first: float, step: float, ends: Pair, size: float) -> tuple[int, int]:
    """Range of the numbers k between two ends, solved for, with 0 <= first + k step < size."""
    start, stop = math.ceil(ends[0]), math.floor(ends[1]) + 1
    # the quotients are rounded: move inward until the ends hold, for an index outside is a fault of
    # memory
    while start < stop and not 0.0 <= first + start * step < size:
        start += 1
    while start < stop and not 0.0 <= first + (stop - 1) * step < size:
        stop -= 1
    return start, stop


@_INLINE
def _find_views(
    line: Pair, views: tuple[int, int], entries: Array, sizes: Pair, slices: Pair, seen: Array
) -> None:
    """Find where a line of voxels falls in some views: fill rows of `seen`, without a branch.

    line : y, x; entries : (3, 4, n_views); sizes : last column and row; slices : first and last z

    Rows of `seen`: a, 1/τ, row of z = 0, rows by z, first and last z on the detector, which are
    in reverse order where none is.
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
        # a quotient by 0 would be no number: rows that do not move are on the detector or not
        rows_by_z = step if abs(step) > STILL else STILL
        one, other = -first / rows_by_z, (sizes[1] - first) / rows_by_z
        # behind the source, or beside it: no ray reaches the detector through here
        is_seen = (depth > 0.0) & (a >= 0.0) & (a < sizes[0])
        seen[0, n], seen[1, n], seen[2, n], seen[3, n] = a, per_depth, first, step
        seen[4, n] = max(min(one, other), slices[0]) if is_seen else slices[1] + 1.0
        seen[5, n] = min(max(one, other), slices[1])


@_KERNEL
def upright(
    start: int, stop: int, tile: Tile, entries: Array, corner: Corner, projections: Array,
    buffers: UprightBuffers, out: Array,
) -> None:  # fmt: skip
    """Add all views to the lines of voxels start ... stop - 1, counted through (y, x).

    tile : lines and views worked on together, so that both stay in the processor's cache; each
        voxel takes the views in their order, whatever the tile
    entries : (3, 4, n_views), the matrices of the whole volume by entry; corner : its voxel
        (y, x, z) at out[0, 0, 0]; out : (n_y, n_x, n_z), any box of the volume, whose values do not
        depend on the box
    """
    n_x, n_z, z_0 = out.shape[1], out.shape[2], corner[2]
    n_views, n_columns, n_rows = projections.shape
    sizes, slices = (n_columns - 1.0, n_rows - 1.0), (float(z_0), z_0 + n_z - 1.0)
    real = out.dtype.type
    # blocks of lines and views together: a few projections serve many lines before they leave the
    # cache
    n_lines, n_together = tile
    blend, seen = buffers.blend, buffers.seen
    for line_block in range(start, stop, n_lines):
        for view in range(0, n_views, n_together):
            views = view, min(view + n_together, n_views)
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
                    # 1/τ² once for the two columns: along z the depth stays the same
                    weight = seen[1, n] * seen[1, n]
                    one = real((seen[0, n] - i) * weight)
                    other = real((1.0 - (seen[0, n] - i)) * weight)
                    b_a, b_b = first + from_z * step, first + (to_z - 1) * step
                    # a row more, which a place that is rounded down may read
                    low, high = max(int(min(b_a, b_b)) - 1, 0), int(max(b_a, b_b)) + 2
                    # loops from zero over slices: numba then knows that no index is negative
                    projection = projections[views[0] + n]
                    left, right = projection[i, low:high], projection[i + 1, low:high]
                    for row in range(left.size):
                        blend[MARGIN + row] = other * left[row] + one * right[row]
                    add_between(voxels, z_0, (from_z, to_z), blend, low, first, step)


@_KERNEL
def general(
    start: int, stop: int, matrices: Array, corner: Corner, projections: Array, out: Array
) -> None:
    """As `upright`, for detectors of any direction."""
    n_x, n_z = out.shape[1], out.shape[2]
    n_views, n_columns, n_rows = projections.shape
    real = out.dtype.type
    for line in range(start, stop):
        y, x = corner[0] + line // n_x + 0.5, corner[1] + line % n_x + 0.5
        voxels = out[line // n_x, line % n_x]
        for view in range(n_views):
            m, projection = matrices[view], projections[view]
            # what does not change along the line; in double, since float32 leaves a column of
            # several thousands few digits for its fraction
            a_0 = m[0, 0] * x + m[0, 1] * y + m[0, 3]
            b_0 = m[1, 0] * x + m[1, 1] * y + m[1, 3]
            depth_0 = m[2, 0] * x + m[2, 1] * y + m[2, 3]
            for k in range(n_z):
                z = corner[2] + k + 0.5
                depth = depth_0 + z * m[2, 2]
                per_depth = 1.0 / depth
                a = (a_0 + z * m[0, 2]) * per_depth + 0.5
                b = (b_0 + z * m[1, 2]) * per_depth + 0.5
                if depth > 0.0 and 0.0 <= a < n_columns - 1.0 and 0.0 <= b < n_rows - 1.0:
                    i, j = int(a), int(b)
                    a, b = a - i, b - j
                    left = (1.0 - b) * projection[i, j] + b * projection[i, j + 1]
                    right = (1.0 - b) * projection[i + 1, j] + b * projection[i + 1, j + 1]
                    voxels[k] += real(((1.0 - a) * left + a * right) * per_depth * per_depth)


@_INLINE
def _blend(projection: Array, b: float, blend: Array) -> None:
    """Fill `blend` with the row at the height b of a projection."""
    real, j = blend.dtype.type, int(b)
    part, first = b - real(j), j * blend.size
    low, high = projection[first : first + blend.size], projection[first + blend.size :]
    for i in range(blend.size):
        blend[i] = low[i] + part * (high[i] - low[i])


@_INLINE
def _add(row: Array, a: Pair, depth: Pair, first: int, last: float, voxels: Array) -> None:
    """Add what a row reads to voxels; a and depth : at voxel `-first`, and from one to the next."""
    real = voxels.dtype.type
    nought = real(0.0)
    for k in range(voxels.size):
        ahead = real(np.int32(first + k))
        away = depth[0] + ahead * depth[1]
        per_depth = real(1.0) / away
        place = (a[0] + ahead * a[1]) * per_depth + real(0.5)
        inside = (away > nought) & (place >= nought) & (place < last)
        # a place that may be read in any case, with the weight 0: choosing runs on vectors,
        # branching does not
        place = place if inside else nought
        i = np.uint32(place)
        weight = per_depth * per_depth if inside else nought
        voxels[k] += weight * (row[i] + (place - real(i)) * (row[i + _ONE] - row[i]))


@_KERNEL
def thin(
    start: int, stop: int, matrices: Array, corner: Corner, middle: int, projections: Array,
    n_columns: int, blend: Array, out: Array,
) -> None:  # fmt: skip
    """As `general`, along x: for volumes of few slices, whose lines along z are too short.

    A line seen at one height, as by level rays, has two rows of the detector blended once for it.

    middle : voxel of the whole volume from which x is counted, so that a box has the bits of it
    projections : (n_views, n_rows * n_columns), rows one after the other;
    blend : (n_columns,) working space; out : (n_z, n_y, n_x), any box; lines count through (z, y)
    """
    n_y, n_x = out.shape[1], out.shape[2]
    n_views, n_rows = len(projections), projections.shape[1] // n_columns
    real = out.dtype.type
    nought, last_a, last_b = real(0.0), real(n_columns - 1.0), real(n_rows - 1.0)
    for line in range(start, stop):
        z, y = corner[2] + line // n_y + 0.5, corner[0] + line % n_y + 0.5
        x, first = middle + 0.5, corner[1] - middle
        voxels = out[line // n_y, line % n_y]
        for view in range(n_views):
            m, projection = matrices[view], projections[view]
            height = m[1, 0] * x + m[1, 1] * y + m[1, 2] * z + m[1, 3]
            away = m[2, 0] * x + m[2, 1] * y + m[2, 2] * z + m[2, 3]
            a_0 = real(m[0, 0] * x + m[0, 1] * y + m[0, 2] * z + m[0, 3])
            b_0, depth_0 = real(height), real(away)
            by_a, by_b, by_depth = real(m[0, 0]), real(m[1, 0]), real(m[2, 0])
            # of the whole line at its middle, so that it holds for any box
            if away > 0.0 and abs(m[1, 0] * away - height * m[2, 0]) < _LEVEL * away * away:
                b = real(height / away + 0.5)
                if nought <= b < last_b:
                    _blend(projection, b, blend)
                    _add(blend, (a_0, by_a), (depth_0, by_depth), first, last_a, voxels)
                continue
            for k in range(n_x):
                ahead = real(np.int32(first + k))
                depth = depth_0 + ahead * by_depth
                per_depth = real(1.0) / depth
                a = (a_0 + ahead * by_a) * per_depth + real(0.5)
                b = (b_0 + ahead * by_b) * per_depth + real(0.5)
                inside = (
                    (depth > nought) & (a >= nought) & (a < last_a) & (b >= nought) & (b < last_b)
                )
                a, b = (a if inside else nought), (b if inside else nought)
                i, j = np.uint32(a), np.uint32(b)
                at = j * np.uint32(n_columns) + i
                a, b = a - real(i), b - real(j)
                near = projection[at] + a * (projection[at + _ONE] - projection[at])
                at += np.uint32(n_columns)
                far = projection[at] + a * (projection[at + _ONE] - projection[at])
                weight = per_depth * per_depth if inside else nought
                voxels[k] += weight * (near + b * (far - near))

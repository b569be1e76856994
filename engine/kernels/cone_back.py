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

import numpy as np
from numba import njit

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.plain import Plain

Corner = tuple[int, int, int]
Pair = tuple[float, float]
Tile = tuple[int, int]

_MATH: Plain = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)

_ONE = np.uint32(1)

_LEVEL = 1e-9
"""Rows by voxel that a line seen at one height may climb."""


@_INLINE
def _inside(first: float, step: float, start: int, stop: int, size: float) -> tuple[int, int]:
    """Numbers k of start ... stop - 1 for which 0 <= first + k step < size."""
    if step == 0.0:
        return (start, stop) if 0.0 <= first < size else (0, 0)
    # the range is solved for, not tested voxel by voxel: the loops below then have no branch
    one, other = -first / step, (size - first) / step
    start = math.ceil(max(min(one, other), float(start)))
    stop = math.floor(min(max(one, other), stop - 1.0)) + 1
    # the quotients are rounded: move inward until the ends hold, for an index outside is a fault of
    # memory
    while start < stop and not 0.0 <= first + start * step < size:
        start += 1
    while start < stop and not 0.0 <= first + (stop - 1) * step < size:
        stop -= 1
    return start, stop


@_KERNEL
def upright(
    start: int, stop: int, tile: Tile, matrices: Array, corner: Corner, projections: Array,
    blend: Array, out: Array,
) -> None:  # fmt: skip
    """Add all views to the lines of voxels start ... stop - 1, counted through (y, x).

    tile : lines and views worked on together, so that both stay in the processor's cache; each
        voxel takes the views in their order, whatever the tile
    matrices : (n_views, 3, 4) of the whole volume; corner : its voxel (y, x, z) at out[0, 0, 0];
    blend : (n_rows + 3,) working space; out : (n_y, n_x, n_z), any box of the volume, whose values
    do not depend on the box
    """
    n_x, n_z, z_0 = out.shape[1], out.shape[2], corner[2]
    n_views, n_columns, n_rows = projections.shape
    real = out.dtype.type
    # blocks of lines and views together: a few projections serve many lines before they leave the
    # cache
    n_lines, n_together = tile
    for line_block in range(start, stop, n_lines):
        for view_block in range(0, n_views, n_together):
            for line in range(line_block, min(line_block + n_lines, stop)):
                y, x = corner[0] + line // n_x + 0.5, corner[1] + line % n_x + 0.5
                for view in range(view_block, min(view_block + n_together, n_views)):
                    m = matrices[view]
                    depth = m[2, 0] * x + m[2, 1] * y + m[2, 3]
                    # behind the source, or beside it: no ray reaches the detector through here
                    if depth <= 0.0:
                        continue
                    per_depth = 1.0 / depth
                    a = (m[0, 0] * x + m[0, 1] * y + m[0, 3]) * per_depth + 0.5
                    if not 0.0 <= a < n_columns - 1.0:
                        continue
                    step = m[1, 2] * per_depth
                    first = (m[1, 0] * x + m[1, 1] * y + m[1, 3]) * per_depth + 0.5 * step + 0.5
                    from_z, to_z = _inside(first, step, z_0, z_0 + n_z, n_rows - 1.0)
                    if from_z >= to_z:
                        continue
                    i = int(a)
                    # 1/τ² once for the two columns: along z the depth stays the same
                    one = real((a - i) * per_depth * per_depth)
                    other = real((1.0 - (a - i)) * per_depth * per_depth)
                    b_a, b_b = first + from_z * step, first + (to_z - 1) * step
                    low, high = int(min(b_a, b_b)), int(max(b_a, b_b)) + 2
                    # loops from zero over slices: numba then knows that no index is negative
                    left, right = projections[view, i, low:high], projections[view, i + 1, low:high]
                    for row in range(left.size):
                        blend[row] = other * left[row] + one * right[row]
                    voxels = out[line // n_x, line % n_x, from_z - z_0 : to_z - z_0]
                    # in double, which costs nothing beside the reads: float32 leaves a row of
                    # several hundreds few digits for its fraction
                    begin = first - low
                    for z in range(voxels.size):
                        b = begin + float(np.int32(from_z + z)) * step
                        k = np.int32(b)
                        near, far = blend[np.uint32(k)], blend[np.uint32(k) + _ONE]
                        voxels[z] += near + real(b - float(k)) * (far - near)


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
    """Fill `blend` with the row at the height b of a picture."""
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

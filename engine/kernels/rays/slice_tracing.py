"""Trace one ray through voxels, slab by slab: the voxels that it crosses and its length in each.

Points are (x, y, z) in voxel units from the lower corner of the box. Images are stored in bricks,
with a border of one voxel on every side (`engine.kernels.rays.bricks`). A tap outside the box
therefore needs no test: it reads zero, and the value that it adds is cropped.

Slice tracing follows Gao, Med. Phys. 39 (2012) 7110. The main axis is the one along which the ray
crosses most voxels. A slab one voxel thick perpendicular to it contains at most three voxels of the
ray. A row is set up in float64. Its slabs are relative to the first one, in the dtype of the image.

A ray along the face between voxels adds half of its length to each side, a ray along an edge a
quarter to each of four voxels. Such a ray is traced on one side, and its taps are repeated on the
others.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.fetch import fetch
from engine.kernels.processor import HAS_LANES
from engine.kernels.rays.bricks import place_of, steps
from engine.kernels.rays.taps import MATH, STRICT, Taps, keep, repeat, repeat_nonzero
from engine.kernels.rays.time_weights import weigh
from engine.kernels.vectors.slabs import trace_lanes, trace_timed_lanes

_INLINE = njit(inline="always", **MATH)
Shape = tuple[int, int, int]
Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
Layout = tuple[int, int, int, int, int, int, int]
Placed = tuple[
    Four, tuple[float, float], int, Layout, tuple[float, float], Three, tuple[bool, bool]
]
"""Set-up of a row for `_trace`.

The elements are: line, ends, number of slabs, layout, last u and v, millimetres, faces. The
millimetres are those from the centre of the time bin to the first slab, and those per slab with and
without sign. The faces are True for u and for v if the row runs along faces perpendicular to it.
"""

_MARGIN = 1e-6
"""Margin of the slab range in voxels, against rounding; the border absorbs additional slabs."""
_FLAT = 1e-20
"""A ray with a smaller slope crosses no plane perpendicular to another axis."""
ON_FACE = 1e-4
"""Distance from a face in voxels within which a parallel ray runs along the face.

Files store positions in float32, so smaller distances are uncertain.
"""

_ROWS_AHEAD = 6
"""Number of rows by which points are prefetched."""


class EventRows(NamedTuple):
    """The list of rays.

    Attributes
    ----------
    points : (m, 3) float64 [voxels]
    ends : (n, 2) int32, rows of `points`
    voxel_mm : (3,) float64, size of a voxel
    bins : (n,) int16, time bin of each row, or empty
    table : coefficients of the integral of a bin's weight, cubics on parts of `part_mm`; see
        `engine.kernels.rays.tof`
    n_bins : number of time bins
    bin_mm : width of a bin
    part_mm : length of a part of the table
    in_lanes : the table in the order of vector registers, or empty
    """

    points: Array
    ends: Array
    voxel_mm: Array
    bins: Array
    table: Array
    n_bins: int
    bin_mm: float
    part_mm: float
    in_lanes: Array


@_INLINE
def _shorten(
    low: float, high: float, main: float, across: float, slope: float, size: float
) -> tuple[float, float]:
    """Limit [low, high] of the main axis to the range where another coordinate is in [0, size]."""
    # Parallel to the faces of this axis, the ray is inside everywhere or nowhere. On a face of the
    # box it counts as inside, because one of its sides is in the border.
    if abs(slope) < _FLAT:
        return (low, high) if 0.0 <= across <= size else (0.0, -1.0)
    at_0 = main - across / slope
    at_size = main + (size - across) / slope
    # Rather too wide than too narrow: an additional slab adds a tap of the border, which is zero. A
    # missing slab would lose part of the ray.
    return max(low, min(at_0, at_size) - _MARGIN), min(high, max(at_0, at_size) + _MARGIN)


@_INLINE
def _snapped_to_face(axis: Three) -> tuple[bool, Three]:
    """Return True if a ray runs along a face perpendicular to an axis, and the snapped axis."""
    start, difference, size = axis
    middle = start + 0.5 * difference
    face = np.rint(middle)
    if abs(difference) < ON_FACE and abs(middle - face) < ON_FACE:
        return True, (face, 0.0, size)
    return False, axis


@_INLINE
def _cross(main: Three, u: Three, v: Three) -> tuple[float, float, float, float, float, float]:
    """Clip a ray to the box; each axis has the start, the difference of the ends, and the size.

    Returns the ends in the box along the main axis, the slightly widened range of this axis in
    which the other coordinates are also inside, and the slopes of the other axes.
    """
    start, difference, size = main
    # Both ends at one point: the ray has no direction and no slabs, so the row gives 0.
    if difference == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    slope_u, slope_v = u[1] / difference, v[1] / difference
    low = max(0.0, min(start, start + difference))
    high = min(size, max(start, start + difference))
    near, far = _shorten(low, high, start, u[0], slope_u, u[2])
    near, far = _shorten(near, far, start, v[0], slope_v, v[2])
    return low, high, near, far, slope_u, slope_v


@_INLINE
def _trace(
    line: tuple[float, float, float, float],
    ends: tuple[float, float],
    n_slabs: int,
    layout: Layout,
    tops: tuple[float, float],
    taps: Taps,
) -> None:
    """Compute the taps of each slab: their positions, and their lengths in slabs.

    line : u, its slope, v, its slope at the first slab, including the border
    ends : ends of the ray, from the first slab
    layout : first slab, then step and jump of the main axis, u and v
    tops : last u and v
    """
    voxel, length = taps.voxel, taps.length
    # The dtype of the image from here on. Positions are relative to the first slab, so they are
    # small enough for float32, and a vector holds twice as many of them.
    real = length.dtype.type
    one, nought, flat = real(1.0), real(0.0), real(_FLAT)
    u0, su, v0, sv = real(line[0]), real(line[1]), real(line[2]), real(line[3])
    start, stop = real(ends[0]), real(ends[1])
    # 32-bit positions, half of Numba's default width, so that LLVM vectorises the loop.
    layer, step, jump = np.int32(layout[0]), np.int32(layout[1]), np.int32(layout[2])
    step_u, jump_u = np.int32(layout[3]), np.int32(layout[4])
    step_v, jump_v = np.int32(layout[5]), np.int32(layout[6])
    top_u, top_v = real(tops[0]), real(tops[1])
    ru = one / su if abs(su) > flat else nought
    rv = one / sv if abs(sv) > flat else nought
    for k in range(np.int32(n_slabs)):
        a, b = max(real(k), start), min(real(k) + one, stop)
        ua, ub = u0 + su * a, u0 + su * b
        va, vb = v0 + sv * a, v0 + sv * b
        ja = np.int32(min(max(ua, nought), top_u))
        jb = np.int32(min(max(ub, nought), top_u))
        ia = np.int32(min(max(va, nought), top_v))
        ib = np.int32(min(max(vb, nought), top_v))
        # Lengths from a to the plane between the two voxels, if they differ. The order of both
        # crossings gives the voxel in between, not the signs of the slopes.
        whole = b - a
        tu = min(max((real(max(ja, jb)) - ua) * ru, nought), whole)
        tv = min(max((real(max(ia, ib)) - va) * rv, nought), whole)
        tu = whole if ja == jb else tu
        tv = whole if ia == ib else tv
        at_u, at_v = place_of(ja, step_u, jump_u), place_of(ia, step_v, jump_v)
        over_u = np.int32(place_of(jb, step_u, jump_u) - at_u)
        over_v = np.int32(place_of(ib, step_v, jump_v) - at_v)
        at = np.int32(place_of(np.int32(layer + k), step, jump) + at_u + at_v)
        near, far = min(tu, tv), max(tu, tv)
        voxel[0, k] = np.uint32(at)
        voxel[1, k] = np.uint32(at + (over_u if tu < tv else over_v))
        voxel[2, k] = np.uint32(at + over_u + over_v)
        length[0, k] = near
        length[1, k] = far - near
        length[2, k] = whole - far


@_INLINE
def _place(row: int, rows: EventRows, shape: Shape, stride: int) -> Placed:
    """Set up a row for `_trace`, in an image with `stride` values per voxel."""
    points, table, voxel_mm = rows.points, rows.table, rows.voxel_mm
    # Prefetch the points of a later row, which can be anywhere in memory.
    later = rows.ends[min(row + _ROWS_AHEAD, len(rows.ends) - 1)]
    fetch(points, np.uint32(3 * later[0]))
    fetch(points, np.uint32(3 * later[1]))
    # float64, because a point can be a million voxels away, where float32 has no fractions left.
    p, q = rows.ends[row, 0], rows.ends[row, 1]
    px, py, pz = points[p, 0], points[p, 1], points[p, 2]
    dx, dy, dz = points[q, 0] - px, points[q, 1] - py, points[q, 2] - pz
    x, y, z = (px, dx, shape[2] - 2.0), (py, dy, shape[1] - 2.0), (pz, dz, shape[0] - 2.0)
    along_x, along_y, along_z = steps(shape, stride)
    # Ties go to x, then y, as on the GPU. Otherwise the bits would differ on diagonals.
    if abs(dx) >= abs(dy) and abs(dx) >= abs(dz):
        main, u, v, steps_main, steps_u, steps_v = x, y, z, along_x, along_y, along_z
    elif abs(dy) >= abs(dz):
        main, u, v, steps_main, steps_u, steps_v = y, x, z, along_y, along_x, along_z
    else:
        main, u, v, steps_main, steps_u, steps_v = z, x, y, along_z, along_x, along_y
    on_u, u = _snapped_to_face(u)
    on_v, v = _snapped_to_face(v)
    low, high, near, far, slope_u, slope_v = _cross(main, u, v)
    x_mm, y_mm, z_mm = dx * voxel_mm[0], dy * voxel_mm[1], dz * voxel_mm[2]
    scale = math.sqrt(x_mm * x_mm + y_mm * y_mm + z_mm * z_mm) / max(abs(main[1]), _FLAT)
    mm_per_slab = math.copysign(scale, main[1])
    middle, centre_mm = main[0] + 0.5 * main[1], 0.0
    first, last = np.floor(near), np.ceil(far) if near < far else -1.0
    if rows.bins.size:
        # From the midpoint, positive towards the second crystal; see engine/CONVENTIONS.md.
        centre_mm = (rows.bins[row] - 0.5 * (rows.n_bins - 1)) * rows.bin_mm
        cutoff = (table.size // 4 - 1) * rows.part_mm / scale
        bin_centre = middle + centre_mm / mm_per_slab
        # Slabs beyond the cutoff of the Gaussian have no weight. Few slabs of a long line remain.
        first, last = (
            max(first, np.floor(bin_centre - cutoff)),
            min(last, np.ceil(bin_centre + cutoff)),
        )
    # Also for NaN, which compares false: a ray that misses has no slabs.
    if not first < last:
        first, last = 0.0, 0.0
    n_slabs = int(last - first)
    offset, ends = first - main[0], (low - first, high - first)
    # + 1 for the border.
    line = (u[0] + slope_u * offset + 1.0, slope_u, v[0] + slope_v * offset + 1.0, slope_v)
    layout = (int(first) + 1, *steps_main, *steps_u, *steps_v)
    from_bin_mm = (first - middle) * mm_per_slab - centre_mm
    tops = (u[2] + 1.0, v[2] + 1.0)
    return line, ends, n_slabs, layout, tops, (from_bin_mm, mm_per_slab, scale), (on_u, on_v)


@_INLINE
def _below(side: int, line: Four, layout: Layout) -> int:
    """Return the distance in memory from the voxels below a face to those above it.

    side : 0 for a face perpendicular to u, 1 for v
    """
    above, step, jump = int(line[2 * side]), layout[3 + 2 * side], layout[4 + 2 * side]
    return int(place_of(above, step, jump) - place_of(above - 1, step, jump))


@_INLINE
def _trace_row(row: int, rows: EventRows, shape: Shape, taps: Taps) -> tuple[int, float]:
    """Trace one row; return the number of its slabs, and mm per slab.

    For a row along a face, the slabs of all sides count, and mm per slab are half or a quarter.
    """
    line, ends, n_slabs, layout, tops, in_mm, faces = _place(row, rows, shape, taps.stride)
    _trace(line, ends, n_slabs, layout, tops, taps)
    from_bin_mm, mm_per_slab, scale = in_mm
    if rows.bins.size:
        where = (
            from_bin_mm / rows.part_mm, mm_per_slab / rows.part_mm, rows.part_mm / mm_per_slab,
        )  # fmt: skip
        weigh(rows.table, where, ends, n_slabs, taps)
    for side in range(2):
        if faces[side]:
            n_slabs, scale = repeat(taps, n_slabs, _below(side, line, layout)), 0.5 * scale
    return n_slabs, scale


@_INLINE
def _trace_in_lanes(
    rows: EventRows, line: Four, ends: tuple[float, float], n_slabs: int, layout: Layout,
    tops: tuple[float, float], in_mm: Three, taps: Taps,
) -> int:  # fmt: skip
    """Store the nonzero taps of a row with vector instructions; return their number."""
    real = np.float32
    su, sv = real(line[1]), real(line[3])
    ru = real(1.0) / su if abs(su) > real(_FLAT) else real(0.0)
    rv = real(1.0) / sv if abs(sv) > real(_FLAT) else real(0.0)
    reals = (
        real(line[0]), su, ru, real(line[2]), sv, rv,
        real(ends[0]), real(ends[1]), real(tops[0]), real(tops[1]),
    )  # fmt: skip
    places = (
        np.int32(layout[0]), np.int32(layout[1]), np.int32(layout[2]), np.int32(layout[3]),
        np.int32(layout[4]), np.int32(layout[5]), np.int32(layout[6]),
    )  # fmt: skip
    if not rows.bins.size:
        return trace_lanes(reals, places, n_slabs, taps.nonzero_length, taps.nonzero_voxel)
    first, steps, slabs = in_mm[0] / rows.part_mm, in_mm[1] / rows.part_mm, rows.part_mm / in_mm[1]
    timed = (*reals, real(first), real(steps), real(slabs))
    return trace_timed_lanes(
        timed, places, n_slabs, taps.nonzero_length, taps.nonzero_voxel, rows.in_lanes
    )


@cached_njit(forceinline=True, **STRICT)
def trace_exact(row: int, rows: EventRows, shape: Shape, taps: Taps) -> tuple[int, float]:
    """Trace one row without reordered or fused operations.

    Parameters
    ----------
    row
        number of the row
    rows
        all rays
    shape
        shape of the image with its border
    taps
        working memory, which is filled

    Returns
    -------
    number of slabs, and mm per slab; for a row along a face the slabs of all sides count
    """
    return _trace_row(row, rows, shape, taps)


@cached_njit(forceinline=True, **MATH)
def trace_nonzero(row: int, rows: EventRows, shape: Shape, taps: Taps) -> tuple[int, float]:
    """Trace one row and store its nonzero taps.

    Processors with suitable vectors store the taps in another order than slab by slab.

    Parameters
    ----------
    row
        number of the row
    rows
        all rays
    shape
        shape of the image with its border
    taps
        working memory, which is filled

    Returns
    -------
    number of taps, and mm per slab
    """
    # All of these are compile-time constants.
    if (
        HAS_LANES
        and taps.nonzero_length.itemsize == 4
        and (rows.in_lanes.size or not rows.bins.size)
    ):
        line, ends, n_slabs, layout, tops, in_mm, faces = _place(row, rows, shape, taps.stride)
        n, scale = _trace_in_lanes(rows, line, ends, n_slabs, layout, tops, in_mm, taps), in_mm[2]
        for side in range(2):
            if faces[side]:
                n, scale = repeat_nonzero(taps, n, _below(side, line, layout)), 0.5 * scale
        return n, scale
    n_slabs, scale = _trace_row(row, rows, shape, taps)
    return keep(n_slabs, taps), scale

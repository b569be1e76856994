"""One ray laid through voxels, slab by slab: which voxels it crosses, and how long each time.

Points are (x, y, z) in voxel units from the lower corner of the box. Images lie in bricks, with a
border of one voxel on every side (`engine.kernels.rays.bricks`), so that a tap beside the box needs
no test: it reads zero, and what it adds is cropped off.

Slice tracing after Gao, Med. Phys. 39 (2012) 7110: along the main axis, where the ray crosses
most voxels, a slab one voxel thick holds at most three voxels of it. The set-up of a row is done
in double, the slabs relative to the first one in the dtype of the image.

A ray along the face between voxels gives each side half of its length, one along an edge a quarter
to each of four: it is traced on one side, and its taps are repeated on the others.
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
from engine.kernels.rays.taps import MATH, PLAIN, Taps, keep, repeat, repeat_nonzero
from engine.kernels.rays.time_weights import weigh
from engine.kernels.vectors.slabs import lay_lanes, lay_timed_lanes

_INLINE = njit(inline="always", **MATH)
Shape = tuple[int, int, int]
Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
Layout = tuple[int, int, int, int, int, int, int]
Placed = tuple[
    Four, tuple[float, float], int, Layout, tuple[float, float], Three, tuple[bool, bool]
]
"""Line, ends, slabs, layout, last u and v, then mm from the middle of the time bin to the first
slab and per slab with and without sign, and whether the row runs along faces across u and v."""

_MARGIN = 1e-6
"""Margin of the slab range in voxels, against rounding; the border absorbs additional slabs."""
_FLAT = 1e-20
"""Below this slope a ray crosses no plane perpendicular to another axis."""
ON_FACE = 1e-4
"""Voxels from a face within which a ray that stays there runs along it: places in float32, as files
hold them, are that uncertain."""


_ROWS_AHEAD = 6
"""Rows after which the points that are prefetched are used."""


class EventRows(NamedTuple):
    """The list of rays.

    points (m, 3) float64 [voxels]; ends (n, 2) int32, rows of `points`; voxel_mm (3,) float64;
    bins (n,) int16, time bin of each row, or empty; table: integral of a bin's weight, cubics on
    parts of `part_mm`; in_lanes: the same for vectors, or empty. See `engine.kernels.rays.tof`.
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
    """Limit [low, high] of the main axis to where another coordinate is in [0, size]."""
    # parallel to the planes of this axis: inside all along or nowhere. On the faces of the box it
    # is inside, too: one side of it lies in the border
    if abs(slope) < _FLAT:
        return (low, high) if 0.0 <= across <= size else (0.0, -1.0)
    one = main - across / slope
    other = main + (size - across) / slope
    # too wide rather than too narrow: an additional slab adds a tap of the border, which is zero; a
    # missing slab would lose part of the ray
    return max(low, min(one, other) - _MARGIN), min(high, max(one, other) + _MARGIN)


@_INLINE
def _snapped_to_face(axis: Three) -> tuple[bool, Three]:
    """Whether a ray runs along a face across an axis, and if so, the axis with it exactly there."""
    start, difference, size = axis
    middle = start + 0.5 * difference
    face = np.rint(middle)
    if abs(difference) < ON_FACE and abs(middle - face) < ON_FACE:
        return True, (face, 0.0, size)
    return False, axis


@_INLINE
def _cross(main: Three, u: Three, v: Three) -> tuple[float, float, float, float, float, float]:
    """Cut a ray to the box, from its start, the difference of its ends and the size by axis.

    Returns its ends in the box along the main axis, the range of that axis in which it is in
    the box all round, slightly widened, and the slopes of the other axes.
    """
    start, difference, size = main
    # both ends at one point: no direction, so no slabs, and the row gives 0
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
    """Fill the taps of each slab: where they lie, and how long, in slabs.

    line : u, its slope, v, its slope at the first slab, from the border; ends : of the ray, from
    the first slab; layout : that slab, then step and jump of main axis, u and v; tops : last u, v
    """
    voxel, length = taps.voxel, taps.length
    # in the dtype of the image from here on: positions are relative to the first slab, so they are
    # small enough for float32, and vectors hold twice as many of them as of float64
    real = length.dtype.type
    one, nought, flat = real(1.0), real(0.0), real(_FLAT)
    u0, su, v0, sv = real(line[0]), real(line[1]), real(line[2]), real(line[3])
    start, stop = real(ends[0]), real(ends[1])
    # 32-bit places: half the width of numba's usual integers, so that the loop runs on vectors
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
        # from a to the plane between the two voxels, if there is one; the order of the two
        # crossings, not the signs of the slopes, tells which voxel lies between
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
def _place(row: int, rows: EventRows, shape: Shape, one: int) -> Placed:
    """Place a row in the image whose voxels lie `one` steps apart: what `_trace` asks for."""
    points, table, voxel_mm = rows.points, rows.table, rows.voxel_mm
    # The points of a later row, which can be anywhere, are in the cache when it is placed.
    later = rows.ends[min(row + _ROWS_AHEAD, len(rows.ends) - 1)]
    fetch(points, np.uint32(3 * later[0]))
    fetch(points, np.uint32(3 * later[1]))
    # everything about one row in float64: a point can be a million voxels away, where float32 has
    # no fractions left
    p, q = rows.ends[row, 0], rows.ends[row, 1]
    px, py, pz = points[p, 0], points[p, 1], points[p, 2]
    dx, dy, dz = points[q, 0] - px, points[q, 1] - py, points[q, 2] - pz
    x, y, z = (px, dx, shape[2] - 2.0), (py, dy, shape[1] - 2.0), (pz, dz, shape[0] - 2.0)
    along_x, along_y, along_z = steps(shape, one)
    # ties go to x, then y: the same choice as on the GPU, or the bits would differ on diagonals
    if abs(dx) >= abs(dy) and abs(dx) >= abs(dz):
        main, u, v, way, way_u, way_v = x, y, z, along_x, along_y, along_z
    elif abs(dy) >= abs(dz):
        main, u, v, way, way_u, way_v = y, x, z, along_y, along_x, along_z
    else:
        main, u, v, way, way_u, way_v = z, x, y, along_z, along_x, along_y
    on_u, u = _snapped_to_face(u)
    on_v, v = _snapped_to_face(v)
    low, high, near, far, slope_u, slope_v = _cross(main, u, v)
    x_mm, y_mm, z_mm = dx * voxel_mm[0], dy * voxel_mm[1], dz * voxel_mm[2]
    scale = math.sqrt(x_mm * x_mm + y_mm * y_mm + z_mm * z_mm) / max(abs(main[1]), _FLAT)
    mm_per_slab = math.copysign(scale, main[1])
    middle, centre_mm = main[0] + 0.5 * main[1], 0.0
    first, last = np.floor(near), np.ceil(far) if near < far else -1.0
    if rows.bins.size:
        # from the midpoint, positive towards the second crystal; see engine/CONVENTIONS.md
        centre_mm = (rows.bins[row] - 0.5 * (rows.n_bins - 1)) * rows.bin_mm
        reach = (table.size // 4 - 1) * rows.part_mm / scale
        seen = middle + centre_mm / mm_per_slab
        # slabs beyond the cut-off of the Gaussian have no weight: few slabs of a long line remain
        first, last = max(first, np.floor(seen - reach)), min(last, np.ceil(seen + reach))
    # also for NaN, which compares false: a ray that misses has no slabs
    if not first < last:
        first, last = 0.0, 0.0
    n_slabs = int(last - first)
    ahead, ends = first - main[0], (low - first, high - first)
    # + 1 for the border
    line = (u[0] + slope_u * ahead + 1.0, slope_u, v[0] + slope_v * ahead + 1.0, slope_v)
    layout = (int(first) + 1, *way, *way_u, *way_v)
    from_bin_mm = (first - middle) * mm_per_slab - centre_mm
    tops = (u[2] + 1.0, v[2] + 1.0)
    return line, ends, n_slabs, layout, tops, (from_bin_mm, mm_per_slab, scale), (on_u, on_v)


@_INLINE
def _below(side: int, line: Four, layout: Layout) -> int:
    """Steps in memory from the voxels below a face, across u or v, to those above."""
    above, step, jump = int(line[2 * side]), layout[3 + 2 * side], layout[4 + 2 * side]
    return int(place_of(above, step, jump) - place_of(above - 1, step, jump))


@_INLINE
def _lay(row: int, rows: EventRows, shape: Shape, taps: Taps) -> tuple[int, float]:
    """Lay one row through the image: fill its taps, return their slabs and mm per slab.

    Of a row along a face the slabs are those of both sides, and a slab's mm are half as many.
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
def _lay_lanes(
    rows: EventRows, line: Four, ends: tuple[float, float], n_slabs: int, layout: Layout,
    tops: tuple[float, float], in_mm: Three, taps: Taps,
) -> int:  # fmt: skip
    """Keep the taps of a placed row, laid on vectors; return how many."""
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
        return lay_lanes(reals, places, n_slabs, taps.kept, taps.kept_voxel)
    first, steps, slabs = in_mm[0] / rows.part_mm, in_mm[1] / rows.part_mm, rows.part_mm / in_mm[1]
    timed = (*reals, real(first), real(steps), real(slabs))
    return lay_timed_lanes(timed, places, n_slabs, taps.kept, taps.kept_voxel, rows.in_lanes)


@cached_njit(forceinline=True, **PLAIN)
def lay_exact(row: int, rows: EventRows, shape: Shape, taps: Taps) -> tuple[int, float]:
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
    number of slabs, and mm per slab
    """
    return _lay(row, rows, shape, taps)


@cached_njit(forceinline=True, **MATH)
def lay_nonzero(row: int, rows: EventRows, shape: Shape, taps: Taps) -> tuple[int, float]:
    """Lay one row and keep its taps that are not 0; return how many, and mm per slab.

    On vectors where the processor has them, in another order than slab by slab.
    """
    # both are constants when the kernel is compiled
    if HAS_LANES and taps.kept.itemsize == 4 and (rows.in_lanes.size or not rows.bins.size):
        line, ends, n_slabs, layout, tops, in_mm, faces = _place(row, rows, shape, taps.stride)
        n, scale = _lay_lanes(rows, line, ends, n_slabs, layout, tops, in_mm, taps), in_mm[2]
        for side in range(2):
            if faces[side]:
                n, scale = repeat_nonzero(taps, n, _below(side, line, layout)), 0.5 * scale
        return n, scale
    n_slabs, scale = _lay(row, rows, shape, taps)
    return keep(n_slabs, taps), scale

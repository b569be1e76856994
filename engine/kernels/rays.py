"""Rays through voxels, exactly: line integrals, back projection, EM shares.

One call works through the rows [start, stop) of one thread, one row after the other.
Rows are pairs `ids[row]` into `points`, (m, 3) as (x, y, z) in voxel units from the lower corner
of the box. Images are [z, y, x] with a border of one voxel on every side, so that a tap beside
the box needs no test: it reads zero, and what it adds is cropped off.

Slice tracing after Gao, Med. Phys. 39 (2012) 7110: along the main axis, where the ray moves
fastest, a slab one voxel thick holds at most three voxels of it. The set-up of a row is done in
double, the slabs relative to the first one in the image's own dtype.

All of it stays in one file, since Numba does not see that a function of another file has changed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]
Tof = tuple[Array, Array, int, float, float]
"""Bin of each row, weight table, number and width of bins [mm], step [mm]; empty arrays: none."""

# NaN and infinity keep their meaning: a slope of zero divides.
_MATH = {"reassoc", "nsz", "arcp", "contract"}
_KERNEL: Any = njit(cache=True, nogil=True, fastmath=_MATH, error_model="numpy")
_INLINE: Any = njit(inline="always", fastmath=_MATH, error_model="numpy")

_MARGIN = 1e-6
"""Voxels by which the slab range is widened against rounding; the border absorbs the rest."""
_FLAT = 1e-20
"""Slope below which a ray crosses no plane across the main axis."""
_LEAST_EXPECTED = 1e-24
"""Expected counts at or below which a row is skipped: 2**32 times its reciprocal fits float32."""


@_INLINE
def _main_axis(points: Array, p: int, q: int) -> tuple[int, int, int]:
    """Return the axis with most voxels between the ends (the first on ties), and the others."""
    x = abs(points[q, 0] - points[p, 0])
    y = abs(points[q, 1] - points[p, 1])
    z = abs(points[q, 2] - points[p, 2])
    if x >= y and x >= z:
        return 0, 1, 2
    if y >= z:
        return 1, 0, 2
    return 2, 0, 1


@_INLINE
def _length_mm(points: Array, p: int, q: int, voxel_mm: Array) -> float:
    """Distance of the two ends."""
    x = (points[q, 0] - points[p, 0]) * voxel_mm[0]
    y = (points[q, 1] - points[p, 1]) * voxel_mm[1]
    z = (points[q, 2] - points[p, 2]) * voxel_mm[2]
    return math.sqrt(x * x + y * y + z * z)


@_INLINE
def _shorten(
    low: float, high: float, main: float, across: float, slope: float, size: float
) -> tuple[float, float]:
    """Cut [low, high] of the main axis to where the other coordinate lies in [0, size]."""
    if abs(slope) < _FLAT:
        return (low, high) if 0.0 <= across < size else (0.0, -1.0)
    one = main - across / slope
    other = main + (size - across) / slope
    return max(low, min(one, other) - _MARGIN), min(high, max(one, other) + _MARGIN)


@_INLINE
def _trace(
    u0: float,
    su: float,
    v0: float,
    sv: float,
    start: float,
    stop: float,
    n_slabs: int,
    origin: int,
    strides: tuple[int, int, int],
    tops: tuple[float, float],
    index: Array,
    length: Array,
) -> None:
    """Fill the three taps of each slab: where they lie, and how long, in slabs."""
    real = length.dtype.type
    one, nought, flat = real(1.0), real(0.0), real(_FLAT)
    ru = one / su if abs(su) > flat else nought
    rv = one / sv if abs(sv) > flat else nought
    stride, stride_u, stride_v = strides
    top_u, top_v = tops
    for k in range(n_slabs):
        a = max(real(k), start)
        b = min(real(k) + one, stop)
        ua, ub = u0 + su * a, u0 + su * b
        va, vb = v0 + sv * a, v0 + sv * b
        ja = np.int32(min(max(ua, nought), top_u))
        jb = np.int32(min(max(ub, nought), top_u))
        ia = np.int32(min(max(va, nought), top_v))
        ib = np.int32(min(max(vb, nought), top_v))
        whole = b - a
        tu = min(max((real(max(ja, jb)) - ua) * ru, nought), whole)
        tv = min(max((real(max(ia, ib)) - va) * rv, nought), whole)
        tu = whole if ja == jb else tu
        tv = whole if ia == ib else tv
        step_u = np.int32((jb - ja) * stride_u)
        step_v = np.int32((ib - ia) * stride_v)
        at = np.int32(origin + np.int32(k) * stride + ja * stride_u + ia * stride_v)
        near, far = min(tu, tv), max(tu, tv)
        index[0, k] = np.uint32(at)
        index[1, k] = np.uint32(at + (step_u if tu < tv else step_v))
        index[2, k] = np.uint32(at + step_u + step_v)
        length[0, k] = near
        length[1, k] = far - near
        length[2, k] = whole - far


@_INLINE
def _weigh(
    table: Array, at: float, step: float, start: float, stop: float, n_slabs: int, length: Array
) -> None:
    """Multiply the taps by the weight of the time bin at the middle of their slab."""
    real = length.dtype.type
    nought, last = real(0.0), real(table.size - 2)
    one, half = real(1.0), real(0.5)
    for k in range(n_slabs):
        middle = half * (max(real(k), start) + min(real(k) + one, stop))
        where = min(max(at + middle * step, nought), last)
        i = np.int32(where)
        weight = table[i] + (where - real(i)) * (table[i + 1] - table[i])
        length[0, k] *= weight
        length[1, k] *= weight
        length[2, k] *= weight


@_KERNEL
def _lay(
    points: Array,
    p: int,
    q: int,
    centre_mm: float,
    voxel_mm: Array,
    table: Array,
    step_mm: float,
    padded: tuple[int, int, int],
    index: Array,
    length: Array,
) -> tuple[int, float]:
    """Lay one row through the image: fill its taps, return their slabs and mm per slab."""
    real = length.dtype.type
    m, u, v = _main_axis(points, p, q)
    start, delta = points[p, m], points[q, m] - points[p, m]
    if delta == 0.0:
        return 0, 0.0
    su, sv = (points[q, u] - points[p, u]) / delta, (points[q, v] - points[p, v]) / delta
    size, size_u, size_v = padded[2 - m] - 2, padded[2 - u] - 2, padded[2 - v] - 2
    low = max(0.0, min(start, points[q, m]))
    high = min(float(size), max(start, points[q, m]))
    near, far = _shorten(low, high, start, points[p, u], su, float(size_u))
    near, far = _shorten(near, far, start, points[p, v], sv, float(size_v))
    scale = _length_mm(points, p, q, voxel_mm) / abs(delta)
    mm_per_slab = math.copysign(scale, delta)
    middle = 0.5 * (start + points[q, m])
    if table.size:
        reach = 0.5 * (table.size - 1) * step_mm / scale
        seen = middle + centre_mm / mm_per_slab
        near, far = max(near, seen - reach), min(far, seen + reach)
    if not near < far:
        return 0, 0.0
    first = math.floor(near)
    n_slabs: Any = np.int32(math.ceil(far) - first)
    stride_z, stride_y = padded[1] * padded[2], padded[2]
    stride = 1 if m == 0 else (stride_y if m == 1 else stride_z)
    stride_u = stride_y if u == 1 else 1
    stride_v = stride_z if v == 2 else stride_y
    begin, end = real(low - first), real(high - first)
    _trace(
        real(points[p, u] + su * (first - start) + 1.0), real(su),
        real(points[p, v] + sv * (first - start) + 1.0), real(sv),
        begin, end, n_slabs,
        np.int32((first + 1) * stride),
        (np.int32(stride), np.int32(stride_u), np.int32(stride_v)),
        (real(size_u + 1), real(size_v + 1)),
        index, length,
    )  # fmt: skip
    if table.size:
        at = ((first - middle) * mm_per_slab - centre_mm) / step_mm + 0.5 * (table.size - 1)
        _weigh(table, real(at), real(mm_per_slab / step_mm), begin, end, n_slabs, length)
    return n_slabs, scale


@_INLINE
def _lay_row(
    row: int,
    points: Array,
    ids: Array,
    voxel_mm: Array,
    tof: Tof,
    padded: tuple[int, int, int],
    index: Array,
    length: Array,
) -> tuple[int, float]:
    """Lay a row of the list, through its time bin if it has one."""
    bins, table, n_bins, bin_mm, step_mm = tof
    centre_mm = (bins[row] - 0.5 * (n_bins - 1)) * bin_mm if bins.size else 0.0
    p, q = ids[row, 0], ids[row, 1]
    return _lay(points, p, q, centre_mm, voxel_mm, table, step_mm, padded, index, length)


@_INLINE
def _buffers(shape: tuple[int, int, int], like: Array) -> tuple[Array, Array]:
    """Room for the taps of one row: indices and lengths."""
    n_slabs = max(shape)
    return np.empty((3, n_slabs), np.uint32), np.empty((3, n_slabs), like.dtype)


@_INLINE
def _gather(flat: Array, n_slabs: int, index: Array, length: Array) -> float:
    """Turn the lengths of the taps into their shares of the line integral, and sum them."""
    total = length.dtype.type(0.0)
    for tap in range(3):
        for k in range(n_slabs):
            length[tap, k] *= flat[index[tap, k]]
            total += length[tap, k]
    return total


@_INLINE
def _half(sums: Array, like: Array) -> float:
    """0.5 if the sums are integers, which cut off what follows the point, else 0."""
    is_integer = sums.dtype.type(1.5) == 1
    return like.dtype.type(0.5 if is_integer else 0.0)


@_INLINE
def _scatter(
    sums: Array, n_slabs: int, index: Array, length: Array, value: float, half: float
) -> None:
    """Add value · length to the voxels of the taps; half = 0.5 rounds, for integer sums."""
    for tap in range(3):
        for k in range(n_slabs):
            share = value * length[tap, k]
            sums[index[tap, k]] += sums.dtype.type(share + math.copysign(half, share))


@_KERNEL
def forward(
    start: int,
    stop: int,
    points: Array,
    ids: Array,
    voxel_mm: Array,
    tof: Tof,
    image: Array,
    out: Array,
) -> None:
    """Line integrals: out[row] = Σ_n A_row,n · image_n, of a padded image [mm times image]."""
    real = image.dtype.type
    flat = image.reshape(image.size)
    index, length = _buffers(image.shape, image)
    for row in range(start, stop):
        n, scale = _lay_row(row, points, ids, voxel_mm, tof, image.shape, index, length)
        out[row] = real(_gather(flat, n, index, length) * scale)


@_KERNEL
def back(
    start: int,
    stop: int,
    points: Array,
    ids: Array,
    voxel_mm: Array,
    tof: Tof,
    values: Array,
    unit: float,
    sums: Array,
) -> None:
    """Back projection: sums += unit · Σ_row A_row · values[row].

    unit : 1 for sums of the values' dtype; as large as they can hold for int64 ones, which round
        every tap and so do not depend on the order of the rows
    sums : padded, of this thread
    """
    real = values.dtype.type
    flat = sums.reshape(sums.size)
    index, length = _buffers(sums.shape, values)
    half = _half(sums, length)
    for row in range(start, stop):
        n, scale = _lay_row(row, points, ids, voxel_mm, tof, sums.shape, index, length)
        _scatter(flat, n, index, length, real(values[row] * scale * unit), half)


@_KERNEL
def update(
    start: int,
    stop: int,
    points: Array,
    ids: Array,
    voxel_mm: Array,
    tof: Tof,
    image: Array,
    background: Array,
    expected: Array,
    unit: float,
    sums: Array,
) -> None:
    """EM shares: sums_n += unit · Σ_row A_row,n · image_n / q_row, with q = A image + background.

    expected[row] = q_row; a row that expects nothing adds nothing, and its q is 0.

    background : one per row, or empty
    unit, sums : as for `back`; the shares of one row sum to 1 at most
    """
    real = image.dtype.type
    flat, flat_sums = image.reshape(image.size), sums.reshape(sums.size)
    index, length = _buffers(image.shape, image)
    half = _half(sums, length)
    for row in range(start, stop):
        n, scale = _lay_row(row, points, ids, voxel_mm, tof, image.shape, index, length)
        q = _gather(flat, n, index, length) * scale
        if background.size:
            q += background[row]
        if q > _LEAST_EXPECTED:
            expected[row] = real(q)
            _scatter(flat_sums, n, index, length, real(scale / q * unit), half)
        else:
            expected[row] = real(0.0)

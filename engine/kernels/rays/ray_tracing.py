"""Exact ray tracing through voxels: line integrals, back projection, EM numerators.

    forward   out_j  = Σ_n A_jn x_n
    back      sums_n += unit · Σ_j A_jn y_j
    update    sums_n += unit · Σ_j A_jn x_n / q_j,    q_j = Σ_n A_jn x_n + b_j

A_jn : length of ray j in voxel n [mm], or its integral of the weight of a time bin
x : image; y : values of the rows; b : background

A call processes the rows [start, stop) in sequence, in one thread. `slice_tracing` traces each row
and defines the coordinates of points and voxels. Half of the three taps of a slab have no length.
They are removed before the image is read, because these reads take most of the time. The next row
is traced before the current one is processed, so that its voxels of large images can be prefetched.

The exact kernels use no reordered or fused operations and add in integers. They return the same
bits for any number of threads, any order of the rows, and on the GPU.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.rays.slice_tracing import EventRows, Shape, trace_exact
from engine.kernels.rays.taps import MATH, STRICT, Taps, keep
from engine.kernels.rows_ahead import (
    AT_ONCE,
    TapBuffers,
    TracedRow,
    fetch_some,
    index_from,
    no_traced_rows,
    trace_next,
)

_KERNEL = cached_njit(**MATH)
_INLINE = njit(inline="always", **MATH)
_EXACT = cached_njit(**STRICT)

_MIN_EXPECTED = 1e-24
"""Rows with at most these expected counts are skipped: 2**32 / value still fits float32."""


@_INLINE
def _gather_some(image: Array, taps: Taps, start: int, n: int) -> float:
    """Multiply the lengths of n taps by the image, and return their sum."""
    voxel, length = taps.nonzero_voxel, taps.nonzero_length
    total = length.dtype.type(0.0)
    for k in range(n):
        at = index_from(start, k)
        length[at] *= image[voxel[at]]
        total += length[at]
    return total


@_INLINE
def _gather(image: Array, sums: Array, row: TracedRow, ahead: TracedRow, is_far: bool) -> float:
    """Return the sum over all taps; for large images, prefetch the next row in between.

    sums : sums that are added to later, or empty
    """
    # Separate, because the loops below take a tenth longer if nothing is prefetched.
    if not is_far:
        return _gather_some(image, row.taps, 0, row.n)
    # In pieces that do not depend on the next row, so each row always has the same bits.
    whole, total = row.n & -AT_ONCE, image.dtype.type(0.0)
    for first in range(0, whole, AT_ONCE):
        fetch_some(image, ahead, first, AT_ONCE)
        if sums.size:
            fetch_some(sums, ahead, first, AT_ONCE)
        total += _gather_some(image, row.taps, first, AT_ONCE)
    total += _gather_some(image, row.taps, whole, row.n - whole)
    fetch_some(image, ahead, whole, ahead.n - whole)
    if sums.size:
        fetch_some(sums, ahead, whole, ahead.n - whole)
    return total


@_INLINE
def _scatter(sums: Array, taps: Taps, start: int, n: int, value: float) -> None:
    """Add value · length to the voxels of n taps, rounded if the sums are integers."""
    voxel, length = taps.nonzero_voxel, taps.nonzero_length
    # A compile-time constant, so it costs nothing for floating-point sums.
    is_integer = sums.dtype.type(1.5) == 1
    half = length.dtype.type(0.5)
    for k in range(n):
        at = index_from(start, k)
        share = value * length[at]
        if is_integer:
            share += math.copysign(half, share)
        sums[voxel[at]] += sums.dtype.type(share)


@_INLINE
def _scatter_all(sums: Array, row: TracedRow, value: float, ahead: TracedRow, is_far: bool) -> None:
    """Add to the voxels of all taps; for large sums, prefetch the next row in between."""
    if not is_far:
        _scatter(sums, row.taps, 0, row.n, value)
        return
    whole = row.n & -AT_ONCE
    for first in range(0, whole, AT_ONCE):
        fetch_some(sums, ahead, first, AT_ONCE)
        _scatter(sums, row.taps, first, AT_ONCE, value)
    _scatter(sums, row.taps, whole, row.n - whole, value)
    fetch_some(sums, ahead, whole, ahead.n - whole)


@_INLINE
def _gather_exact(image: Array, n_slabs: int, taps: Taps, unit: float) -> float:
    """Return the sum over all taps, with the slabs summed in integers of 1 / unit, in any order."""
    voxel, length = taps.voxel, taps.length
    real = length.dtype.type
    half, per_one = real(0.5), real(unit)
    total = np.int64(0)
    for tap in range(3):
        for k in range(n_slabs):
            length[tap, k] *= image[voxel[tap, k]]
    for k in range(n_slabs):
        slab = (length[0, k] + length[1, k] + length[2, k]) * per_one
        total += np.int64(slab + math.copysign(half, slab))
    return real(total) * real(1.0 / unit)


@_KERNEL
def forward(
    start: int,
    stop: int,
    rows: EventRows,
    shape: Shape,
    space: TapBuffers,
    image: Array,
    out: Array,
) -> None:
    """Compute line integrals: out[row] = Σ_n A_row,n · image_n [mm times image].

    Parameters
    ----------
    start, stop
        range of rows
    rows
        all rays
    shape
        shape of the image with its border
    space
        working memory of the thread
    image
        flat, in bricks
    out
        (n_rows,)
    """
    here, ahead = no_traced_rows(space)
    for row in range(start - 1, stop):
        here, ahead = ahead, trace_next(row + 1, stop, rows, shape, here.taps)
        if row >= start:
            out[row] = _gather(image, image[:0], here, ahead, space.is_far) * here.scale


@_KERNEL
def back(
    start: int, stop: int, rows: EventRows, shape: Shape, space: TapBuffers,
    values: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """Add the back projection of rows: sums += unit · Σ_row A_row · values[row].

    Parameters
    ----------
    start, stop
        range of rows
    rows
        all rays
    shape
        shape of the image with its border
    space
        working memory of the thread
    values
        (n_rows,)
    unit
        1 for floating-point sums; for int64 sums as large as possible: each tap is rounded, so they
        do not depend on the order of the rows
    sums
        flat, in bricks
    """
    real = values.dtype.type
    here, ahead = no_traced_rows(space)
    for row in range(start - 1, stop):
        here, ahead = ahead, trace_next(row + 1, stop, rows, shape, here.taps)
        if row >= start:
            _scatter_all(sums, here, real(values[row] * here.scale * unit), ahead, space.is_far)


@_KERNEL
def update(
    start: int, stop: int, rows: EventRows, shape: Shape, space: TapBuffers,
    image: Array, background: Array, expected: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """Add EM numerators: sums_n += unit · Σ_row A_row,n · image_n / q_row.

    q = A image + background is written to `expected`. A row that expects no counts adds nothing,
    and its q is 0.

    Parameters
    ----------
    start, stop
        range of rows
    rows
        all rays
    shape
        shape of the image with its border
    space
        working memory of the thread
    image
        flat, in bricks
    background
        (n_rows,), or empty
    expected
        (n_rows,), which are written
    unit
        as for `back`; the terms of one row sum to 1 at most
    sums
        flat, in bricks; or the same array as `image`, with each sum after its value, two steps
        apart
    """
    real = image.dtype.type
    elsewhere = sums if space.one.stride == 1 else sums[:0]
    here, ahead = no_traced_rows(space)
    for row in range(start - 1, stop):
        here, ahead = ahead, trace_next(row + 1, stop, rows, shape, here.taps)
        if row < start:
            continue
        q = _gather(image, elsewhere, here, ahead, space.is_far) * here.scale
        if background.size:
            q += background[row]
        if q > _MIN_EXPECTED:
            expected[row] = q
            _scatter(sums, here.taps, 0, here.n, real(here.scale / q * unit))
        else:
            expected[row] = 0.0


@_EXACT
def forward_exact(
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps,
    image: Array, row_unit: float, out: Array,
) -> None:  # fmt: skip
    """Compute `forward` with the same bits as on the GPU.

    Parameters
    ----------
    start, stop
        range of rows
    rows
        all rays
    shape
        shape of the image with its border
    taps
        working memory of the thread
    image
        flat, in bricks
    row_unit
        units per 1 of a row's sum, see `engine.kernels.units.row_unit`
    out
        (n_rows,)
    """
    real = image.dtype.type
    for row in range(start, stop):
        n_slabs, scale = trace_exact(row, rows, shape, taps)
        out[row] = _gather_exact(image, n_slabs, taps, row_unit) * real(scale)


@_EXACT
def back_exact(
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps,
    values: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """Compute `back` into int64 sums, with the same bits as on the GPU.

    Parameters
    ----------
    start, stop
        range of rows
    rows
        all rays
    shape
        shape of the image with its border
    taps
        working memory of the thread
    values
        (n_rows,)
    unit
        units per 1
    sums
        flat int64, in bricks
    """
    real = values.dtype.type
    for row in range(start, stop):
        n_slabs, scale = trace_exact(row, rows, shape, taps)
        # Factor by factor in the dtype of the image, like the CUDA twin: a float64 product would be
        # rounded differently.
        _scatter(sums, taps, 0, keep(n_slabs, taps), values[row] * real(scale) * real(unit))


@_EXACT
def update_exact(
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps,
    image: Array, row_unit: float, background: Array, expected: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """Compute `update` into int64 sums, with the same bits as on the GPU.

    Parameters
    ----------
    start, stop
        range of rows
    rows
        all rays
    shape
        shape of the image with its border
    taps
        working memory of the thread
    image
        flat, in bricks
    row_unit
        units per 1 of a row's sum
    background
        (n_rows,), or empty
    expected
        (n_rows,), which are written
    unit
        units per 1 of `sums`
    sums
        flat int64, in bricks
    """
    real = image.dtype.type
    for row in range(start, stop):
        n_slabs, scale = trace_exact(row, rows, shape, taps)
        q = _gather_exact(image, n_slabs, taps, row_unit) * real(scale)
        if background.size:
            q += background[row]
        if q > real(_MIN_EXPECTED):
            expected[row] = q
            _scatter(sums, taps, 0, keep(n_slabs, taps), real(scale) / q * real(unit))
        else:
            expected[row] = real(0.0)

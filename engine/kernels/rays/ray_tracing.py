"""Rays through voxels, exactly: line integrals, back projection, EM shares.

A call takes the rows [start, stop) one after the other, in one thread; `slice_tracing` lays each
through the image and says how its points and its voxels are counted. Of the three taps of a slab
half have no length: they are left out before the image is read, which is most of the work. The next
row is laid before one is worked on, so that of large images its voxels can be fetched meanwhile.

The exact kernels do every operation as it is written and add in integers: they return the same
bits for any number of threads, any order of the rows, and on the GPU.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.rays.slice_tracing import EventRows, Shape, lay_exact
from engine.kernels.rays.taps import MATH, PLAIN, Taps, keep
from engine.kernels.rows_ahead import (
    AT_ONCE,
    TapBuffers,
    TracedRow,
    fetch_some,
    index_from,
    lay_next,
    no_traced_rows,
)

_KERNEL = cached_njit(**MATH)
_INLINE = njit(inline="always", **MATH)
_EXACT = cached_njit(**PLAIN)

_LEAST_EXPECTED = 1e-24
"""Expected counts at or below which a row is skipped: 2**32 times its reciprocal fits float32."""


@_INLINE
def _gather_some(image: Array, taps: Taps, start: int, n: int) -> float:
    """Turn the lengths of n kept taps into their shares of the line integral, and sum them."""
    voxel, length = taps.kept_voxel, taps.kept
    total = length.dtype.type(0.0)
    for k in range(n):
        at = index_from(start, k)
        length[at] *= image[voxel[at]]
        total += length[at]
    return total


@_INLINE
def _gather(image: Array, sums: Array, row: TracedRow, ahead: TracedRow, is_far: bool) -> float:
    """Do so with all kept taps; of images that are far, fetch the row ahead in turn.

    sums : where they will be added to, if that is elsewhere, or empty
    """
    # apart, since the loops below cost a tenth where nothing is fetched
    if not is_far:
        return _gather_some(image, row.taps, 0, row.n)
    # in pieces of which none depends on the row ahead: so each row has its own bits
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
    """Add value · length to the voxels of n kept taps, rounded if the sums are integers."""
    voxel, length = taps.kept_voxel, taps.kept
    # known when the kernel is compiled, so that floating sums pay nothing for it
    is_integer = sums.dtype.type(1.5) == 1
    half = length.dtype.type(0.5 if is_integer else 0.0)
    for k in range(n):
        at = index_from(start, k)
        share = value * length[at]
        sums[voxel[at]] += sums.dtype.type(share + math.copysign(half, share))


@_INLINE
def _scatter_all(sums: Array, row: TracedRow, value: float, ahead: TracedRow, is_far: bool) -> None:
    """Do so with all kept taps; of sums that are far, fetch the row ahead in turn."""
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
    """As `_gather`, but the slabs are summed in integers, in any order: 1 / unit times the sum."""
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
    """Line integrals: out[row] = Σ_n A_row,n · image_n [mm times image]."""
    here, ahead = no_traced_rows(space)
    for row in range(start - 1, stop):
        here, ahead = ahead, lay_next(row + 1, stop, rows, shape, here.taps)
        if row >= start:
            out[row] = _gather(image, image[:0], here, ahead, space.is_far) * here.scale


@_KERNEL
def back(
    start: int, stop: int, rows: EventRows, shape: Shape, space: TapBuffers,
    values: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """Back projection: sums += unit · Σ_row A_row · values[row].

    unit : 1 for floating sums; as large as they can hold for int64 ones, which round every tap
        and so do not depend on the order of the rows
    """
    real = values.dtype.type
    here, ahead = no_traced_rows(space)
    for row in range(start - 1, stop):
        here, ahead = ahead, lay_next(row + 1, stop, rows, shape, here.taps)
        if row >= start:
            _scatter_all(sums, here, real(values[row] * here.scale * unit), ahead, space.is_far)


@_KERNEL
def update(
    start: int, stop: int, rows: EventRows, shape: Shape, space: TapBuffers,
    image: Array, background: Array, expected: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """EM shares: sums_n += unit · Σ_row A_row,n · image_n / q_row, with q = A image + background.

    expected[row] = q_row; a row that expects nothing adds nothing, and its q is 0.

    image, sums : flat; also of one array, in which each voxel's sum lies behind its value, two
        steps apart
    background : one per row, or empty
    unit : as for `back`; the shares of one row sum to 1 at most
    """
    real = image.dtype.type
    elsewhere = sums if space.one.stride == 1 else sums[:0]
    here, ahead = no_traced_rows(space)
    for row in range(start - 1, stop):
        here, ahead = ahead, lay_next(row + 1, stop, rows, shape, here.taps)
        if row < start:
            continue
        q = _gather(image, elsewhere, here, ahead, space.is_far) * here.scale
        if background.size:
            q += background[row]
        if q > _LEAST_EXPECTED:
            expected[row] = q
            _scatter(sums, here.taps, 0, here.n, real(here.scale / q * unit))
        else:
            expected[row] = 0.0


@_EXACT
def forward_exact(
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps,
    image: Array, row_unit: float, out: Array,
) -> None:  # fmt: skip
    """As `forward`, the same bits as on the GPU; row_unit : see `_gather_exact`."""
    real = image.dtype.type
    for row in range(start, stop):
        n_slabs, scale = lay_exact(row, rows, shape, taps)
        out[row] = _gather_exact(image, n_slabs, taps, row_unit) * real(scale)


@_EXACT
def back_exact(
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps,
    values: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """As `back` into int64 sums, the same bits as on the GPU."""
    real = values.dtype.type
    for row in range(start, stop):
        n_slabs, scale = lay_exact(row, rows, shape, taps)
        # factor by factor in the dtype of the image, as the CUDA twin does: one product of doubles
        # would be rounded elsewhere
        _scatter(sums, taps, 0, keep(n_slabs, taps), values[row] * real(scale) * real(unit))


@_EXACT
def update_exact(
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps,
    image: Array, row_unit: float, background: Array, expected: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """As `update` into int64 sums, the same bits as on the GPU."""
    real = image.dtype.type
    for row in range(start, stop):
        n_slabs, scale = lay_exact(row, rows, shape, taps)
        q = _gather_exact(image, n_slabs, taps, row_unit) * real(scale)
        if background.size:
            q += background[row]
        if q > real(_LEAST_EXPECTED):
            expected[row] = q
            _scatter(sums, taps, 0, keep(n_slabs, taps), real(scale) / q * real(unit))
        else:
            expected[row] = real(0.0)

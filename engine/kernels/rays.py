"""Rays through voxels, exactly: line integrals, back projection, EM shares.

A call takes the rows [start, stop) one after the other, in one thread; `slice_tracing` lays each
through the image and says how its points and its voxels are counted. Of the three taps of a slab
half have no length: they are left out before the image is read, which is most of the work.

The exact kernels do every operation as it is written and add in integers: they return the same
bits for any number of threads, any order of the rows, and on the GPU.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.slice_tracing import EventRows, Shape, lay_exact, lay_kept
from engine.kernels.taps import MATH, PLAIN, Taps, keep

_KERNEL = cached_njit(**MATH)
_INLINE = njit(inline="always", **MATH)
_EXACT = cached_njit(**PLAIN)

_LEAST_EXPECTED = 1e-24
"""Expected counts at or below which a row is skipped: 2**32 times its reciprocal fits float32."""


@_INLINE
def _gather(image: Array, n_taps: int, taps: Taps) -> float:
    """Turn the lengths of the kept taps into their shares of the line integral, and sum them."""
    voxel, length = taps.kept_voxel, taps.kept
    total = length.dtype.type(0.0)
    for k in range(n_taps):
        length[k] *= image[voxel[k]]
        total += length[k]
    return total


@_INLINE
def _scatter(sums: Array, n_taps: int, taps: Taps, value: float) -> None:
    """Add value · length to the voxels of the kept taps, rounded if the sums are integers."""
    voxel, length = taps.kept_voxel, taps.kept
    # known when the kernel is compiled, so that floating sums pay nothing for it
    is_integer = sums.dtype.type(1.5) == 1
    half = length.dtype.type(0.5 if is_integer else 0.0)
    for k in range(n_taps):
        share = value * length[k]
        sums[voxel[k]] += sums.dtype.type(share + math.copysign(half, share))


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
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps, image: Array, out: Array
) -> None:
    """Line integrals: out[row] = Σ_n A_row,n · image_n [mm times image]."""
    for row in range(start, stop):
        n_taps, scale = lay_kept(row, rows, shape, taps)
        out[row] = _gather(image, n_taps, taps) * scale


@_KERNEL
def back(
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps,
    values: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """Back projection: sums += unit · Σ_row A_row · values[row].

    unit : 1 for floating sums; as large as they can hold for int64 ones, which round every tap
        and so do not depend on the order of the rows
    """
    real = values.dtype.type
    for row in range(start, stop):
        n_taps, scale = lay_kept(row, rows, shape, taps)
        _scatter(sums, n_taps, taps, real(values[row] * scale * unit))


@_KERNEL
def update(
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps,
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
    for row in range(start, stop):
        n_taps, scale = lay_kept(row, rows, shape, taps)
        q = _gather(image, n_taps, taps) * scale
        if background.size:
            q += background[row]
        if q > _LEAST_EXPECTED:
            expected[row] = q
            _scatter(sums, n_taps, taps, real(scale / q * unit))
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
        _scatter(sums, keep(n_slabs, taps), taps, values[row] * real(scale) * real(unit))


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
            _scatter(sums, keep(n_slabs, taps), taps, real(scale) / q * real(unit))
        else:
            expected[row] = real(0.0)

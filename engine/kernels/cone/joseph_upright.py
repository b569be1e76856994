"""Joseph's line integrals if all rays of a detector column have a common transaxial path.

This is the case if detector columns run along z and no ray is steep. The taps of a column in a
layer are then in the same two columns of voxels, which are interpolated once for all rows. Formula,
layouts and coordinates are those of `joseph`. The results are equal up to rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.cone.joseph import EVEN, MATH, Shape, inside
from engine.kernels.vectors.window import MARGIN, add_between, can_collect, collect

_KERNEL = cached_njit(**MATH)
_INLINE = njit(inline="always", **MATH)
_ONE = np.uint32(1)


class _Column(NamedTuple):
    """Rays of a detector column: the layers within the other axis a, and the heights in them."""

    first: int
    stop: int
    t: float  # path parameter in layer 0, and its change per layer
    per_layer: float
    a: float  # position in layer 0 [padded], and its change per layer
    slope_a: float
    z: float  # height of row 0 at t = 0 [padded], and its change per t
    slope_z: float
    row: float  # height between two rows at t = 0, and its change per t
    slope_row: float
    n_a: int
    stride: int
    stride_a: int


class _Strip(NamedTuple):
    """Rows and voxels of a column of rays in one layer."""

    first: int
    stop: int
    base: int
    end: int
    low: int  # z of the first voxel [padded]
    far: float  # fraction of the way to the next column of voxels along a
    z: float  # height of row 0 [padded], and height between two rows
    step: float


@_INLINE
def _column_at(ray: Array, column: int, shape: Shape) -> _Column:
    n_y, n_x, n_z = shape
    s_x, s_y = ray[0, 0] + column * ray[1, 0], ray[0, 1] + column * ray[1, 1]
    q_x, q_y = ray[3, 0] + column * ray[4, 0], ray[3, 1] + column * ray[4, 1]
    along_x = EVEN * abs(q_x) >= abs(q_y)
    s_k, q_k, n_k = (s_x, q_x, n_x) if along_x else (s_y, q_y, n_y)
    s_a, q_a, n_a = (s_y, q_y, n_y) if along_x else (s_x, q_x, n_x)
    stride_x, stride_y = n_z + 2, (n_x + 2) * (n_z + 2)
    # q_k is the larger transaxial component, and the ray is not steep, so it is never 0.
    t, per_layer = (0.5 - s_k) / q_k, 1.0 / q_k
    a, slope_a = s_a + t * q_a + 0.5, q_a / q_k
    first, stop = inside(a, slope_a, n_k, n_a)
    return _Column(
        first, stop, t, per_layer, a, slope_a,
        ray[0, 2] + column * ray[1, 2] + 0.5, ray[3, 2] + column * ray[4, 2], ray[2, 2], ray[5, 2],
        n_a, stride_x if along_x else stride_y, stride_y if along_x else stride_x,
    )  # fmt: skip


@_INLINE
def _strip(layer: int, ray: _Column, n_rows: int, n_z: int) -> _Strip:
    t, a = ray.t + layer * ray.per_layer, ray.a + layer * ray.slope_a
    i = min(int(a), ray.n_a)
    z, step = ray.z + t * ray.slope_z, ray.row + t * ray.slope_row
    first, stop = inside(z, step, n_rows, n_z)
    at_first, at_last = z + first * step, z + (stop - 1) * step
    # One more voxel: a rounded position can read it.
    low, high = max(int(min(at_first, at_last)) - 1, 0), int(max(at_first, at_last)) + 2
    line = (layer + 1) * ray.stride + i * ray.stride_a
    return _Strip(first, stop, line + low, line + high, low, a - i, z, step)


@_KERNEL
def forward_upright(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, image: Array,
    blend: Array, out: Array,
) -> None:  # fmt: skip
    """Compute line integrals [image times mm] of columns start to stop - 1 of all views.

    Parameters
    ----------
    start, stop
        range of columns
    rays
        (n_views, 6, 3), see `engine.kernels.cone.joseph`
    voxel_mm
        (x, y, z)
    shape
        (n_y, n_x, n_z) without the border
    image
        flat, with its border
    blend
        (n_z + 3,) working memory within margins, initially zero
    out
        (n_views, n_columns, n_rows)
    """
    n_columns, n_rows = out.shape[1], out.shape[2]
    real = image.dtype.type
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        row = out[view, column]
        # Rows outside the volume are not written below, and `out` is uninitialised.
        for r in range(n_rows):
            row[r] = real(0.0)
        ray = _column_at(rays[view], column, shape)
        for layer in range(ray.first, ray.stop):
            strip = _strip(layer, ray, n_rows, shape[2])
            if strip.first >= strip.stop:
                continue
            near, far = real(1.0 - strip.far), real(strip.far)
            # Two neighbouring columns of voxels; z is the fastest axis, so both are contiguous.
            left, right = image[strip.base : strip.end], image[strip.base + ray.stride_a :]
            # Loops from zero over slices, so that Numba knows that no index is negative.
            for n in range(left.size):
                blend[MARGIN + n] = near * left[n] + far * right[n]
            rows = strip.first, strip.stop
            add_between(row, 0, rows, blend, strip.low, strip.z, strip.step)
        # Once for a row instead of for each sample: the length between two layers is the same in
        # all layers.
        _times_length(rays[view], column, voxel_mm, ray.per_layer, row)


@_INLINE
def _times_length(ray: Array, column: int, voxel_mm: Array, per_layer: float, row: Array) -> None:
    """Multiply a row of samples by the length of the rays between two layers [mm]."""
    x_mm = (ray[3, 0] + column * ray[4, 0]) * voxel_mm[0]
    y_mm = (ray[3, 1] + column * ray[4, 1]) * voxel_mm[1]
    flat = x_mm * x_mm + y_mm * y_mm
    for r in range(row.size):
        z_mm = (ray[3, 2] + column * ray[4, 2] + r * ray[5, 2]) * voxel_mm[2]
        row[r] *= row.dtype.type(math.sqrt(flat + z_mm * z_mm) * abs(per_layer))


@_KERNEL
def back_upright(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, values: Array,
    blend: Array, row: Array, sums: Array,
) -> None:  # fmt: skip
    """Add the adjoint of `forward_upright` for columns start ... stop - 1.

    Parameters
    ----------
    start, stop
        range of columns
    rays
        (n_views, 6, 3), see `engine.kernels.cone.joseph`
    voxel_mm
        (x, y, z)
    shape
        (n_y, n_x, n_z) without the border
    values
        (n_views, n_columns, n_rows)
    blend
        as for `forward_upright`
    row
        (n_rows,) working memory within margins, initially zero
    sums
        flat, with its border; one for each thread
    """
    n_columns, n_rows = values.shape[1], values.shape[2]
    real = sums.dtype.type
    seen = row[MARGIN : MARGIN + n_rows]
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        for r in range(n_rows):
            seen[r] = values[view, column, r]
        ray = _column_at(rays[view], column, shape)
        _times_length(rays[view], column, voxel_mm, ray.per_layer, seen)
        for layer in range(ray.first, ray.stop):
            strip = _strip(layer, ray, n_rows, shape[2])
            if strip.first >= strip.stop:
                continue
            shares = real(1.0 - strip.far), real(strip.far)
            columns = strip.base - strip.low, ray.stride_a
            reach = strip.low, strip.low + strip.end - strip.base
            if can_collect(strip.step):
                collect(sums, columns, shares, reach, row, strip.z, strip.step)
            else:
                _scatter(sums, columns, shares, strip, seen, blend)


@_INLINE
def _scatter(
    sums: Array, columns: tuple[int, int], shares: tuple[float, float], strip: _Strip,
    seen: Array, blend: Array,
) -> None:  # fmt: skip
    """Add the rows of a strip to its two columns of voxels, row by row."""
    real = sums.dtype.type
    left = sums[columns[0] + strip.low :][: strip.end - strip.base]
    right = sums[columns[0] + columns[1] + strip.low :]
    for n in range(left.size):
        blend[n] = real(0.0)
    rows = seen[strip.first : strip.stop]
    begin = strip.z + strip.first * strip.step - strip.low
    for r in range(rows.size):
        z_r = begin + float(np.int32(r)) * strip.step
        k = np.uint32(z_r)
        beyond = real(z_r - float(k)) * rows[r]
        blend[k] += rows[r] - beyond
        blend[k + _ONE] += beyond
    for n in range(left.size):
        left[n] += shares[0] * blend[n]
        right[n] += shares[1] * blend[n]

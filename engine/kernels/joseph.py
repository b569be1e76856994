"""Joseph's line integrals through a volume, and their exact adjoint.

Along its main axis, the one along which it crosses most voxels, a ray is sampled once in every
layer of voxels, at the layer's middle, linearly between the four nearest centres (Joseph, IEEE
TMI 1 (1982) 192); each sample stands for the length of ray between two layers:

out_j = |q_j| / |q_jk| Σ_layers Σ_4 w · image        q_j: direction of the ray, k: its main axis

Coordinates are in voxels from the lower corner of the box, so the middle of voxel i is i + 1/2.
Volumes are [y, x, z] with a border of one zero voxel, laid flat; projections are
[view, column, row]. A ray starts at `start` and runs along `along`, both linear in column and row:
rays[view] = (start, its step per column, per row, along, its step per column, per row), each
(x, y, z).

Where the rows of a detector run along z and no ray is steep, all rays of a column share their way
across z (`upright`): their taps of a layer lie in the same two columns of voxels, which are blended
once for all rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]
Shape = tuple[int, int, int]

_MATH: dict[str, Any] = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
_KERNEL: Any = njit(cache=True, nogil=True, **_MATH)
_INLINE: Any = njit(inline="always", **_MATH)
_ONE = np.uint32(1)
_EVEN = 1 + 1e-5
"""Axes closer than this are even, and the first of them is the main one, whatever the rounding."""


@_INLINE
def _crossing(
    layer: int, start: float, along: float, start_across: float, along_across: float
) -> tuple[float, float]:
    """How far along the ray the layer's middle lies, and where the ray is across it [padded]."""
    t = (layer + 0.5 - start) / along
    return t, start_across + t * along_across + 0.5


@_INLINE
def _inside(first: float, step: float, n_rows: int, n: int) -> tuple[int, int]:
    """Rows r of 0 ... n_rows - 1 for which 0 <= first + r step < n + 1."""
    if step == 0.0:
        return (0, n_rows) if 0.0 <= first < n + 1.0 else (0, 0)
    one, other = -first / step, (n + 1.0 - first) / step
    low, high = min(one, other), max(one, other)
    start = math.ceil(max(low, 0.0))
    stop = math.floor(min(high, n_rows - 1.0)) + 1
    # the ends are rounded: move them inward until they hold
    while start < stop and not 0.0 <= first + start * step < n + 1.0:
        start += 1
    while start < stop and not 0.0 <= first + (stop - 1) * step < n + 1.0:
        stop -= 1
    return start, stop


@_INLINE
def _column(
    rays: Array, column: int, n_x: int, n_y: int, n_z: int
) -> tuple[bool, float, float, float, float, int, int, int, int]:
    """Main axis of a column of upright rays, its line across z, and the strides of both axes."""
    start_x = rays[0, 0] + column * rays[1, 0]
    start_y = rays[0, 1] + column * rays[1, 1]
    along_x = rays[3, 0] + column * rays[4, 0]
    along_y = rays[3, 1] + column * rays[4, 1]
    one, line = n_z + 2, (n_x + 2) * (n_z + 2)
    if _EVEN * abs(along_x) >= abs(along_y):
        return True, start_x, along_x, start_y, along_y, n_x, n_y, one, line
    return False, start_y, along_y, start_x, along_x, n_y, n_x, line, one


@_KERNEL
def forward_upright(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, image: Array,
    blend: Array, out: Array,
) -> None:  # fmt: skip
    """Line integrals [image times mm] of the columns start ... stop - 1 of all views together.

    shape : (n_y, n_x, n_z) without the border; blend : (n_z + 3,) working space;
    out : (n_views, n_columns, n_rows)
    """
    n_y, n_x, n_z = shape
    n_columns, n_rows = out.shape[1], out.shape[2]
    real = image.dtype.type
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        ray, row = rays[view], out[view, column]
        for r in range(n_rows):
            row[r] = real(0.0)
        _, s_k, q_k, s_a, q_a, n_k, n_a, stride, across = _column(ray, column, n_x, n_y, n_z)
        s_z, q_z = ray[0, 2] + column * ray[1, 2], ray[3, 2] + column * ray[4, 2]
        for layer in range(n_k):
            t, at = _crossing(layer, s_k, q_k, s_a, q_a)
            if not 0.0 <= at < n_a + 1.0:
                continue
            i = int(at)
            one = real(at - i)
            other = real(1.0) - one
            first, step = s_z + t * q_z + 0.5, ray[2, 2] + t * ray[5, 2]
            from_row, to_row = _inside(first, step, n_rows, n_z)
            if from_row >= to_row:
                continue
            z_a, z_b = first + from_row * step, first + (to_row - 1) * step
            low, high = int(min(z_a, z_b)), int(max(z_a, z_b)) + 2
            base = (layer + 1) * stride + i * across
            left, right = image[base + low : base + high], image[base + across + low :]
            # loops from zero over slices: numba then knows that no index is negative
            for z in range(left.size):
                blend[z] = other * left[z] + one * right[z]
            seen, begin, by = row[from_row:to_row], real(z_a - low), real(step)
            for r in range(seen.size):
                z_r = begin + real(np.uint32(r)) * by
                k = np.uint32(z_r)
                seen[r] += blend[k] + (z_r - real(k)) * (blend[k + _ONE] - blend[k])
        _times_length(ray, column, voxel_mm, abs(q_k), row)


@_INLINE
def _times_length(ray: Array, column: int, voxel_mm: Array, along_main: float, row: Array) -> None:
    """Multiply a row of samples by the length of ray between two layers [mm]."""
    x_mm = (ray[3, 0] + column * ray[4, 0]) * voxel_mm[0]
    y_mm = (ray[3, 1] + column * ray[4, 1]) * voxel_mm[1]
    flat = x_mm * x_mm + y_mm * y_mm
    for r in range(row.size):
        z_mm = (ray[3, 2] + column * ray[4, 2] + r * ray[5, 2]) * voxel_mm[2]
        row[r] *= row.dtype.type(math.sqrt(flat + z_mm * z_mm) / along_main)


@_KERNEL
def back_upright(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, values: Array,
    blend: Array, row: Array, sums: Array,
) -> None:  # fmt: skip
    """The adjoint of `forward_upright`: add the columns to `sums`, flat, with a border.

    values : (n_views, n_columns, n_rows); row : (n_rows,) working space
    """
    n_y, n_x, n_z = shape
    n_columns, n_rows = values.shape[1], values.shape[2]
    real = sums.dtype.type
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        ray = rays[view]
        for r in range(n_rows):
            row[r] = values[view, column, r]
        _, s_k, q_k, s_a, q_a, n_k, n_a, stride, across = _column(ray, column, n_x, n_y, n_z)
        _times_length(ray, column, voxel_mm, abs(q_k), row)
        s_z, q_z = ray[0, 2] + column * ray[1, 2], ray[3, 2] + column * ray[4, 2]
        for layer in range(n_k):
            t, at = _crossing(layer, s_k, q_k, s_a, q_a)
            if not 0.0 <= at < n_a + 1.0:
                continue
            i = int(at)
            one = real(at - i)
            other = real(1.0) - one
            first, step = s_z + t * q_z + 0.5, ray[2, 2] + t * ray[5, 2]
            from_row, to_row = _inside(first, step, n_rows, n_z)
            if from_row >= to_row:
                continue
            z_a, z_b = first + from_row * step, first + (to_row - 1) * step
            low, high = int(min(z_a, z_b)), int(max(z_a, z_b)) + 2
            base = (layer + 1) * stride + i * across
            left, right = sums[base + low : base + high], sums[base + across + low :]
            for z in range(left.size):
                blend[z] = real(0.0)
            seen, begin, by = row[from_row:to_row], real(z_a - low), real(step)
            for r in range(seen.size):
                z_r = begin + real(np.uint32(r)) * by
                k = np.uint32(z_r)
                far = (z_r - real(k)) * seen[r]
                blend[k] += seen[r] - far
                blend[k + _ONE] += far
            for z in range(left.size):
                left[z] += other * blend[z]
                right[z] += one * blend[z]


@_INLINE
def _lay(
    ray: Array, column: int, row: int, voxel_mm: Array, shape: Shape
) -> tuple[float, float, float, float, float, float, int, int, int, int, int, int, float]:
    """Main axis and two others of any ray: starts, slopes, sizes and strides, mm per layer."""
    n_y, n_x, n_z = shape
    start_x = ray[0, 0] + column * ray[1, 0] + row * ray[2, 0]
    start_y = ray[0, 1] + column * ray[1, 1] + row * ray[2, 1]
    start_z = ray[0, 2] + column * ray[1, 2] + row * ray[2, 2]
    x = ray[3, 0] + column * ray[4, 0] + row * ray[5, 0]
    y = ray[3, 1] + column * ray[4, 1] + row * ray[5, 1]
    z = ray[3, 2] + column * ray[4, 2] + row * ray[5, 2]
    line, one = (n_x + 2) * (n_z + 2), n_z + 2
    x_mm, y_mm, z_mm = x * voxel_mm[0], y * voxel_mm[1], z * voxel_mm[2]
    length = math.sqrt(x_mm * x_mm + y_mm * y_mm + z_mm * z_mm)
    if _EVEN * abs(x) >= max(abs(y), abs(z)):
        return (
            start_x, start_y, start_z, y / x, z / x, length / abs(x),
            n_x, n_y, n_z, one, line, 1, x,
        )  # fmt: skip
    if _EVEN * abs(y) >= abs(z):
        return (
            start_y, start_x, start_z, x / y, z / y, length / abs(y),
            n_y, n_x, n_z, line, one, 1, y,
        )  # fmt: skip
    return (
        start_z, start_x, start_y, x / z, y / z, length / abs(z),
        n_z, n_x, n_y, 1, one, line, z,
    )  # fmt: skip


@_INLINE
def _layers(start: float, slope: float, across: float, n: int, n_k: int) -> tuple[float, float]:
    """Layers for which the ray is within the padded voxels of another axis."""
    if slope == 0.0:
        return (0.0, n_k - 1.0) if 0.0 <= across + 0.5 < n + 1.0 else (1.0, 0.0)
    one = (-0.5 - across) / slope + start - 0.5
    other = (n + 0.5 - across) / slope + start - 0.5
    return max(0.0, min(one, other) - 1e-6), min(n_k - 1.0, max(one, other) + 1e-6)


@_KERNEL
def forward(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, image: Array, out: Array
) -> None:
    """As `forward_upright`, for rays of any direction."""
    n_columns, n_rows = out.shape[1], out.shape[2]
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        for row in range(n_rows):
            (
                s_k, s_u, s_v, slope_u, slope_v, mm, n_k, n_u, n_v, stride, stride_u, stride_v, _
            ) = _lay(rays[view], column, row, voxel_mm, shape)  # fmt: skip
            low_u, high_u = _layers(s_k, slope_u, s_u, n_u, n_k)
            low_v, high_v = _layers(s_k, slope_v, s_v, n_v, n_k)
            low, high = math.ceil(max(low_u, low_v)), math.floor(min(high_u, high_v))
            total = 0.0
            for layer in range(int(low), int(high) + 1):
                ahead = layer + 0.5 - s_k
                u, v = s_u + ahead * slope_u + 0.5, s_v + ahead * slope_v + 0.5
                if not (0.0 <= u < n_u + 1.0 and 0.0 <= v < n_v + 1.0):
                    continue
                i, j = int(u), int(v)
                u, v = u - i, v - j
                at = (layer + 1) * stride + i * stride_u + j * stride_v
                near = (1.0 - u) * image[at] + u * image[at + stride_u]
                far = (1.0 - u) * image[at + stride_v] + u * image[at + stride_u + stride_v]
                total += (1.0 - v) * near + v * far
            out[view, column, row] = total * mm


@_KERNEL
def back(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, values: Array, sums: Array
) -> None:
    """The adjoint of `forward`: add the columns to `sums`, flat, with a border."""
    n_columns, n_rows = values.shape[1], values.shape[2]
    real = sums.dtype.type
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        for row in range(n_rows):
            (
                s_k, s_u, s_v, slope_u, slope_v, mm, n_k, n_u, n_v, stride, stride_u, stride_v, _
            ) = _lay(rays[view], column, row, voxel_mm, shape)  # fmt: skip
            value = values[view, column, row] * mm
            low_u, high_u = _layers(s_k, slope_u, s_u, n_u, n_k)
            low_v, high_v = _layers(s_k, slope_v, s_v, n_v, n_k)
            low, high = math.ceil(max(low_u, low_v)), math.floor(min(high_u, high_v))
            for layer in range(int(low), int(high) + 1):
                ahead = layer + 0.5 - s_k
                u, v = s_u + ahead * slope_u + 0.5, s_v + ahead * slope_v + 0.5
                if not (0.0 <= u < n_u + 1.0 and 0.0 <= v < n_v + 1.0):
                    continue
                i, j = int(u), int(v)
                u, v = u - i, v - j
                at = (layer + 1) * stride + i * stride_u + j * stride_v
                near, far = value * (1.0 - v), value * v
                sums[at] += real((1.0 - u) * near)
                sums[at + stride_u] += real(u * near)
                sums[at + stride_v] += real((1.0 - u) * far)
                sums[at + stride_u + stride_v] += real(u * far)

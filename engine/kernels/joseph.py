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
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]
Shape = tuple[int, int, int]

_FAST = {"reassoc", "nsz", "arcp", "contract"}
_MATH: dict[str, Any] = {"fastmath": _FAST, "error_model": "numpy", "_nrt": False}
_KERNEL: Any = njit(cache=True, nogil=True, **_MATH)
_INLINE: Any = njit(inline="always", **_MATH)
_ONE = np.uint32(1)
_EVEN = 1 + 1e-5
"""Axes closer than this are even, and the first of them is the main one, whatever the rounding."""


@_INLINE
def _inside(first: float, step: float, n_rows: int, n: int) -> tuple[int, int]:
    """Rows, or layers, r of 0 ... n_rows - 1 for which 0 <= first + r step < n + 1."""
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


class _Column(NamedTuple):
    """A column of upright rays: its layers inside another axis, a, and its heights along them."""

    first: int
    stop: int
    t: float  # along the rays, in layer 0; from one layer to the next
    per_layer: float
    a: float  # in layer 0 [padded]; from one layer to the next
    slope_a: float
    z: float  # of row 0 at t = 0 [padded], and per t
    slope_z: float
    row: float  # from one row to the next at t = 0, and per t
    slope_row: float
    n_a: int
    stride: int
    stride_a: int


class _Strip(NamedTuple):
    """What a column's rays see of one layer: rows first ... stop - 1, voxels base ... end - 1."""

    first: int
    stop: int
    base: int
    end: int
    far: float  # how far the rays are on the way to the next line of voxels across
    z: float  # of the first of the rows, from the first of the voxels; from one row to the next
    step: float


@_INLINE
def _lay_column(ray: Array, column: int, shape: Shape) -> _Column:
    n_y, n_x, n_z = shape
    s_x, s_y = ray[0, 0] + column * ray[1, 0], ray[0, 1] + column * ray[1, 1]
    q_x, q_y = ray[3, 0] + column * ray[4, 0], ray[3, 1] + column * ray[4, 1]
    along_x = _EVEN * abs(q_x) >= abs(q_y)
    s_k, q_k, n_k = (s_x, q_x, n_x) if along_x else (s_y, q_y, n_y)
    s_a, q_a, n_a = (s_y, q_y, n_y) if along_x else (s_x, q_x, n_x)
    one, line = n_z + 2, (n_x + 2) * (n_z + 2)
    t, per_layer = (0.5 - s_k) / q_k, 1.0 / q_k
    a, slope_a = s_a + t * q_a + 0.5, q_a / q_k
    first, stop = _inside(a, slope_a, n_k, n_a)
    return _Column(
        first, stop, t, per_layer, a, slope_a,
        ray[0, 2] + column * ray[1, 2] + 0.5, ray[3, 2] + column * ray[4, 2], ray[2, 2], ray[5, 2],
        n_a, one if along_x else line, line if along_x else one,
    )  # fmt: skip


@_INLINE
def _strip(layer: int, way: _Column, n_rows: int, n_z: int) -> _Strip:
    t, a = way.t + layer * way.per_layer, way.a + layer * way.slope_a
    i = min(int(a), way.n_a)
    z, step = way.z + t * way.slope_z, way.row + t * way.slope_row
    first, stop = _inside(z, step, n_rows, n_z)
    one, other = z + first * step, z + (stop - 1) * step
    low, high = int(min(one, other)), int(max(one, other)) + 2
    line = (layer + 1) * way.stride + i * way.stride_a
    return _Strip(first, stop, line + low, line + high, a - i, one - low, step)


@_KERNEL
def forward_upright(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, image: Array,
    blend: Array, out: Array,
) -> None:  # fmt: skip
    """Line integrals [image times mm] of the columns start ... stop - 1 of all views together.

    shape : (n_y, n_x, n_z) without the border; blend : (n_z + 3,) working space;
    out : (n_views, n_columns, n_rows)
    """
    n_columns, n_rows = out.shape[1], out.shape[2]
    real = image.dtype.type
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        row = out[view, column]
        for r in range(n_rows):
            row[r] = real(0.0)
        way = _lay_column(rays[view], column, shape)
        for layer in range(way.first, way.stop):
            strip = _strip(layer, way, n_rows, shape[2])
            if strip.first >= strip.stop:
                continue
            near, far = real(1.0 - strip.far), real(strip.far)
            z, step = real(strip.z), real(strip.step)
            left, right = image[strip.base : strip.end], image[strip.base + way.stride_a :]
            # loops from zero over slices, too: numba then knows that no index is negative
            for n in range(left.size):
                blend[n] = near * left[n] + far * right[n]
            seen = row[strip.first : strip.stop]
            for r in range(seen.size):
                z_r = z + real(np.uint32(r)) * step
                k = np.uint32(z_r)
                seen[r] += blend[k] + (z_r - real(k)) * (blend[k + _ONE] - blend[k])
        _times_length(rays[view], column, voxel_mm, way.per_layer, row)


@_INLINE
def _times_length(ray: Array, column: int, voxel_mm: Array, per_layer: float, row: Array) -> None:
    """Multiply a row of samples by the length of ray between two layers [mm]."""
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
    """The adjoint of `forward_upright`: add the columns to `sums`, flat, with a border.

    values : (n_views, n_columns, n_rows); row : (n_rows,) working space
    """
    n_columns, n_rows = values.shape[1], values.shape[2]
    real = sums.dtype.type
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        for r in range(n_rows):
            row[r] = values[view, column, r]
        way = _lay_column(rays[view], column, shape)
        _times_length(rays[view], column, voxel_mm, way.per_layer, row)
        for layer in range(way.first, way.stop):
            strip = _strip(layer, way, n_rows, shape[2])
            if strip.first >= strip.stop:
                continue
            near, far = real(1.0 - strip.far), real(strip.far)
            z, step = real(strip.z), real(strip.step)
            left, right = sums[strip.base : strip.end], sums[strip.base + way.stride_a :]
            for n in range(left.size):
                blend[n] = real(0.0)
            seen = row[strip.first : strip.stop]
            for r in range(seen.size):
                z_r = z + real(np.uint32(r)) * step
                k = np.uint32(z_r)
                beyond = (z_r - real(k)) * seen[r]
                blend[k] += seen[r] - beyond
                blend[k + _ONE] += beyond
            for n in range(left.size):
                left[n] += near * blend[n]
                right[n] += far * blend[n]


class _Ray(NamedTuple):
    """One ray: its layers inside, first ... stop - 1, and where it is in them on two other axes."""

    first: int
    stop: int
    mm: float  # between two layers
    u: float  # in layer 0 [padded]
    v: float
    slope_u: float
    slope_v: float
    n_u: int
    n_v: int
    stride: int
    stride_u: np.uint32  # numba then knows that no index is negative
    stride_v: np.uint32


@_INLINE
def _lay(ray: Array, column: int, row: int, voxel_mm: Array, shape: Shape) -> _Ray:
    n_y, n_x, n_z = shape
    s_x = ray[0, 0] + column * ray[1, 0] + row * ray[2, 0]
    s_y = ray[0, 1] + column * ray[1, 1] + row * ray[2, 1]
    s_z = ray[0, 2] + column * ray[1, 2] + row * ray[2, 2]
    x = ray[3, 0] + column * ray[4, 0] + row * ray[5, 0]
    y = ray[3, 1] + column * ray[4, 1] + row * ray[5, 1]
    z = ray[3, 2] + column * ray[4, 2] + row * ray[5, 2]
    x_mm, y_mm, z_mm = x * voxel_mm[0], y * voxel_mm[1], z * voxel_mm[2]
    length = math.sqrt(x_mm * x_mm + y_mm * y_mm + z_mm * z_mm)
    one, line = n_z + 2, (n_x + 2) * (n_z + 2)
    if _EVEN * abs(x) >= max(abs(y), abs(z)):
        s_k, s_u, s_v, k, u, v = s_x, s_y, s_z, x, y, z
        n_k, n_u, n_v, stride, stride_u, stride_v = n_x, n_y, n_z, one, line, 1
    elif _EVEN * abs(y) >= abs(z):
        s_k, s_u, s_v, k, u, v = s_y, s_x, s_z, y, x, z
        n_k, n_u, n_v, stride, stride_u, stride_v = n_y, n_x, n_z, line, one, 1
    else:
        s_k, s_u, s_v, k, u, v = s_z, s_x, s_y, z, x, y
        n_k, n_u, n_v, stride, stride_u, stride_v = n_z, n_x, n_y, 1, one, line
    slope_u, slope_v = u / k, v / k
    at_u, at_v = s_u + (0.5 - s_k) * slope_u + 0.5, s_v + (0.5 - s_k) * slope_v + 0.5
    from_u, to_u = _inside(at_u, slope_u, n_k, n_u)
    from_v, to_v = _inside(at_v, slope_v, n_k, n_v)
    return _Ray(
        max(from_u, from_v), min(to_u, to_v), length / abs(k),
        at_u, at_v, slope_u, slope_v, n_u, n_v, stride, np.uint32(stride_u), np.uint32(stride_v),
    )  # fmt: skip


@_INLINE
def _taps(layer: int, way: _Ray) -> tuple[np.uint32, float, float]:
    """Nearest lower voxel of a layer, and how far the ray is on the way to the next ones."""
    u, v = way.u + layer * way.slope_u, way.v + layer * way.slope_v
    i, j = min(int(u), way.n_u), min(int(v), way.n_v)
    at = (layer + 1) * way.stride + i * way.stride_u + j * way.stride_v
    return np.uint32(at), u - i, v - j


@_KERNEL
def forward(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, image: Array, out: Array
) -> None:
    """As `forward_upright`, for rays of any direction."""
    n_columns, n_rows = out.shape[1], out.shape[2]
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        for row in range(n_rows):
            way = _lay(rays[view], column, row, voxel_mm, shape)
            total = 0.0
            for layer in range(way.first, way.stop):
                at, u, v = _taps(layer, way)
                above = at + way.stride_v
                near = (1.0 - u) * image[at] + u * image[at + way.stride_u]
                far = (1.0 - u) * image[above] + u * image[above + way.stride_u]
                total += (1.0 - v) * near + v * far
            out[view, column, row] = total * way.mm


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
            way = _lay(rays[view], column, row, voxel_mm, shape)
            value = values[view, column, row] * way.mm
            for layer in range(way.first, way.stop):
                at, u, v = _taps(layer, way)
                above, near, far = at + way.stride_v, value * (1.0 - v), value * v
                sums[at] += real((1.0 - u) * near)
                sums[at + way.stride_u] += real(u * near)
                sums[above] += real((1.0 - u) * far)
                sums[above + way.stride_u] += real(u * far)

"""Joseph's line integrals through a volume, and their exact adjoint.

    out_j = |q_j| / |q_jk| Σ_layers Σ_4 w · image

|q_j| : length of the direction of ray j [mm]; q_jk : its component along the main axis k [voxels]
w : bilinear weights of the four nearest voxel centres in a layer

The main axis is the one along which the ray crosses most voxels. The ray is sampled once in each
layer of voxels along it, at the middle of the layer (Joseph, IEEE TMI 1 (1982) 192). Each sample
represents the length of the ray between two layers.

Coordinates are in voxels from the lower corner of the box, so the centre of voxel i is i + 1/2.
Volumes are [y, x, z] with a border of one zero voxel, flat; projections are [view, column, row]. A
ray begins at `start` with the direction `along`, both linear in column and row: rays[view] =
(start, its step per column, per row, along, its step per column, per row), each (x, y, z).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

Shape = tuple[int, int, int]

_FAST = {"reassoc", "nsz", "arcp", "contract"}
MATH: Plain = {"fastmath": _FAST, "error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**MATH)
_INLINE = njit(inline="always", **MATH)
EVEN = 1 + 1e-5
"""Components within this ratio count as equal, and the first is the main axis on all devices."""


@_INLINE
def inside(first: float, step: float, n_rows: int, n: int) -> tuple[int, int]:
    """Return the range of rows or layers r of 0 ... n_rows - 1 with 0 <= first + r step < n + 1.

    Parameters
    ----------
    first
        value at r = 0
    step
        change per row
    n_rows
        number of rows
    n
        size of the volume along this axis
    """
    if step == 0.0:
        return (0, n_rows) if 0.0 <= first < n + 1.0 else (0, 0)
    # n + 1, not n: up to half a voxel outside the volume a sample still interpolates between the
    # outermost voxels and the border, which is zero.
    at_low, at_high = -first / step, (n + 1.0 - first) / step
    low, high = min(at_low, at_high), max(at_low, at_high)
    start = math.ceil(max(low, 0.0))
    stop = math.floor(min(high, n_rows - 1.0)) + 1
    # The ends are rounded. Move them inward until they are valid.
    while start < stop and not 0.0 <= first + start * step < n + 1.0:
        start += 1
    while start < stop and not 0.0 <= first + (stop - 1) * step < n + 1.0:
        stop -= 1
    return start, stop


class _Ray(NamedTuple):
    """One ray: its layers first ... stop − 1, and its coordinates u and v in them."""

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
def _ray_at(ray: Array, column: int, row: int, voxel_mm: Array, shape: Shape) -> _Ray:
    n_y, n_x, n_z = shape
    s_x = ray[0, 0] + column * ray[1, 0] + row * ray[2, 0]
    s_y = ray[0, 1] + column * ray[1, 1] + row * ray[2, 1]
    s_z = ray[0, 2] + column * ray[1, 2] + row * ray[2, 2]
    x = ray[3, 0] + column * ray[4, 0] + row * ray[5, 0]
    y = ray[3, 1] + column * ray[4, 1] + row * ray[5, 1]
    z = ray[3, 2] + column * ray[4, 2] + row * ray[5, 2]
    # Lengths in mm, directions in voxels: the edges of a voxel can differ.
    x_mm, y_mm, z_mm = x * voxel_mm[0], y * voxel_mm[1], z * voxel_mm[2]
    length = math.sqrt(x_mm * x_mm + y_mm * y_mm + z_mm * z_mm)
    stride_x, stride_y = n_z + 2, (n_x + 2) * (n_z + 2)
    if EVEN * abs(x) >= max(abs(y), abs(z)):
        s_k, s_u, s_v, k, u, v = s_x, s_y, s_z, x, y, z
        n_k, n_u, n_v, stride, stride_u, stride_v = n_x, n_y, n_z, stride_x, stride_y, 1
    elif EVEN * abs(y) >= abs(z):
        s_k, s_u, s_v, k, u, v = s_y, s_x, s_z, y, x, z
        n_k, n_u, n_v, stride, stride_u, stride_v = n_y, n_x, n_z, stride_y, stride_x, 1
    else:
        s_k, s_u, s_v, k, u, v = s_z, s_x, s_y, z, x, y
        n_k, n_u, n_v, stride, stride_u, stride_v = n_z, n_x, n_y, 1, stride_x, stride_y
    slope_u, slope_v = u / k, v / k
    at_u, at_v = s_u + (0.5 - s_k) * slope_u + 0.5, s_v + (0.5 - s_k) * slope_v + 0.5
    from_u, to_u = inside(at_u, slope_u, n_k, n_u)
    from_v, to_v = inside(at_v, slope_v, n_k, n_v)
    return _Ray(
        max(from_u, from_v), min(to_u, to_v), length / abs(k),
        at_u, at_v, slope_u, slope_v, n_u, n_v, stride, np.uint32(stride_u), np.uint32(stride_v),
    )  # fmt: skip


@_INLINE
def _taps(layer: int, ray: _Ray) -> tuple[np.uint32, float, float]:
    """Return the nearest lower voxel in a layer, and the fractions towards the next voxels."""
    u, v = ray.u + layer * ray.slope_u, ray.v + layer * ray.slope_v
    # Rounding can put a sample on the far face of the border. The limit keeps it within the border.
    i, j = min(int(u), ray.n_u), min(int(v), ray.n_v)
    at = (layer + 1) * ray.stride + i * ray.stride_u + j * ray.stride_v
    return np.uint32(at), u - i, v - j


@_KERNEL
def forward(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, image: Array, out: Array
) -> None:
    """Compute line integrals [image times mm] of columns start to stop - 1 of all views.

    Parameters
    ----------
    start, stop
        range of columns
    rays
        (n_views, 6, 3), see the module docstring
    voxel_mm
        (x, y, z)
    shape
        (n_y, n_x, n_z) without the border
    image
        flat, with its border
    out
        (n_views, n_columns, n_rows)
    """
    n_columns, n_rows = out.shape[1], out.shape[2]
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        for row in range(n_rows):
            ray = _ray_at(rays[view], column, row, voxel_mm, shape)
            # float64, because it sums hundreds of samples.
            total = 0.0
            for layer in range(ray.first, ray.stop):
                at, u, v = _taps(layer, ray)
                above = at + ray.stride_v
                near = (1.0 - u) * image[at] + u * image[at + ray.stride_u]
                far = (1.0 - u) * image[above] + u * image[above + ray.stride_u]
                total += (1.0 - v) * near + v * far
            out[view, column, row] = total * ray.mm


@_KERNEL
def back(
    start: int, stop: int, rays: Array, voxel_mm: Array, shape: Shape, values: Array, sums: Array
) -> None:
    """Add the adjoint of `forward` for columns start ... stop - 1.

    Parameters
    ----------
    start, stop
        range of columns
    rays
        (n_views, 6, 3), see the module docstring
    voxel_mm
        (x, y, z)
    shape
        (n_y, n_x, n_z) without the border
    values
        (n_views, n_columns, n_rows)
    sums
        flat, with its border; one for each thread
    """
    n_columns, n_rows = values.shape[1], values.shape[2]
    real = sums.dtype.type
    for index in range(start, stop):
        view, column = index // n_columns, index % n_columns
        for row in range(n_rows):
            ray = _ray_at(rays[view], column, row, voxel_mm, shape)
            value = values[view, column, row] * ray.mm
            for layer in range(ray.first, ray.stop):
                at, u, v = _taps(layer, ray)
                above, near, far = at + ray.stride_v, value * (1.0 - v), value * v
                sums[at] += real((1.0 - u) * near)
                sums[at + ray.stride_u] += real(u * near)
                sums[above] += real((1.0 - u) * far)
                sums[above + ray.stride_u] += real(u * far)

"""Joseph's line integrals for few slices, with one register of rays.

The formula is that of `joseph`. Rays of neighbouring detector columns cross a layer next to each
other, so a register of `LANES` rays reads the voxels of a slice from two registers. A run is a part
of a detector row with a common main axis k; a is the other transaxial axis. The ray of column c
crosses layer l at

    a_c = s_a + q_a (l + 1/2 - s_k) / q_k + 1/2

s(c), q(c) : start and direction of column c

Detector columns run along z, no ray is steep, and the source is in front of the whole volume.
Volumes are stored twice, as [x, z, y] and [y, z, x], each with a border of one zero voxel in z and
along the fastest axis.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.blocks import aligned_zeros
from engine.kernels.compile_cache import cached_njit
from engine.kernels.cone.joseph import EVEN, MATH
from engine.kernels.processor import LANES
from engine.kernels.vectors.registers import (
    MAX_DISTANCE,
    every,
    gathered,
    higher,
    lower,
    picked,
    ramp,
    real,
    root,
    short,
    size,
    tent,
    whole,
    write_some,
)

_KERNEL = cached_njit(**MATH)
_CALLED = njit(**MATH)

SAME_SLICE = 1e-9
"""Distance from a slice, in voxels, below which the next slice has no weight."""


def column_runs(rays: Array, n_columns: int) -> Array:
    """Return the runs of neighbouring columns with a common main axis, (n, 4) int64.

    Each run is (axis, view, first column, end), sorted in this order. Axis 0 is x, 1 is y.

    Parameters
    ----------
    rays
        (n_views, 6, 3), see `engine.kernels.cone.joseph`
    n_columns
        columns of the detector
    """
    columns = np.arange(n_columns)
    x, y = (rays[:, 3, axis, None] + rays[:, 4, axis, None] * columns for axis in (0, 1))
    along_x = EVEN * np.abs(x) >= np.abs(y)
    # The sign of the direction along the main axis must not change within a run.
    kind = np.where(along_x, x > 0, 2 + (y > 0)).astype(np.int64)
    is_first = np.ones(kind.shape, bool)
    is_first[:, 1:] = kind[:, 1:] != kind[:, :-1]
    view, first = np.nonzero(is_first)
    end = np.append(first[1:], n_columns)
    end[np.append(np.diff(view) > 0, True)] = n_columns
    runs = np.stack([kind[view, first] // 2, view, first, end], axis=1)
    return np.ascontiguousarray(runs[np.lexsort(runs.T[::-1])])


def layered(volume: Array) -> tuple[Array, Array]:
    """Return a volume (n_z, n_y, n_x) as [x, z, y] and [y, z, x], with a border in each layer.

    Parameters
    ----------
    volume
        (n_z, n_y, n_x)
    """
    return _bordered(volume.transpose(2, 0, 1)), _bordered(volume.transpose(1, 0, 2))


def _bordered(layers: Array) -> Array:
    n, n_z, n_a = layers.shape
    image = aligned_zeros((n, n_z + 2, n_a + 2))
    image[:, 1:-1, 1:-1] = layers
    return image


@_CALLED
def cross(ray: Array, axis: int, column: float, row: float) -> tuple[float, float, float, float]:
    """Return a and z of a ray in layer 0 [padded], and their change from layer to layer.

    Parameters
    ----------
    ray
        (6, 3) one view of the rays
    axis
        main axis, 0 for x and 1 for y
    column, row
        position on the detector [pixels]

    Returns
    -------
    a, its change, z, its change [voxels]
    """
    k, a = (0, 1) if axis == 0 else (1, 0)
    per = 1.0 / (ray[3, k] + column * ray[4, k])
    slope = (ray[3, a] + column * ray[4, a]) * per
    to = 0.5 - (ray[0, k] + column * ray[1, k])
    slope_z = (ray[3, 2] + column * ray[4, 2] + row * ray[5, 2]) * per
    z = ray[0, 2] + column * ray[1, 2] + row * ray[2, 2]
    return (
        ray[0, a] + column * ray[1, a] + to * slope + 0.5, slope, z + to * slope_z + 0.5, slope_z,
    )  # fmt: skip


@_CALLED
def _not_negative(first: float, step: float, n: int) -> tuple[int, int]:
    """Return a range that contains all layers l of 0 ... n - 1 with first + l step >= 0."""
    if step == 0.0:
        return (0, n) if first >= 0.0 else (n, 0)
    end = min(max(-first / step, -1.0), n * 1.0)
    return (math.floor(end), n) if step > 0.0 else (0, math.ceil(end) + 1)


@_CALLED
def _layers(
    one: tuple[float, float], other: tuple[float, float], last: float, n: int
) -> tuple[int, int]:
    """Return a range with all layers in which rays between two given rays are within 0 ... last.

    The range can contain more layers. one, other : position in layer 0, and change per layer
    """
    low, high = _not_negative(one[0], one[1], n), _not_negative(other[0], other[1], n)
    start, stop = min(low[0], high[0]), max(low[1], high[1])
    low = _not_negative(last - one[0], -one[1], n)
    high = _not_negative(last - other[0], -other[1], n)
    return max(start, min(low[0], high[0]), 0), min(stop, max(low[1], high[1]), n)


@_CALLED
def _pair(image: Array, at: int, places, is_wide: bool):  # type: ignore[no-untyped-def]
    """Return the voxels at offsets from `at`, and the next voxels."""
    if is_wide:
        return gathered(image, at, places), gathered(image, at + 1, places)
    return picked(image, at, places)


@_KERNEL
def forward(
    start: int, stop: int, runs: Array, rays: Array, voxel_mm: Array, images: tuple[Array, Array],
    out: Array,
) -> None:  # fmt: skip
    """Compute line integrals [image times mm] of some runs.

    Parameters
    ----------
    start, stop
        range of runs
    runs
        from `column_runs`
    rays
        (n_views, 6, 3), see `engine.kernels.cone.joseph`
    voxel_mm
        (x, y, z)
    images
        from `layered`
    out
        (n_views, n_rows, n_columns)
    """
    n_rows, n_columns = out.shape[1], out.shape[2]
    for number in range(start, stop):
        axis, view, c_0, c_end = runs[number, 0], runs[number, 1], runs[number, 2], runs[number, 3]
        image = images[0] if axis == 0 else images[1]
        for c in range(c_0, c_end, LANES):
            last = min(c + LANES, c_end) - 1
            for r in range(n_rows):
                values = _integrals(rays[view], axis, (c, last), r, image)
                values = values * lengths(rays[view], axis, (c, last), r, voxel_mm)
                at = (view * n_rows + r) * n_columns + c
                write_some(values, out, at, 0, last + 1 - c)


@_CALLED
def lengths(ray: Array, axis: int, columns: tuple[int, int], r: int, voxel_mm: Array):  # type: ignore[no-untyped-def]
    """Return the lengths of rays between two layers [mm], a float32 register.

    Parameters
    ----------
    ray
        (6, 3) one view of the rays
    axis
        main axis, 0 for x and 1 for y
    columns
        first and last column
    r
        row of the detector
    voxel_mm
        (x, y, z)
    """
    c = lower(ramp(columns[0] * 1.0, 1.0), every(columns[1] * 1.0))
    k = 0 if axis == 0 else 1
    x = (every(ray[3, 0]) + c * every(ray[4, 0])) * every(voxel_mm[0])
    y = (every(ray[3, 1]) + c * every(ray[4, 1])) * every(voxel_mm[1])
    z = (every(ray[3, 2] + r * ray[5, 2]) + c * every(ray[4, 2])) * every(voxel_mm[2])
    return short(root(x * x + y * y + z * z) / size(every(ray[3, k]) + c * every(ray[4, k])))


@_CALLED
def _integrals(ray: Array, axis: int, columns: tuple[int, int], r: int, image: Array):  # type: ignore[no-untyped-def]
    """Return the sums of samples of neighbouring rays in a detector row, a float32 register."""
    n_layers, n_z, n_a = image.shape
    one, other = cross(ray, axis, columns[0], r), cross(ray, axis, columns[1], r)
    in_a = _layers((one[0], one[1]), (other[0], other[1]), n_a - 1.0, n_layers)
    in_z = _layers((one[2], one[3]), (other[2], other[3]), n_z - 1.0, n_layers)
    start, stop = max(in_a[0], in_z[0]), min(in_a[1], in_z[1])
    distance = abs(other[0] - one[0] + start * (other[1] - one[1]))
    is_wide = max(distance, abs(other[0] - one[0] + stop * (other[1] - one[1]))) > MAX_DISTANCE - 1
    # Relative to the first ray, so that float32 needs few digits.
    c = lower(ramp(columns[0] * 1.0, 1.0), every(columns[1] * 1.0))
    k, a = (0, 1) if axis == 0 else (1, 0)
    per = every(1.0) / (every(ray[3, k]) + c * every(ray[4, k]))
    slope = (every(ray[3, a]) + c * every(ray[4, a])) * per
    to = every(0.5 - ray[0, k]) - c * every(ray[1, k])
    slope_z = (every(ray[3, 2] + r * ray[5, 2]) + c * every(ray[4, 2])) * per
    a_0 = every(ray[0, a] + 0.5) + c * every(ray[1, a]) + to * slope
    z_0 = every(ray[0, 2] + r * ray[2, 2] + 0.5) + c * every(ray[1, 2]) + to * slope_z
    off_a, step_a = short(a_0 - every(one[0])), short(slope - every(one[1]))
    off_z, step_z = short(z_0 - every(one[2])), short(slope_z - every(one[3]))
    zero, first = every(np.float32(0.0)), every(np.float32(1.0))
    total = zero
    for layer in range(start, stop):
        a_one, a_other = one[0] + layer * one[1], other[0] + layer * other[1]
        z_one, z_other = one[2] + layer * one[3], other[2] + layer * other[3]
        i = max(math.floor(min(a_one, a_other)), 0)
        low = max(math.floor(min(z_one, z_other) + SAME_SLICE), 0)
        high = min(math.ceil(max(z_one, z_other) - SAME_SLICE), n_z - 1)
        if low > high or i >= n_a:
            continue
        layers = every(np.float32(layer))
        place = off_a + layers * step_a + every(np.float32(a_one - i))
        # Limited to the border, which is zero.
        place = higher(lower(place, every(np.float32(n_a - 1 - i))), zero)
        whole_place = whole(place)
        part = place - real(whole_place)
        at = (layer * n_z + low) * n_a + i
        near, far = _pair(image, at, whole_place, is_wide)
        value = near + part * (far - near)
        if high > low:
            z = off_z + layers * step_z + every(np.float32(z_one - low))
            near, far = _pair(image, at + n_a, whole_place, is_wide)
            value = tent(z) * value + tent(z - first) * (near + part * (far - near))
            for n in range(2, high - low + 1):
                near, far = _pair(image, at + n * n_a, whole_place, is_wide)
                weight = tent(z - every(np.float32(n)))
                value = value + weight * (near + part * (far - near))
        total = total + value
    return total

"""Exact adjoint of `joseph_few_slices.forward`, voxel by voxel.

Each voxel i of a layer sums over the columns c with rays within one voxel of it:

    sum_i += Σ_c max(0, 1 - |a_c - i|) w_c,   a_c - i = (ν_i - c δ_i) / q_k(c)

a_c : position of ray c in the layer
w_c : part of the value of ray c that belongs to the slice
ν, δ : linear functions of i
q_k(c) : component of the ray's direction along the main axis

Threads share layers, so the bits do not depend on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.blocks import aligned_zeros
from engine.kernels.compile_cache import cached_njit
from engine.kernels.cone.joseph import MATH, Shape
from engine.kernels.cone.joseph_few_slices import SAME_SLICE, cross, lengths
from engine.kernels.processor import LANES
from engine.kernels.vectors.registers import (
    MAX_DISTANCE,
    every,
    gathered,
    higher,
    lower,
    picked,
    ramp,
    read,
    read_some,
    real,
    short,
    tent,
    whole,
    write,
    write_some,
)

_KERNEL = cached_njit(**MATH)
_CALLED = njit(**MATH)

LAYERS = 8
"""Layers that are processed together, which share the set-up of the rays."""


class AdjointBuffers(NamedTuple):
    """Working memory of a thread.

    Attributes
    ----------
    shares : (LAYERS, n_z, width) values that each ray of a run adds to each slice of some layers.
        The run starts at column `pad`; columns before and after it are zero
    per_direction : (width,) 1 / q_k of these rays
    pad : number of columns before and after the run that its first and last voxels read
    """

    shares: Array
    per_direction: Array
    pad: int


def adjoint_buffers(n_z: int, n_columns: int) -> AdjointBuffers:
    """Return the working memory of a thread.

    Parameters
    ----------
    n_z
        slices of the volume
    n_columns
        columns of the detector
    """
    # Rays within `reach` columns are read, at most half of all.
    whole_columns = -(-n_columns // LANES) * LANES
    pad = whole_columns + 4 * LANES
    width = 2 * pad + 2 * whole_columns
    return AdjointBuffers(aligned_zeros((LAYERS, n_z, width)), aligned_zeros((width,)), pad)


def layered_sums(shape: Shape) -> tuple[Array, Array]:
    """Return zeros for `back`: [x, z, y] and [y, z, x], lines padded to whole registers.

    Parameters
    ----------
    shape
        (n_z, n_y, n_x) of the volume
    """
    n_z, n_y, n_x = shape
    widths = (-(-n // LANES) * LANES for n in (n_y, n_x))
    sizes = zip((n_x, n_y), widths, strict=True)
    one, other = (aligned_zeros((n, n_z, width)) for n, width in sizes)
    return one, other


def volume_of(sums: tuple[Array, Array], shape: Shape) -> Array:
    """Return the volume (n_z, n_y, n_x) of sums.

    Parameters
    ----------
    sums
        from `layered_sums`
    shape
        (n_z, n_y, n_x)
    """
    _, n_y, n_x = shape
    by_x, by_y = sums[0][:, :, :n_y], sums[1][:, :, :n_x]
    return np.ascontiguousarray(by_x.transpose(1, 2, 0) + by_y.transpose(1, 0, 2))


@_KERNEL
def times_length(
    start: int, stop: int, runs: Array, rays: Array, voxel_mm: Array, values: Array
) -> None:
    """Multiply the values of some runs by the lengths of rays between two layers [mm].

    Parameters
    ----------
    start, stop
        range of runs
    runs
        from `column_runs`
    rays
        (n_views, 6, 3)
    voxel_mm
        (x, y, z)
    values
        (n_views, n_rows, n_columns)
    """
    n_rows, n_columns = values.shape[1], values.shape[2]
    for number in range(start, stop):
        axis, view, c_0, c_end = runs[number, 0], runs[number, 1], runs[number, 2], runs[number, 3]
        for c in range(c_0, c_end, LANES):
            last = min(c + LANES, c_end) - 1
            for r in range(n_rows):
                at = (view * n_rows + r) * n_columns + c
                length = lengths(rays[view], axis, (c, last), r, voxel_mm)
                value = read_some(values, at, 0, last + 1 - c)
                write_some(value * length, values, at, 0, last + 1 - c)


@_KERNEL
def back(
    start: int, stop: int, runs: Array, firsts: Array, rays: Array, values: Array,
    buffers: AdjointBuffers, sums: tuple[Array, Array], shape: Shape,
) -> None:  # fmt: skip
    """Add the adjoint of `forward` to some blocks of `LAYERS` layers.

    Parameters
    ----------
    start, stop
        range of blocks: those along x, then those along y; see `n_blocks`
    runs
        from `column_runs`
    firsts
        (3,) first runs of both axes, and their number
    rays
        (n_views, 6, 3)
    values
        (n_views, n_rows, n_columns), multiplied by `times_length`
    buffers
        working memory of this thread
    sums
        from `layered_sums`
    shape
        (n_z, n_y, n_x) of the volume
    """
    _n_z, n_y, n_x = shape
    blocks_x = -(-n_x // LAYERS)
    for block in range(start, stop):
        axis = 0 if block < blocks_x else 1
        n_a, n_layers = (n_y, n_x) if axis == 0 else (n_x, n_y)
        layer = LAYERS * (block if axis == 0 else block - blocks_x)
        layers = layer, min(layer + LAYERS, n_layers)
        all_sums = sums[0] if axis == 0 else sums[1]
        for each in range(firsts[axis], firsts[axis + 1]):
            view, columns = runs[each, 1], (runs[each, 2], runs[each, 3])
            slices = _share(rays[view], axis, layers, columns, values[view], buffers)
            if slices[0] > slices[1]:
                continue
            for n in range(layers[1] - layers[0]):
                place, layer_sums = (layer, n), all_sums[layer + n]
                _collect(rays[view], axis, place, columns, slices, n_a, buffers, layer_sums)
            end = buffers.pad + columns[1] - columns[0]
            buffers.shares[:, slices[0] - 1 : slices[1], buffers.pad : end] = 0.0


def n_blocks(shape: Shape) -> int:
    """Return the number of blocks of `LAYERS` layers, along x and along y.

    Parameters
    ----------
    shape
        (n_z, n_y, n_x) of the volume
    """
    return sum(-(-n // LAYERS) for n in shape[1:])


@_CALLED
def _share(
    ray: Array, axis: int, layers: tuple[int, int], columns: tuple[int, int], values: Array,
    buffers: AdjointBuffers,
) -> tuple[int, int]:  # fmt: skip
    """Distribute the values of a run over the slices of some layers; return the range of slices."""
    n_z, width = buffers.shares.shape[1], buffers.shares.shape[2]
    k, n_columns, n_layers = (0 if axis == 0 else 1), values.shape[1], layers[1] - layers[0]
    first, last = n_z + 1, 0
    for c in range(columns[0], columns[1], LANES):
        end = min(c + LANES, columns[1]) - 1
        cs = lower(ramp(c * 1.0, 1.0), every(end * 1.0))
        per = every(1.0) / (every(ray[3, k]) + cs * every(ray[4, k]))
        column = buffers.pad + c - columns[0]
        write(short(per), buffers.per_direction, column)
        to = every(layers[0] + 0.5 - ray[0, k]) - cs * every(ray[1, k])
        for r in range(values.shape[0]):
            low, high = _slices(cross(ray, axis, c, r), cross(ray, axis, end, r), layers, n_z)
            if low > high:
                continue
            first, last = min(first, low), max(last, high)
            slope = (every(ray[3, 2] + r * ray[5, 2]) + cs * every(ray[4, 2])) * per
            z = every(ray[0, 2] + r * ray[2, 2] + 0.5) + cs * every(ray[1, 2]) + to * slope
            # Relative to a slice and a layer, so that float32 needs few digits.
            height, step = short(z - every(low * 1.0)), short(slope)
            value = read_some(values, r * n_columns + c, 0, end + 1 - c)
            for z_off in range(high - low + 1):
                slice_height = height - every(np.float32(z_off))
                for n in range(n_layers):
                    at = (n * n_z + low - 1 + z_off) * width + column
                    weight = tent(slice_height + every(np.float32(n)) * step)
                    write(read(buffers.shares, at) + weight * value, buffers.shares, at)
    return first, last


@_CALLED
def _slices(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float],
    layers: tuple[int, int], n_z: int,
) -> tuple[int, int]:  # fmt: skip
    """Return the first and last slice that rays between two cross in some layers."""
    start, stop = layers[0], layers[1] - 1
    z_one, z_other = one[2] + start * one[3], other[2] + start * other[3]
    end_one, end_other = one[2] + stop * one[3], other[2] + stop * other[3]
    low = min(min(z_one, z_other), min(end_one, end_other))
    high = max(max(z_one, z_other), max(end_one, end_other))
    low, high = max(low, -1.0), min(high, n_z + 2.0)
    return max(math.floor(low + SAME_SLICE), 1), min(math.ceil(high - SAME_SLICE), n_z)


def _collector(pair: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that collects shares with `picked`, or with `_pair_anywhere`."""

    @_CALLED
    def collect(  # type: ignore[no-untyped-def]
        line, voxels: tuple[int, int], slices: tuple[int, int], reach: float, n: int,
        n_columns: int, buffers: AdjointBuffers, sums: Array,
    ) -> None:  # fmt: skip
        """Add to the voxels of line n the shares of the rays within `reach` columns of each."""
        num_0, den_0, step_num, step_den = line
        n_z, width, n_a = buffers.shares.shape[1], buffers.shares.shape[2], sums.shape[1]
        lowest, highest = -LANES - reach, n_columns - 1.0 + LANES + reach
        n_near = math.floor(2.0 * reach) + 1
        zero, next_column = every(np.float32(0.0)), every(np.float32(1.0))
        begin = (voxels[0] - 1) // LANES * LANES + 1
        num, den = num_0 + begin * step_num, den_0 + begin * step_den
        c = num / den
        for i in range(begin, voxels[1] + 1, LANES):
            num_end, den_end = num + LANES * step_num, den + LANES * step_den
            c_end = num_end / den_end
            base = math.floor(min(max(min(c, c_end) - reach, lowest), highest))
            if n_near >= n_columns:  # all columns
                base = -1
            nus = ramp(np.float32(num - base * den), np.float32(step_num - base * step_den))
            deltas = ramp(np.float32(den), np.float32(step_den))
            # `reach` includes the deviation of columns from a straight line.
            first = ramp(np.float32(c - reach - base), np.float32((c_end - c) * (1.0 / LANES)))
            limit = every(np.float32(n_columns + LANES - base if n_near < n_columns else 0))
            place = whole(higher(lower(first, limit), zero))
            num, den, c = num_end, den_end, c_end
            at = buffers.pad + base + 1
            for m in range(0, min(n_near, n_columns), 4):
                column = real(place) + every(np.float32(m + 1))
                per_0, per_1 = pair(buffers.per_direction, at + m, place)
                per_2, per_3 = pair(buffers.per_direction, at + m + 2, place)
                weight_0 = tent((nus - column * deltas) * per_0)
                column = column + next_column
                weight_1 = tent((nus - column * deltas) * per_1)
                column = column + next_column
                weight_2 = tent((nus - column * deltas) * per_2)
                column = column + next_column
                weight_3 = tent((nus - column * deltas) * per_3)
                for z in range(slices[0] - 1, slices[1]):
                    row = (n * n_z + z) * width + at + m
                    share_0, share_1 = pair(buffers.shares, row, place)
                    share_2, share_3 = pair(buffers.shares, row + 2, place)
                    total = weight_0 * share_0 + weight_1 * share_1
                    total = total + weight_2 * share_2 + weight_3 * share_3
                    write(read(sums, z * n_a + i - 1) + total, sums, z * n_a + i - 1)

    return collect


@_CALLED
def _pair_anywhere(values: Array, first: int, places):  # type: ignore[no-untyped-def]
    """Return the same as `picked`, for any offsets."""
    return gathered(values, first, places), gathered(values, first + 1, places)


_collect_near, _collect_anywhere = _collector(picked), _collector(_pair_anywhere)


@_CALLED
def _collect(
    ray: Array, axis: int, place: tuple[int, int], columns: tuple[int, int],
    slices: tuple[int, int], n_a: int, buffers: AdjointBuffers, sums: Array,
) -> None:  # fmt: skip
    """Add to each voxel the shares of the rays within one voxel of it.

    place : first layer of the block, and the number of this layer in it
    """
    k, a = (0, 1) if axis == 0 else (1, 0)
    layer, n = place[0] + place[1], place[1]
    one, other = cross(ray, axis, columns[0], 0.0), cross(ray, axis, columns[1] - 1.0, 0.0)
    a_one, a_other = one[0] + layer * one[1], other[0] + layer * other[1]
    # Voxels 1 ... n_a, without the border.
    start = max(math.floor(min(a_one, a_other)), 1)
    stop = min(math.ceil(max(a_one, a_other)), n_a)
    if start > stop:
        return
    # ν and δ at a = 0 and their steps, for columns that count from the first of the run.
    to, out = layer + 0.5 - ray[0, k] - columns[0] * ray[1, k], ray[0, a] + columns[0] * ray[1, a]
    q_k, by_c = ray[3, k] + columns[0] * ray[4, k], ray[4, k]
    q_a = ray[3, a] + columns[0] * ray[4, a]
    num = to * q_a + (out + 0.5) * q_k
    den = ray[1, k] * q_a - ray[1, a] * q_k - to * ray[4, a] - (out + 0.5) * by_c
    line = num, den, -q_k, by_c
    # Number of columns with rays within one voxel: |ν - c δ| < |q_k(c)|.
    reach = max(_reach(line, start - LANES), _reach(line, stop + LANES))
    n_columns = columns[1] - columns[0]
    if (LANES + 1) * reach + 2.0 <= MAX_DISTANCE:
        _collect_near(line, (start, stop), slices, reach, n, n_columns, buffers, sums)
    else:
        _collect_anywhere(line, (start, stop), slices, reach, n, n_columns, buffers, sums)


@_CALLED
def _reach(line: tuple[float, float, float, float], i: float) -> float:
    """Return the number of columns from voxel i to the last ray within one voxel of it."""
    num_0, den_0, step_num, step_den = line
    den = den_0 + i * step_den
    c, bend = (num_0 + i * step_num) / den, abs(step_den / den)
    columns = abs((step_den * c - step_num) / den)
    # q_k of that ray differs a little from q_k at the voxel. Columns are interpolated between the
    # ends of a strip: a parabola deviates by at most LANES² / 8 · |c''|.
    return columns * (1.0 + 2.0 * bend) + LANES * LANES / 4.0 * columns * bend

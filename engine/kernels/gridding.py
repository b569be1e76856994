"""Gridding of waves in frequency space: the first step of Fourier back projection.

    F(k) += Q(l) w(k_x − l d_x) w(k_y − l d_y),   l = 0 ... n_f − 1 along each view

F : grid of frequencies k
Q : spectrum of a filtered detector row, with n_f frequencies
d : step between frequencies of a view [cells]
w : Kaiser-Bessel function over `TAPS` cells

Images are real, so F is stored for k_x ≥ 0 only. A wave with k_x < 0 is added as the conjugate at
−k. Slices of a grid share the positions and weights of their waves and are adjacent in memory:
`LANES` slices, or one. No operations are fused, so a slice has the same bits in both cases. Fessler
& Sutton, IEEE T Signal Process 51 (2003) 560.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.base import BaseContext
from numba.core.types import Type
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from engine.core.arrays import Array
from engine.kernels import lanes
from engine.kernels.compile_cache import cached_njit
from engine.kernels.fetch import fetch
from engine.kernels.grid_layout import LANES, MARGIN, TAPS

STEPS = 256
"""Positions within a cell with tabulated weights; weights are linear in between."""

AHEAD = 12
"""Number of waves by which cells are prefetched."""
_LINE = 16
"""float32 values in a cache line."""

_KERNEL = cached_njit(error_model="numpy")
_REALS = 2 * LANES


def _add_type(typing: Context, grid: Type, at: Type, values: Type, weight: Type) -> lanes.Declared:
    """Add weight · values[:16] to grid[at : at + 16]."""
    del typing, at, weight
    return types.void(grid, types.int64, values, types.float32), _emit_add


def _emit_add(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    grid, at, values, weight = args
    zero = ir.Constant(ir.IntType(64), 0)
    target = lanes.vector_at(context, builder, grid, signature.args[0], at, _REALS)
    source = lanes.vector_at(context, builder, values, signature.args[2], zero, _REALS)
    product = builder.fmul(lanes.spread(builder, weight, _REALS), builder.load(source, align=4))
    builder.store(builder.fadd(builder.load(target, align=4), product), target, align=4)
    return context.get_dummy_value()


_add: Callable[..., None] = intrinsic(_add_type)


def _add_taps_type(
    typing: Context, grid: Type, at: Type, wave: Type, along: Type, weight: Type
) -> lanes.Declared:
    """Add weight · along[s] · wave to the cells s of a row that begins at grid[at].

    wave : real and imaginary part. They are not an array: the processor would wait until both
        stores have reached the cache before it could load them together.
    """
    del typing, at, wave, weight
    pair = types.UniTuple(types.float32, 2)
    return types.void(grid, types.int64, pair, along, types.float32), _emit_add_taps


def _emit_add_taps(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    grid, at, wave, along, weight = args
    zero = ir.Constant(ir.IntType(64), 0)
    target = lanes.vector_at(context, builder, grid, signature.args[0], at, 2 * TAPS)
    taps = lanes.vector_at(context, builder, along, signature.args[3], zero, TAPS)
    pair = ir.Constant(ir.VectorType(ir.FloatType(), 2), ir.Undefined)
    for part in range(2):
        number = builder.extract_value(wave, part)
        pair = builder.insert_element(pair, number, ir.Constant(ir.IntType(32), part))
    # Both numbers of a cell have the weight of its tap.
    by_cell = _chosen(builder, builder.load(taps, align=4), [k // 2 for k in range(2 * TAPS)])
    by_part = _chosen(builder, pair, [k % 2 for k in range(2 * TAPS)])
    weights = builder.fmul(lanes.spread(builder, weight, 2 * TAPS), by_cell)
    product = builder.fmul(weights, by_part)
    builder.store(builder.fadd(builder.load(target, align=4), product), target, align=4)
    return context.get_dummy_value()


def _chosen(builder: ir.IRBuilder, vector: ir.Value, places: list[int]) -> ir.Value:
    """Return the lanes of a vector at some indices."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


_add_taps: Callable[..., None] = intrinsic(_add_taps_type)


@njit(inline="always", error_model="numpy")
def _find_places(by_x: float, by_y: float, n_x: float, n_y: float, places: Array) -> None:
    """Compute the cells x and y of each wave, and −1 for its conjugate, without branches."""
    xs, ys, signs = places[0], places[1], places[2]
    for k in range(xs.size):
        x, y = k * by_x, k * by_y
        x -= n_x * math.floor(x / n_x + 0.5)
        sign = -1.0 if x < 0.0 else 1.0
        x, y = x * sign, y * sign
        y -= n_y * math.floor(y / n_y)
        # A negative number near zero is rounded to the whole period.
        xs[k], ys[k], signs[k] = x, y if y < n_y else 0.0, sign


@_KERNEL
def add_waves(
    spectra: Array, rows: Array, shares: Array, steps: Array, shape: tuple[int, int],
    table: Array, grid: Array,
) -> None:  # fmt: skip
    """Add the waves of some views to the grid.

    Parameters
    ----------
    spectra
        (n_views, n_rows, n_f, 2) float32, spectra of filtered rows
    rows
        (n_views, n_lanes) int32, first of the two rows that a slice interpolates; `LANES` or 1
    shares
        (n_views, n_lanes, 2) float32, weights of these two rows
    steps
        (n_views, 3) cells from wave to wave along x and y, and phase [rad]
    shape
        (n_y, n_x) period of the grid
    table
        from `weights`
    grid
        (n_y + 2 MARGIN, n_x / 2 + 1 + 2 MARGIN, n_lanes, 2) float32
    """
    n_y, n_x = float(shape[0]), float(shape[1])
    n_lanes = grid.shape[2]
    cell, line = 2 * n_lanes, grid.shape[1] * 2 * n_lanes
    cells = grid.ravel()
    values = np.zeros(_REALS, np.float32)
    along, across = np.zeros(TAPS, np.float32), np.zeros(TAPS, np.float32)
    places = np.zeros((3, spectra.shape[2]))
    for v in range(len(spectra)):
        turn_re, turn_im = math.cos(steps[v, 2]), math.sin(steps[v, 2])
        re, im = 1.0, 0.0
        _find_places(steps[v, 0], steps[v, 1], n_x, n_y, places)
        x_ahead, y_ahead = round(AHEAD * steps[v, 0]) * cell, round(AHEAD * steps[v, 1]) * line
        for k in range(spectra.shape[2]):
            x, y, sign = places[0, k], places[1, k], np.float32(places[2, k])
            a, b = np.float32(re), np.float32(im)
            part_re, part_im = np.float32(0.0), np.float32(0.0)
            for n in range(n_lanes):
                row = rows[v, n]
                near, far = shares[v, n, 0], shares[v, n, 1]
                p = near * spectra[v, row, k, 0] + far * spectra[v, row + 1, k, 0]
                q = near * spectra[v, row, k, 1] + far * spectra[v, row + 1, k, 1]
                part_re, part_im = p * a - q * b, sign * (p * b + q * a)
                values[2 * n], values[2 * n + 1] = part_re, part_im
            re, im = re * turn_re - im * turn_im, re * turn_im + im * turn_re
            i, j = int(x), int(y)
            _weights(table, x - i, along)
            _weights(table, y - j, across)
            at = (j - 1 + MARGIN) * line + (i - 1 + MARGIN) * cell
            # Prefetch, because the grid does not fit into the faster caches.
            ahead = at + int(sign) * (x_ahead + y_ahead)
            if n_lanes == LANES:
                for t in range(TAPS):
                    for s in range(0, TAPS * cell, _LINE):
                        fetch(cells, np.uint32(max(ahead + t * line + s, 0)))
                for t in range(TAPS):
                    for s in range(TAPS):
                        _add(cells, at + t * line + s * cell, values, across[t] * along[s])
            else:
                for t in range(TAPS):
                    fetch(cells, np.uint32(max(ahead + t * line, 0)))
                for t in range(TAPS):
                    _add_taps(cells, at + t * line, (part_re, part_im), along, across[t])


@njit(inline="always", error_model="numpy")
def _weights(table: Array, fraction: float, out: Array) -> None:
    place = fraction * STEPS
    k = int(place)
    part = np.float32(place - k)
    for t in range(TAPS):
        out[t] = table[k, t] + part * (table[k + 1, t] - table[k, t])


@_KERNEL
def fold(grid: Array) -> None:
    """Add the margins of a grid to the cells that they represent.

    Parameters
    ----------
    grid
        as for `add_waves`
    """
    n_y, last = grid.shape[0] - 2 * MARGIN, grid.shape[1] - 1 - 2 * MARGIN
    for m in range(MARGIN):
        grid[n_y + m] += grid[m]
        grid[MARGIN + m] += grid[MARGIN + n_y + m]
    for y in range(n_y):
        opposite = MARGIN + (n_y - y) % n_y
        for m in range(1, MARGIN + 1):
            for n in range(grid.shape[2]):
                for low, high in ((MARGIN - m, MARGIN + m), (MARGIN + last + m, MARGIN + last - m)):
                    grid[opposite, high, n, 0] += grid[MARGIN + y, low, n, 0]
                    grid[opposite, high, n, 1] -= grid[MARGIN + y, low, n, 1]


@_KERNEL
def separated(grid: Array, out: Array) -> None:
    """Copy a folded grid slice by slice, ready for a real Fourier transform.

    Parameters
    ----------
    grid
        as for `add_waves`
    out
        (n_lanes, n_y, n_x / 2 + 1, 2) float32, which is written
    """
    last = out.shape[2] - 1
    for y in range(out.shape[1]):
        for x in range(last + 1):
            # Each wave represents itself and its conjugate; the transform counts these columns
            # once.
            times = np.float32(2.0 if x in (0, last) else 1.0)
            for n in range(len(out)):
                for part in range(2):
                    out[n, y, x, part] = times * grid[y + MARGIN, x + MARGIN, n, part]

"""Linear interpolation of a row at even steps, and its transpose, in vector registers.

    add_between    out_i += x(b + i s)
    collect        out_i += Σ_r x_r max(0, 1 − |b + r s − i|)

x(·) is linear between the values of a row x, b a position and s a step. Numba's loops load such
values one by one. For steps of at most `MAX_STEP` values, all lanes of a register are within two
registers of values. AVX-512 picks 16 of 32 values with one instruction (`vpermi2ps`). AVX2 picks 8
of 16 with three. Other processors, and longer steps, process value by value.
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
from engine.kernels.fetch import fetch
from engine.kernels.processor import HAS_AVX512, HAS_LANES, LANES

MAX_STEP = 1.9
"""Maximum step of vectors: 15 steps, a fraction and a neighbour are within 32 values.

The same holds for 7 steps and 16 values.
"""
MIN_STEP = 0.6
"""Minimum step of `collect`: at most 4 rows then contribute to an output value.

The rows of 16 output values are within 32, the rows of 8 within 16.
"""
MAX_ROWS = 4
"""Maximum number of rows that contribute to an output value of `collect`."""
MARGIN = 2 * LANES
"""Number of arbitrary values that must be readable before and after a row."""

FUSED = ("contract",)
"""A product and a following sum can be rounded once (fused multiply-add)."""

_REALS = ir.VectorType(ir.FloatType(), LANES)


def _add_lanes_type(
    typing: Context,
    target: Type,
    at: Type,
    active: Type,
    row: Type,
    window: Type,
    begin: Type,
    step: Type,
) -> lanes.Declared:
    """Add row(window + begin + j step) to target[at + j] for j = active[0] ... active[1] − 1.

    target, row : float32; begin, step : float32, positions from `window` within [0, 2 LANES − 1)
    """
    del typing, at, active, window, begin, step
    i64, f32 = types.int64, types.float32
    kinds = (target, i64, types.UniTuple(i64, 2), row, i64, f32, f32)
    return types.void(*kinds), _emit_add_lanes


_add_lanes: Callable[..., None] = intrinsic(_add_lanes_type)


@njit(inline="always")
def add_between(
    target: Array, corner: int, numbers: tuple[int, int], row: Array, low: int,
    begin: float, step: float,
) -> None:  # fmt: skip
    """Add row(begin + i step) to target[i − corner] for i = numbers[0] ... numbers[1] − 1.

    Lanes are counted from i = 0, so that the result does not depend on the requested part of a
    line.

    Parameters
    ----------
    target
        float32
    corner
        number i of target[0]
    numbers
        range of i
    row
        float32, values from number `low` on, after `MARGIN` values and before as many
    low
        number of the first value of `row`
    begin, step
        position of i = 0, and its change per i
    """
    add_and_fetch(target, corner, numbers, row, low, begin, step, (row, row), False)


@njit(inline="always")
def add_and_fetch(
    target: Array, corner: int, numbers: tuple[int, int], row: Array, low: int,
    begin: float, step: float, ahead: tuple[Array, Array], is_ahead: bool,
) -> None:  # fmt: skip
    """Do the same as `add_between`, and prefetch two rows for the next call at the same positions.

    Parameters
    ----------
    target, corner, numbers, row, low, begin, step
        as for `add_between`
    ahead
        two contiguous rows, from number 0 on
    is_ahead
        False if there are no rows to prefetch
    """
    first, stop = numbers
    if HAS_LANES and abs(step) <= MAX_STEP:
        for i in range(first // LANES * LANES, stop, LANES):
            place = begin + i * step
            window = math.floor(min(place, place + (LANES - 1) * step))
            if is_ahead:
                fetch(ahead[0], np.uint32(max(window, 0)))
                fetch(ahead[1], np.uint32(max(window, 0)))
            at, offset = window - low + MARGIN, np.float32(place - window)
            # Most registers are written as a whole, without a mask.
            if i >= first and i + LANES <= stop:
                _add_lanes(target, i - corner, (0, LANES), row, at, offset, np.float32(step))
            else:
                active = (max(first - i, 0), min(stop - i, LANES))
                _add_lanes(target, i - corner, active, row, at, offset, np.float32(step))
        return
    # Loops from zero over slices, so that Numba knows that no index is negative.
    values, out = row[MARGIN:], target[first - corner : stop - corner]
    # float64: in float32 a position of several hundred leaves few digits for its fraction.
    start = begin - low
    for n in range(out.size):
        b = start + float(np.int32(first + n)) * step
        k = np.int32(b)
        near, far = values[np.uint32(k)], values[np.uint32(k) + np.uint32(1)]
        out[n] += near + np.float32(b - float(k)) * (far - near)


def _collect_lanes_type(
    typing: Context,
    out: Type,
    at: Type,
    active: Type,
    shares: Type,
    row: Type,
    window: Type,
    begin: Type,
    steps: Type,
) -> lanes.Declared:
    """Add the contributions of a row to out[at[0] + j] and out[at[1] + j], each with its share.

    begin : position of lane 0 in the row, from `window`; steps : rows per lane, and lanes per row
    """
    del typing, at, active, shares, window, begin, steps
    i64, f32 = types.int64, types.float32
    ints, reals = types.UniTuple(i64, 2), types.UniTuple(f32, 2)
    kinds = (out, ints, ints, reals, row, i64, f32, reals)
    return types.void(*kinds), _emit_collect_lanes


_collect_lanes: Callable[..., None] = intrinsic(_collect_lanes_type)


@njit(inline="always")
def can_collect(step: float) -> bool:
    """Return True if `collect` supports a step, and is faster.

    Parameters
    ----------
    step
        output values per row
    """
    return bool(HAS_AVX512 and abs(step) >= MIN_STEP)


@njit(inline="always")
def collect(
    out: Array, columns: tuple[int, int], shares: tuple[float, float], numbers: tuple[int, int],
    row: Array, begin: float, step: float,
) -> None:  # fmt: skip
    """Add the transpose of `add_between` to two columns of voxels, each with its share.

        out[columns[0] + i] += shares[0] · c_i
        out[columns[0] + columns[1] + i] += shares[1] · c_i
        c_i = Σ_r row_r max(0, 1 − |begin + r step − i|)

    Parameters
    ----------
    out
        float32, flat
    columns
        start of the first column, and distance of the second
    shares
        factors of both columns
    numbers
        range of i; each i is at most 2 from a position of a row
    row
        float32, from number 0 on, with `MARGIN` zeros on each side
    begin, step
        position of row 0, and its change per row
    """
    by_i = 1.0 / step
    steps = np.float32(by_i), np.float32(step)
    for i in range(numbers[0] // LANES * LANES, numbers[1], LANES):
        place = (i - begin) * by_i
        # The first row that the lanes can need: one output value before the first or the last lane.
        window = math.floor(min(place, place + (LANES - 1) * by_i) - abs(by_i))
        active = (max(numbers[0] - i, 0), min(numbers[1] - i, LANES))
        at = columns[0] + i, columns[0] + columns[1] + i
        offset = np.float32(place - window)
        _collect_lanes(out, at, active, shares, row, window + MARGIN, offset, steps)


class _Emitter:
    """Instructions of one intrinsic, for vectors of `LANES` values."""

    def __init__(self, context: BaseContext, builder: ir.IRBuilder) -> None:
        self.context, self.builder = context, builder
        self.numbers = lanes.numbers(lanes.I32, LANES)

    def places(self, begin: ir.Value, step: ir.Value) -> ir.Value:
        """Return the positions begin + j step of the lanes j."""
        count = self.builder.sitofp(self.numbers, _REALS)
        steps = self.builder.fmul(count, lanes.spread(self.builder, step, LANES), FUSED)
        return self.builder.fadd(lanes.spread(self.builder, begin, LANES), steps, FUSED)

    def window(self, array: ir.Value, kind: ir.Value, first: ir.Value) -> list[ir.Value]:
        """Return two consecutive vectors of an array."""
        starts = [self.builder.add(first, first.type(n)) for n in (0, LANES)]
        return [self.builder.load(self.at(array, kind, start), align=4) for start in starts]

    def at(self, array: ir.Value, kind: ir.Value, index: ir.Value) -> ir.Value:
        """Return a pointer to the vector that begins at an index."""
        return lanes.vector_at(self.context, self.builder, array, kind, index, LANES)

    def plus(self, places: ir.Value, n: int) -> ir.Value:
        """Return integer positions, increased by n."""
        return self.builder.add(places, ir.Constant(self.numbers.type, [n] * LANES))

    def add_to(self, pointer: ir.Value, value: ir.Value, active: ir.Value) -> None:
        """Add a vector to memory in the lanes active[0] ... active[1] − 1."""
        ends = [self.builder.extract_value(active, n) for n in (0, 1)]
        first, stop = (self.builder.trunc(end, lanes.I32) for end in ends)
        if HAS_AVX512:
            self._add_to_some(pointer, value, first, stop)
            return
        # With AVX2, masked writes are slow, and few vectors need one.
        n_active = self.builder.sub(stop, first)
        is_whole = self.builder.icmp_signed("==", n_active, ir.Constant(lanes.I32, LANES))
        with self.builder.if_else(is_whole, likely=True) as (whole, some):
            with whole:
                old = self.builder.load(pointer, align=4)
                self.builder.store(self.builder.fadd(old, value, FUSED), pointer, align=4)
            with some:
                self._add_to_some(pointer, value, first, stop)

    def _add_to_some(
        self, pointer: ir.Value, value: ir.Value, first: ir.Value, stop: ir.Value
    ) -> None:
        mask = self.builder.and_(
            lanes.first_lanes(self.builder, stop, LANES),
            self.builder.not_(lanes.first_lanes(self.builder, first, LANES)),
        )
        old = lanes.loaded(self.builder, pointer, mask, _REALS)
        lanes.store(self.builder, self.builder.fadd(old, value, FUSED), pointer, mask)


def _emit_add_lanes(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    target, at, active, row, window, begin, step = args
    emit = _Emitter(context, builder)
    place = emit.places(begin, step)
    near = builder.fptosi(place, emit.numbers.type)
    part = builder.fsub(place, builder.sitofp(near, _REALS), FUSED)
    values = emit.window(row, signature.args[3], window)
    below = lanes.picked(builder, near, values)
    above = lanes.picked(builder, emit.plus(near, 1), values)
    value = builder.fadd(below, builder.fmul(part, builder.fsub(above, below, FUSED), FUSED), FUSED)
    emit.add_to(emit.at(target, signature.args[0], at), value, active)
    return context.get_dummy_value()


def _emit_collect_lanes(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    out, at, active, shares, row, window, begin, steps = args
    emit = _Emitter(context, builder)
    by_lane, by_row = (builder.extract_value(steps, n) for n in (0, 1))
    place = emit.places(begin, by_lane)
    reach = lanes.spread(builder, lanes.absolute(builder, by_lane), LANES)
    first = emit.plus(builder.fptosi(builder.fsub(place, reach, FUSED), emit.numbers.type), 1)
    values = emit.window(row, signature.args[4], window)
    lanes_by_row, one = lanes.spread(builder, by_row, LANES), ir.Constant(_REALS, [1.0] * LANES)
    total = ir.Constant(_REALS, [0.0] * LANES)
    for n in range(MAX_ROWS):
        number = emit.plus(first, n)
        rows_off = builder.fsub(builder.sitofp(number, _REALS), place, FUSED)
        off = lanes.absolute(builder, builder.fmul(rows_off, lanes_by_row, FUSED))
        weight = lanes.at_least_0(builder, builder.fsub(one, off, FUSED))
        value = lanes.picked(builder, number, values)
        total = builder.fadd(total, builder.fmul(weight, value, FUSED), FUSED)
    for n in (0, 1):
        share = lanes.spread(builder, builder.extract_value(shares, n), LANES)
        pointer = emit.at(out, signature.args[0], builder.extract_value(at, n))
        emit.add_to(pointer, builder.fmul(share, total, FUSED), active)
    return context.get_dummy_value()

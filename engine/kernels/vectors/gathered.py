"""Neighbouring numbers, read at a place of its own for each lane of a register.

Places come from memory, where the loads take them one by one: moving each lane of a register of
places to the address of a load takes longer than the load. All neighbours of a lane are read at
once, and then transposed in registers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from engine.kernels import lanes
from engine.kernels.processor import LANES
from engine.kernels.vectors.registers import REALS

ROW = 4
"""Numbers that `gathered_rows` reads for each lane."""
_PART = 4
"""Numbers that are transposed together: those of 128 bits, which no instruction needs to cross."""
_I64 = ir.IntType(64)

_intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic
"""Numba's decorator; kernels call the result without its first argument."""


@_intrinsic
def gathered_rows(typing: Any, rows: Any, places: Any, first: Any, offset: Any) -> lanes.Declared:
    """Return rows[place, 0], ..., rows[place, 3] in each lane, one register after the other.

    rows : (n, ROW) float32; places : (m,) int32, lane j reads places[first + j] + offset
    """
    del typing, first, offset
    i64 = types.int64
    return types.UniTuple(REALS, ROW)(rows, places, i64, i64), _emit_rows


@_intrinsic
def gathered_pairs(typing: Any, values: Any, places: Any, first: Any) -> lanes.Declared:
    """Return values[place] and values[place + 1] in each lane.

    values : (n,) float32; places : (m,) int32, lane j reads places[first + j]
    """
    del typing, first
    return types.UniTuple(REALS, 2)(values, places, types.int64), _emit_pairs


def _emit_rows(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    *own, offset = args
    start = builder.mul(offset, _I64(ROW))
    kind = ir.VectorType(ir.FloatType(), ROW)
    rows = _loaded(context, builder, signature, own, start, ROW, kind)
    # One register for every fourth row, as a square of them is transposed in a part of 128 bits.
    found = _transposed(builder, [_joined(builder, rows[n::ROW]) for n in range(ROW)])
    return context.make_tuple(builder, signature.return_type, found)


def _emit_pairs(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    pairs = ir.Constant(ir.VectorType(_I64, LANES), ir.Undefined)
    # Both values as one number of 64 bits: half as many loads.
    for n, pair in enumerate(_loaded(context, builder, signature, args, _I64(0), 1, _I64)):
        pairs = builder.insert_element(pairs, pair, lanes.I32(n))
    values = builder.bitcast(pairs, ir.VectorType(ir.FloatType(), 2 * LANES))
    sides = [list(range(side, 2 * LANES, 2)) for side in (0, 1)]
    found = [_shuffled(builder, values, values, side) for side in sides]
    return context.make_tuple(builder, signature.return_type, found)


def _loaded(
    context: BaseContext,
    builder: ir.IRBuilder,
    signature: Signature,
    args: list[ir.Value],
    start: ir.Value,
    step: int,
    kind: ir.Type,
) -> list[ir.Value]:
    """Return a value for each lane, read `step` float32 numbers times its place after a start."""
    array, places, first = args
    data = context.make_array(signature.args[0])(context, builder, array).data
    own = context.make_array(signature.args[1])(context, builder, places).data
    begin, read = builder.gep(data, [start]), []
    for n in range(LANES):
        place = builder.load(builder.gep(own, [builder.add(first, _I64(n))]))
        there = builder.gep(begin, [builder.mul(builder.zext(place, _I64), _I64(step))])
        read.append(builder.load(builder.bitcast(there, kind.as_pointer()), align=4))
    return read


def _joined(builder: ir.IRBuilder, rows: list[ir.Value]) -> ir.Value:
    """Return one row after the other in a register."""
    while len(rows) > 1:
        every = list(range(2 * rows[0].type.count))
        pairs = zip(rows[::2], rows[1::2], strict=True)
        rows = [_shuffled(builder, one, other, every) for one, other in pairs]
    return rows[0]


def _transposed(builder: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """Transpose each square of `ROW` numbers of as many registers."""
    squares = range(0, LANES, ROW)
    ones = [k for i in squares for k in (i, LANES + i, i + 1, LANES + i + 1)]
    pairs = [k for i in squares for k in (i, i + 1, LANES + i, LANES + i + 1)]
    found = []
    for more in (0, 2):
        order = [k + more for k in ones]
        low, high = (_shuffled(builder, rows[k], rows[k + 1], order) for k in (0, 2))
        found += [_shuffled(builder, low, high, [k + side for k in pairs]) for side in (0, 2)]
    return found


def _shuffled(builder: ir.IRBuilder, one: ir.Value, other: ir.Value, order: list[int]) -> ir.Value:
    kind = ir.VectorType(lanes.I32, len(order))
    return builder.shuffle_vector(one, other, ir.Constant(kind, order))

"""Pack nonzero values and their positions, in order, with vector instructions.

Numba vectorises loops with the same work in each iteration. It cannot express the selection of some
lanes, so this module emits LLVM IR. With AVX-512 one instruction packs a vector of 64 bytes. With
AVX2, 32-bit lanes are permuted by a lookup table. Other types and processors pack one value at a
time.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from numba import njit, types
from numba.core.base import BaseContext
from numba.core.types import Type
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from engine.core.arrays import Array
from engine.kernels import lanes
from engine.kernels.processor import HAS_AVX512, HAS_LANES, LANES

BYTES = 4 * LANES
"""Bytes of a vector of values."""
MAX_LANES = 16
"""Maximum number of values packed in one step; as many can be written after the last."""


def _pack_type(
    typing: Context,
    values: Type,
    places: Type,
    first: Type,
    stop: Type,
    values_out: Type,
    places_out: Type,
    end: Type,
) -> lanes.Declared:
    """Append the nonzero values of values[first : stop] within one vector."""
    del typing, first, stop, end
    i64 = types.int64
    return i64(values, places, i64, i64, values_out, places_out, i64), _emit_pack


_pack: Callable[..., int] = intrinsic(_pack_type)


@njit(inline="always")
def pack_row(
    values: Array, places: Array, n: int, values_out: Array, places_out: Array, end: int
) -> int:
    """Append the nonzero values of values[:n] to values_out[:end], in order; return the new end.

    Parameters
    ----------
    values
        (≥ n + MAX_LANES,) float32 or float64
    places
        (≥ n + MAX_LANES,) uint32, packed in the same way
    n
        number of values
    values_out, places_out
        output, with space for MAX_LANES more than the packed values
    end
        number of values that are already in the output
    """
    # Both are compile-time constants.
    if HAS_AVX512 or (HAS_LANES and values.itemsize == 4):
        for first in range(0, n, BYTES // values.itemsize):
            end = _pack(values, places, first, n, values_out, places_out, end)
    else:
        # Without a branch: zeros are also written, and the next value overwrites them.
        for k in range(n):
            values_out[end], places_out[end] = values[k], places[k]
            end += values[k] != 0
    return end


def _emit_pack(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    values, places, first, stop, values_out, places_out, end = args
    kinds = signature.args
    if not (HAS_AVX512 or kinds[0].dtype.bitwidth == 32):
        return end  # never called; compiled with the rest
    # Positions of a vector of doubles are half a vector. LLVM failed to split one in two.
    n_lanes = BYTES * 8 // kinds[0].dtype.bitwidth

    def at(array: ir.Value, kind: ir.Value, index: ir.Value) -> ir.Value:
        return lanes.vector_at(context, builder, array, kind, index, n_lanes)

    numbers = builder.load(at(values, kinds[0], first), align=4)
    positions = builder.load(at(places, kinds[1], first), align=4)
    # "Unordered", so that NaN is packed too and later code can report it.
    is_any = builder.fcmp_unordered("!=", numbers, ir.Constant(numbers.type, [0.0] * n_lanes))
    n_left = builder.trunc(builder.sub(stop, first), lanes.I32)
    is_selected = builder.and_(is_any, lanes.first_lanes(builder, n_left, n_lanes))
    packed = lanes.compressed(builder, numbers, is_selected)
    builder.store(packed, at(values_out, kinds[4], end), align=4)
    packed_places = lanes.compressed(builder, positions, is_selected)
    builder.store(packed_places, at(places_out, kinds[5], end), align=4)
    count = builder.ctpop(builder.bitcast(is_selected, ir.IntType(n_lanes)))
    return builder.add(end, builder.zext(count, end.type))

"""Values packed on vectors: those that are not 0, one after the other, with their places.

Numba turns loops into vectors by itself where every pass does the same; to keep only some of the
values is what it cannot say. Here it is said in LLVM's own words: with AVX-512 one instruction for
a vector of 64 bytes; with AVX2 lanes of 32 bits are permuted by a table of the ways to do so, and
those of 64 are packed one by one, as all are on other processors.
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
MOST_LANES = 16
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
    """Append those of values[first : stop] within one vector that are not 0."""
    del typing, first, stop, end
    i64 = types.int64
    return i64(values, places, i64, i64, values_out, places_out, i64), _emit_pack


_pack: Callable[..., int] = intrinsic(_pack_type)


@njit(inline="always")
def pack_row(
    values: Array, places: Array, n: int, values_out: Array, places_out: Array, end: int
) -> int:
    """Append those of values[:n] that are not 0 to kept[:end], in their order; return the new end.

    values : (>= n + MOST_LANES,) floating; places : as many uint32, packed in the same way;
    kept, places_out : with room for MOST_LANES behind all that is kept
    """
    # both known when the kernel is compiled
    if HAS_AVX512 or (HAS_LANES and values.itemsize == 4):
        for first in range(0, n, BYTES // values.itemsize):
            end = _pack(values, places, first, n, values_out, places_out, end)
    else:
        # without a branch: zeros are written too, and overwritten by the next value
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
    # the places of a vector of doubles are half a vector: LLVM's own way to split one in two failed
    n_lanes = BYTES * 8 // kinds[0].dtype.bitwidth

    def at(array: ir.Value, kind: ir.Value, index: ir.Value) -> ir.Value:
        return lanes.vector_at(context, builder, array, kind, index, n_lanes)

    numbers = builder.load(at(values, kinds[0], first), align=4)
    where = builder.load(at(places, kinds[1], first), align=4)
    # "unordered": not a number is kept, and so is told further down as ever
    is_any = builder.fcmp_unordered("!=", numbers, ir.Constant(numbers.type, [0.0] * n_lanes))
    n_left = builder.trunc(builder.sub(stop, first), lanes.I32)
    is_kept = builder.and_(is_any, lanes.first_lanes(builder, n_left, n_lanes))
    packed = lanes.compressed(builder, numbers, is_kept)
    builder.store(packed, at(values_out, kinds[4], end), align=4)
    packed_places = lanes.compressed(builder, where, is_kept)
    builder.store(packed_places, at(places_out, kinds[5], end), align=4)
    count = builder.ctpop(builder.bitcast(is_kept, ir.IntType(n_lanes)))
    return builder.add(end, builder.zext(count, end.type))

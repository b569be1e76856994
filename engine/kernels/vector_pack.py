"""Values packed on vectors: those that are not 0, one after the other, with their places.

Numba turns loops into vectors by itself where every pass does the same; to keep only some of the
values is what it cannot say. Here it is said in LLVM's own words, `vector.compress`: with AVX-512
one instruction for a vector of 64 bytes. Other processors pack one by one (`PACKS_VECTORS`).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from engine.arrays import Array

BYTES = 64
"""Of a vector of values."""
MOST_LANES = 16
"""Values that are packed at once, at most; as many may be written behind the last."""

_FEATURES = set(cpu_target.target_context.codegen().magic_tuple()[2].split(","))
PACKS_VECTORS = {"+avx512f", "+avx512vl"} <= _FEATURES
"""Whether the processor that Numba compiles for packs a vector by one instruction."""

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_SUFFIX = {ir.FloatType(): "f32", ir.DoubleType(): "f64", _I32: "i32"}


def _pack_type(
    typing: Any, values: Any, places: Any, first: Any, stop: Any, kept: Any, kept_places: Any,
    end: Any,
) -> Any:  # fmt: skip
    """Append those of values[first : stop] within one vector that are not 0."""
    del typing, first, stop, end
    i64 = types.int64
    return i64(values, places, i64, i64, kept, kept_places, i64), _emit_pack


_pack: Any = intrinsic(_pack_type)


@njit(inline="always")
def pack_row(
    values: Array, places: Array, n: int, kept: Array, kept_places: Array, end: int
) -> int:
    """Append those of values[:n] that are not 0 to kept[:end], in their order; return the new end.

    values : (>= n + MOST_LANES,) floating; places : as many uint32, packed in the same way;
    kept, kept_places : with room for MOST_LANES behind all that is kept
    """
    if PACKS_VECTORS:
        for first in range(0, n, BYTES // values.itemsize):
            end = _pack(values, places, first, n, kept, kept_places, end)
    else:
        # no branch: what is 0 is written, too, and written over by the next
        for k in range(n):
            kept[end], kept_places[end] = values[k], places[k]
            end += values[k] != 0
    return end


def _emit_pack(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    values, places, first, stop, kept, kept_places, end = (
        (value, kind) for value, kind in zip(args, signature.args, strict=True)
    )

    # the places of a vector of doubles are half a vector: LLVM's own way to split one in two failed
    n_lanes = BYTES * 8 // values[1].dtype.bitwidth

    def vector_at(array: tuple[Any, Any], index: Any) -> Any:
        value, kind = array
        data = context.make_array(kind)(context, builder, value).data
        lanes = ir.VectorType(context.get_value_type(kind.dtype), n_lanes)
        return builder.bitcast(builder.gep(data, [index]), lanes.as_pointer())

    numbers = builder.load(vector_at(values, first[0]), align=4)
    where = builder.load(vector_at(places, first[0]), align=4)
    # "unordered": not a number is kept, and so is told further down as ever
    is_any = builder.fcmp_unordered("!=", numbers, ir.Constant(numbers.type, [0.0] * n_lanes))
    n_left = builder.trunc(builder.sub(stop[0], first[0]), _I32)
    is_kept = builder.and_(is_any, _first_lanes(builder, n_left, n_lanes))
    for lanes, target in ((numbers, kept), (where, kept_places)):
        builder.store(_compressed(builder, lanes, is_kept), vector_at(target, end[0]), align=4)
    count = builder.ctpop(builder.bitcast(is_kept, ir.IntType(n_lanes)))
    return builder.add(end[0], builder.zext(count, _I64))


def _first_lanes(builder: Any, n: Any, n_lanes: int) -> Any:
    """Mask of the lanes 0 ... n - 1."""
    lanes = ir.VectorType(_I32, n_lanes)
    nothing = ir.Constant(lanes, ir.Undefined)
    one = builder.insert_element(nothing, n, ir.Constant(_I32, 0))
    in_all = builder.shuffle_vector(one, nothing, ir.Constant(lanes, [0] * n_lanes))
    return builder.icmp_signed("<", ir.Constant(lanes, list(range(n_lanes))), in_all)


def _compressed(builder: Any, lanes: Any, is_kept: Any) -> Any:
    """Lanes of a mask moved to the front of the vector; what follows them is of no meaning."""
    kind, mask = lanes.type, is_kept.type
    compress = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(kind, [kind, mask, kind]),
        f"llvm.experimental.vector.compress.v{kind.count}{_SUFFIX[kind.element]}",
    )
    return builder.call(compress, [lanes, is_kept, ir.Constant(kind, ir.Undefined)])

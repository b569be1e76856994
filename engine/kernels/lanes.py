"""Vector instructions in LLVM IR that Numba loops cannot express: building blocks of intrinsics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature

from engine.kernels.processor import HAS_AVX512

I32 = ir.IntType(32)

_OF_AVX2 = 8
"""Lanes of 32 bits in an AVX2 register."""

Declared = tuple[Signature, Callable[..., ir.Value]]
"""Definition of a Numba intrinsic: its types, and the function that emits its instructions."""
_SUFFIX = {ir.FloatType(): "f32", ir.DoubleType(): "f64", I32: "i32"}


def vector_at(
    context: BaseContext,
    builder: ir.IRBuilder,
    array: ir.Value,
    kind: types.Array,
    index: ir.Value,
    n_lanes: int,
) -> ir.Value:
    """Return a pointer to the vector that begins at an index of a Numba array.

    Parameters
    ----------
    context, builder
        context and builder of the intrinsic
    array
        the array
    kind
        its Numba type
    index
        index of the first value
    n_lanes
        lanes of the vector
    """
    data = context.make_array(kind)(context, builder, array).data
    lanes = ir.VectorType(context.get_value_type(kind.dtype), n_lanes)
    return builder.bitcast(builder.gep(data, [index]), lanes.as_pointer())


def numbers(kind: ir.Type, n_lanes: int) -> ir.Value:
    """Return the constant vector 0, 1, 2, ...

    Parameters
    ----------
    kind
        LLVM type of the numbers
    n_lanes
        lanes of the vector
    """
    return ir.Constant(ir.VectorType(kind, n_lanes), list(range(n_lanes)))


def spread(builder: ir.IRBuilder, value: ir.Value, n_lanes: int) -> ir.Value:
    """Return a vector with one value in all lanes.

    Parameters
    ----------
    builder
        builder of the intrinsic
    value
        the value
    n_lanes
        lanes of the vector
    """
    lanes = ir.VectorType(value.type, n_lanes)
    nothing = ir.Constant(lanes, ir.Undefined)
    one = builder.insert_element(nothing, value, ir.Constant(I32, 0))
    return builder.shuffle_vector(
        one, nothing, ir.Constant(ir.VectorType(I32, n_lanes), [0] * n_lanes)
    )


def first_lanes(builder: ir.IRBuilder, n: ir.Value, n_lanes: int) -> ir.Value:
    """Return a mask of the lanes 0 ... n − 1.

    Parameters
    ----------
    builder
        builder of the intrinsic
    n
        32-bit integer of any value
    n_lanes
        lanes of the vector
    """
    return builder.icmp_signed("<", numbers(I32, n_lanes), spread(builder, n, n_lanes))


def compressed(builder: ir.IRBuilder, values: ir.Value, is_selected: ir.Value) -> ir.Value:
    """Return the selected lanes at the front of the vector; the remaining lanes are undefined.

    One instruction with AVX-512. With AVX2, 8 lanes of 32 bits are permuted by a lookup table.

    Parameters
    ----------
    builder
        builder of the intrinsic
    values
        vector; with AVX2 of 8 lanes of 32 bits
    is_selected
        mask
    """
    kind = values.type
    if not HAS_AVX512:
        return permuted(builder, values, _front_lanes(builder, is_selected))
    # The undefined third operand fills the lanes after the selected ones.
    arguments = [values, is_selected, ir.Constant(kind, ir.Undefined)]
    return called(builder, f"llvm.experimental.vector.compress.{name_of(kind)}", kind, arguments)


def _front_lanes(builder: ir.IRBuilder, is_selected: ir.Value) -> ir.Value:
    """Return the permutation that moves the selected of 8 lanes to the front."""
    row = ir.VectorType(ir.IntType(8), _OF_AVX2)
    orders = [[k for k in range(_OF_AVX2) if mask >> k & 1] for mask in range(1 << _OF_AVX2)]
    rows = [ir.Constant(row, [*order, *[0] * (_OF_AVX2 - len(order))]) for order in orders]
    # 256 rows of 8 bytes: 2 KiB, which stay in the L1 cache.
    table = ir.Constant(ir.ArrayType(row, len(rows)), rows)
    constant = cgutils.global_constant(builder.module, "ways_to_front", table)
    mask = builder.zext(builder.bitcast(is_selected, ir.IntType(_OF_AVX2)), ir.IntType(64))
    order = builder.load(builder.gep(constant, [ir.Constant(ir.IntType(64), 0), mask]))
    return builder.zext(order, ir.VectorType(I32, _OF_AVX2))


def permuted(builder: ir.IRBuilder, values: ir.Value, places: ir.Value) -> ir.Value:
    """Return a permuted vector of 8 lanes of 32 bits (AVX2); the last 3 bits of an index count.

    Parameters
    ----------
    builder
        builder of the intrinsic
    values
        vector of float32 or int32
    places
        int32 vector, index of the source of each lane
    """
    name = "permps" if values.type.element == ir.FloatType() else "permd"
    return called(builder, f"llvm.x86.avx2.{name}", values.type, [values, places])


def loaded(builder: ir.IRBuilder, pointer: ir.Value, mask: ir.Value, kind: ir.Type) -> ir.Value:
    """Return the selected lanes from memory, 0 in the others without access to their memory.

    Parameters
    ----------
    builder
        builder of the intrinsic
    pointer
        pointer to the vector
    mask
        selected lanes
    kind
        LLVM type of the vector
    """
    # 4 bytes, the alignment of one value, because the first lane can be anywhere in a row.
    arguments = [pointer, ir.Constant(I32, 4), mask, ir.Constant(kind, [0.0] * kind.count)]
    return called(builder, f"llvm.masked.load.{name_of(kind)}.p0", kind, arguments)


def store(builder: ir.IRBuilder, value: ir.Value, pointer: ir.Value, mask: ir.Value) -> None:
    """Write the selected lanes without access to the memory of the others.

    Parameters
    ----------
    builder
        builder of the intrinsic
    value
        vector
    pointer
        pointer to the vector in memory
    mask
        selected lanes
    """
    arguments = [value, pointer, ir.Constant(I32, 4), mask]
    name = f"llvm.masked.store.{name_of(value.type)}.p0"
    called(builder, name, ir.VoidType(), arguments)


def picked(builder: ir.IRBuilder, places: ir.Value, parts: Sequence[ir.Value]) -> ir.Value:
    """Return lanes at given indices of several vectors, without memory access.

    Parameters
    ----------
    builder
        builder of the intrinsic
    places
        index of each lane, counted through all vectors
    parts
        two vectors of float32; with AVX2 two or four vectors of 8 lanes
    """
    kind = parts[0].type
    if HAS_AVX512:
        low, high = parts
        return called(builder, "llvm.x86.avx512.vpermi2var.ps.512", kind, [low, places, high])
    found = [permuted(builder, part, places) for part in parts]
    # Each round halves the candidates of a lane by one bit of its index.
    for bit in (8, 16)[: len(found) // 2]:
        at = spread(builder, ir.Constant(I32, bit), _OF_AVX2)
        is_set = builder.icmp_signed("!=", builder.and_(places, at), ir.Constant(at.type, None))
        found = [
            builder.select(is_set, high, low)
            for low, high in zip(found[::2], found[1::2], strict=True)
        ]
    return found[0]


def smallest(builder: ir.IRBuilder, values: ir.Value) -> ir.Value:
    """Return the smallest of all lanes.

    Parameters
    ----------
    builder
        builder of the intrinsic
    values
        integer vector
    """
    name = f"llvm.vector.reduce.smin.{name_of(values.type)}"
    return called(builder, name, values.type.element, [values])


def absolute(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return the absolute value of a number, or of each lane.

    Parameters
    ----------
    builder
        builder of the intrinsic
    value
        floating-point number or vector
    """
    return called(builder, f"llvm.fabs.{name_of(value.type)}", value.type, [value])


def at_least_0(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return each lane, or 0 if it is negative or NaN.

    Parameters
    ----------
    builder
        builder of the intrinsic
    value
        floating-point vector
    """
    zero = ir.Constant(value.type, [0.0] * value.type.count)
    return builder.select(builder.fcmp_ordered(">", value, zero), value, zero)


def name_of(kind: ir.Type) -> str:
    """Return LLVM's name of a type in function names: f32, v16f32.

    Parameters
    ----------
    kind
        float, double, 32-bit integer, or a vector of them
    """
    if not isinstance(kind, ir.VectorType):
        return _SUFFIX[kind]
    return f"v{kind.count}{_SUFFIX[kind.element]}"


def called(builder: ir.IRBuilder, name: str, kind: ir.Type, arguments: list[ir.Value]) -> ir.Value:
    """Return the result of an LLVM function.

    Parameters
    ----------
    builder
        builder of the intrinsic
    name
        name of the function
    kind
        type of the result
    arguments
        arguments, which define its signature
    """
    declared = ir.FunctionType(kind, [argument.type for argument in arguments])
    function = cgutils.get_or_insert_function(builder.module, declared, name)
    return builder.call(function, arguments)

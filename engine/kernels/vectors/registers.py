"""Vector registers of `LANES` numbers as Numba values.

Kernels combine them with + - * / & | < <= and the functions below. A register holds float32,
float64, int32, or the truth values of a comparison. LLVM splits registers that are wider than those
of the processor, so the same code runs everywhere. Only `picked` depends on the processor: with
AVX-512 or AVX2 it permutes two registers; elsewhere each lane is read from memory.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature
from numba.extending import intrinsic, models, overload, register_model

from engine.kernels import lanes
from engine.kernels.processor import HAS_LANES, LANES

FUSED = ("contract",)
"""A product and a following sum can be rounded once (fused multiply-add)."""

MAX_DISTANCE = 2 * LANES - 3
"""Maximum distance between the first and the last index of `picked`, with one more for rounding."""


class Register(types.Type):
    """Numba type of a register; `element` is the type of its numbers."""

    def __init__(self, element: types.Type) -> None:
        self.element = element
        super().__init__(name=f"register({element})")

    @property
    def is_real(self) -> bool:
        """True if the numbers are floating-point numbers."""
        return isinstance(self.element, types.Float)


REALS, DOUBLES = Register(types.float32), Register(types.float64)
WHOLES, TRUTHS = Register(types.int32), Register(types.boolean)

_LLVM = {
    REALS: ir.VectorType(ir.FloatType(), LANES),
    DOUBLES: ir.VectorType(ir.DoubleType(), LANES),
    WHOLES: ir.VectorType(lanes.I32, LANES),
    TRUTHS: ir.VectorType(ir.IntType(1), LANES),
}
_F32, _I32 = _LLVM[REALS], _LLVM[WHOLES]


@register_model(Register)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Register) -> None:
        super().__init__(manager, kind, _LLVM[kind])


_intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic
"""Numba's decorator; kernels call the result without its first argument."""
_Emit = Callable[..., ir.Value]
_Result = Callable[[Any], types.Type]


def _same(kind: types.Type) -> types.Type:
    return kind


def _truths(kind: types.Type) -> types.Type:
    del kind
    return TRUTHS


def _unary(emit: _Emit, result: _Result = _same) -> Callable[..., Any]:
    """Return an intrinsic of one value with the instructions emit(builder, value)."""

    def typed(typing: Any, value: Any) -> lanes.Declared:
        del typing
        return result(value)(value), lambda _context, builder, _signature, args: emit(
            builder, *args
        )

    return intrinsic(typed)


def _binary(emit: _Emit, result: _Result = _same) -> Callable[..., Any]:
    """Return an intrinsic of two values of one type."""

    def typed(typing: Any, one: Any, other: Any) -> lanes.Declared:
        del typing, other
        return result(one)(one, one), lambda _context, builder, _signature, args: emit(
            builder, *args
        )

    return intrinsic(typed)


def _register_of(element: types.Type) -> types.Type:
    return Register(element)


def _emit_ramp(builder: ir.IRBuilder, first: ir.Value, step: ir.Value) -> ir.Value:
    number = builder.sitofp(lanes.numbers(lanes.I32, LANES), ir.VectorType(first.type, LANES))
    steps = builder.fmul(number, lanes.spread(builder, step, LANES), FUSED)
    return builder.fadd(lanes.spread(builder, first, LANES), steps, FUSED)


def _emit_lower(builder: ir.IRBuilder, one: ir.Value, other: ir.Value) -> ir.Value:
    return builder.select(builder.fcmp_ordered("<", one, other), one, other)


def _emit_higher(builder: ir.IRBuilder, one: ir.Value, other: ir.Value) -> ir.Value:
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


def _emit_tent(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    one = ir.Constant(value.type, [1.0] * LANES)
    return lanes.at_least_0(builder, builder.fsub(one, lanes.absolute(builder, value), FUSED))


def _named(operation: str) -> _Emit:
    def emit(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        name = f"llvm.{operation}.{lanes.name_of(value.type)}"
        return lanes.called(builder, name, value.type, [value])

    return emit


every = _unary(lambda b, x: lanes.spread(b, x, LANES), _register_of)
"""every(x): the same number in all lanes."""
ramp = _binary(_emit_ramp, _register_of)
"""ramp(x, s): x + j s in lane j."""
whole = _unary(lambda b, x: b.fptosi(x, _I32), lambda _: WHOLES)
"""whole(x): int32, rounded towards 0."""
real = _unary(lambda b, i: b.sitofp(i, _F32), lambda _: REALS)
"""real(i): float32 of int32."""
short = _unary(lambda b, x: b.fptrunc(x, _F32), lambda _: REALS)
"""short(x): float32 of float64."""
below = _unary(_named("floor"))
"""below(x): the largest integer at or below x, as a floating-point number."""
above = _unary(_named("ceil"))
"""above(x): the smallest integer at or above x, as a floating-point number."""
lower = _binary(_emit_lower)
"""lower(x, y): the smaller number of each lane; y if one is NaN."""
higher = _binary(_emit_higher)
"""higher(x, y): the larger number of each lane; y if one is NaN."""
size = _unary(lambda b, x: lanes.absolute(b, x))
"""size(x): the absolute value."""
root = _unary(_named("sqrt"))
"""root(x): the square root."""
tent = _unary(_emit_tent)
"""tent(x): max(0, 1 - |x|), the weight of linear interpolation at the distance x."""


@_intrinsic
def either(typing: Any, is_first: Any, one: Any, other: Any) -> lanes.Declared:
    """Return the lanes of `one` where `is_first` is True, and the lanes of `other` elsewhere.

    is_first : register of truth values; one, other : registers of one type
    """
    del typing, is_first, other
    return one(TRUTHS, one, one), lambda _context, builder, _signature, args: builder.select(*args)


@_intrinsic
def fused(typing: Any, x: Any, y: Any, z: Any) -> lanes.Declared:
    """Return x y + z in each lane, rounded once where the processor can.

    Sums of several products leave open to LLVM which of them are rounded; nested calls do not.
    """
    del typing
    return z(x, y, z), _emit_fused


@_intrinsic
def is_any(typing: Any, truths: Any) -> lanes.Declared:
    """Return 1 if any lane is true, otherwise 0."""
    del typing
    return types.int64(truths), _emit_is_any


_OF_REALS: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.add: _binary(lambda b, x, y: b.fadd(x, y, FUSED)),
    operator.sub: _binary(lambda b, x, y: b.fsub(x, y, FUSED)),
    operator.mul: _binary(lambda b, x, y: b.fmul(x, y, FUSED)),
    operator.truediv: _binary(lambda b, x, y: b.fdiv(x, y)),
    operator.lt: _binary(lambda b, x, y: b.fcmp_ordered("<", x, y), _truths),
    operator.le: _binary(lambda b, x, y: b.fcmp_ordered("<=", x, y), _truths),
}
_OF_WHOLES: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.add: _binary(lambda b, i, j: b.add(i, j)),
    operator.mul: _binary(lambda b, i, j: b.mul(i, j)),
    operator.and_: _binary(lambda b, i, j: b.and_(i, j)),
    operator.or_: _binary(lambda b, i, j: b.or_(i, j)),
}


def _define(
    function: Callable[..., Any], instruction: Callable[..., Any], *, of_reals: bool
) -> None:
    """Let Numba use an instruction for an operator between two registers of one type."""

    @overload(function, strict=False)  # lambdas have no annotations to compare
    def typed(one: Any, other: Any) -> Any:
        if isinstance(one, Register) and one == other and one.is_real == of_reals:
            return lambda one, other: instruction(one, other)
        return None


for _function, _instruction in _OF_REALS.items():
    _define(_function, _instruction, of_reals=True)
for _function, _instruction in _OF_WHOLES.items():
    _define(_function, _instruction, of_reals=False)


@_intrinsic
def read(typing: Any, array: Any, first: Any) -> lanes.Declared:
    """Return array[first + j] in each lane j.

    array : contiguous, indexed as if flat; first : index of lane 0
    """
    del typing, first
    return Register(array.dtype)(array, types.int64), _emit_read


@_intrinsic
def write(typing: Any, value: Any, array: Any, first: Any) -> lanes.Declared:
    """Write each lane j to array[first + j].

    value : register; array : contiguous, indexed as if flat; first : index of lane 0
    """
    del typing, first
    return types.void(value, array, types.int64), _emit_write


@_intrinsic
def read_some(typing: Any, array: Any, first: Any, lane: Any, stop: Any) -> lanes.Declared:
    """Return array[first + j] in lanes j of lane ... stop − 1, and 0 in the others (float32).

    array : contiguous, indexed as if flat; memory of the other lanes is not accessed
    """
    del typing, first, lane, stop
    i64 = types.int64
    return REALS(array, i64, i64, i64), _emit_read_some


@_intrinsic
def write_some(
    typing: Any, value: Any, array: Any, first: Any, lane: Any, stop: Any
) -> lanes.Declared:
    """Write lanes j of lane ... stop − 1 to array[first + j] (float32).

    value : register; array : contiguous, indexed as if flat; memory of the other lanes is not
        accessed
    """
    del typing, value, first, lane, stop
    i64 = types.int64
    return types.void(REALS, array, i64, i64, i64), _emit_write_some


@_intrinsic
def picked(typing: Any, array: Any, first: Any, places: Any) -> lanes.Declared:
    """Return array[first + place] and array[first + place + 1] in each lane (float32).

    places : 0 ... 2 LANES - 2; 2 LANES values from `first` on must be readable
    """
    del typing, first, places
    return types.UniTuple(REALS, 2)(array, types.int64, WHOLES), _emit_picked


@_intrinsic
def gathered(typing: Any, array: Any, first: Any, places: Any) -> lanes.Declared:
    """Return array[first + place] in each lane, for any places, one by one (float32).

    array : contiguous; first : index; places : int32 register
    """
    del typing, first, places
    return REALS(array, types.int64, WHOLES), _emit_gathered


@_intrinsic
def first_lane(typing: Any, number: Any) -> lanes.Declared:
    """Return a number in the first lane and 0 in the others (float32)."""
    del typing, number
    return REALS(types.float32), _emit_first_lane


@_intrinsic
def halved(typing: Any, value: Any) -> lanes.Declared:
    """Return the sum of all lanes: lower and upper half are added until one lane is left.

    value : register of floating-point numbers
    """
    del typing
    return value.element(value), _emit_halved


def _emit_fused(
    _context: BaseContext, builder: ir.IRBuilder, _signature: Signature, args: list[ir.Value]
) -> ir.Value:
    kind = args[0].type
    return lanes.called(builder, f"llvm.fmuladd.{lanes.name_of(kind)}", kind, args)


def _emit_is_any(
    _context: BaseContext, builder: ir.IRBuilder, _signature: Signature, args: list[ir.Value]
) -> ir.Value:
    mask = builder.bitcast(args[0], ir.IntType(LANES))
    return builder.zext(builder.icmp_unsigned("!=", mask, mask.type(0)), ir.IntType(64))


def _active(builder: ir.IRBuilder, lane: ir.Value, stop: ir.Value) -> ir.Value:
    """Return a mask of the lanes lane ... stop − 1."""
    first, end = (builder.trunc(n, lanes.I32) for n in (lane, stop))
    return builder.and_(
        lanes.first_lanes(builder, end, LANES),
        builder.not_(lanes.first_lanes(builder, first, LANES)),
    )


def _emit_read_some(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    array, first, lane, stop = args
    pointer = lanes.vector_at(context, builder, array, signature.args[0], first, LANES)
    return lanes.loaded(builder, pointer, _active(builder, lane, stop), _F32)


def _emit_write_some(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    value, array, first, lane, stop = args
    pointer = lanes.vector_at(context, builder, array, signature.args[1], first, LANES)
    lanes.store(builder, value, pointer, _active(builder, lane, stop))
    return context.get_dummy_value()


def _emit_read(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    array, first = args
    return _vector(context, builder, array, signature.args[0], first)


def _emit_write(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    value, array, first = args
    pointer = lanes.vector_at(context, builder, array, signature.args[1], first, LANES)
    builder.store(value, pointer, align=_bytes(signature.args[1]))
    return context.get_dummy_value()


def _vector(
    context: BaseContext, builder: ir.IRBuilder, array: ir.Value, kind: Any, first: ir.Value
) -> ir.Value:
    pointer = lanes.vector_at(context, builder, array, kind, first, LANES)
    return builder.load(pointer, align=_bytes(kind))


def _bytes(kind: Any) -> int:
    """Return the alignment of rows that begin at any value: the size of one value."""
    return int(kind.dtype.bitwidth) // 8


def _emit_picked(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    array, first, places = args
    kind = signature.args[0]
    nexts = builder.add(places, ir.Constant(_I32, [1] * LANES))
    if HAS_LANES:
        starts = first, builder.add(first, first.type(LANES))
        parts = [_vector(context, builder, array, kind, start) for start in starts]
        pair = [lanes.picked(builder, some, parts) for some in (places, nexts)]
    else:
        pair = [_one_by_one(context, builder, array, kind, first, s) for s in (places, nexts)]
    return context.make_tuple(builder, signature.return_type, pair)


def _emit_gathered(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    array, first, places = args
    return _one_by_one(context, builder, array, signature.args[0], first, places)


def _one_by_one(
    context: BaseContext,
    builder: ir.IRBuilder,
    array: ir.Value,
    kind: Any,
    first: ir.Value,
    places: ir.Value,
) -> ir.Value:
    """Read each lane from memory."""
    data = context.make_array(kind)(context, builder, array).data
    result = ir.Constant(_F32, ir.Undefined)
    for n in range(LANES):
        lane = ir.Constant(lanes.I32, n)
        place = builder.sext(builder.extract_element(places, lane), first.type)
        value = builder.load(builder.gep(data, [builder.add(first, place)]))
        result = builder.insert_element(result, value, lane)
    return result


def _emit_first_lane(
    _context: BaseContext, builder: ir.IRBuilder, _signature: Signature, args: list[ir.Value]
) -> ir.Value:
    zeros = ir.Constant(_F32, [0.0] * LANES)
    return builder.insert_element(zeros, args[0], ir.Constant(lanes.I32, 0))


def _emit_halved(
    _context: BaseContext, builder: ir.IRBuilder, _signature: Signature, args: list[ir.Value]
) -> ir.Value:
    value, n = args[0], LANES
    while n > 1:
        n //= 2
        kind = ir.VectorType(lanes.I32, n)
        parts = [ir.Constant(kind, list(range(start, start + n))) for start in (0, n)]
        low, high = (builder.shuffle_vector(value, value, part) for part in parts)
        value = builder.fadd(low, high)
    return builder.extract_element(value, ir.Constant(lanes.I32, 0))

"""Memory prefetch: a hint to the processor that does not change results."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.core.types import Type
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from engine.kernels import lanes

# Arguments of llvm.prefetch: read, into the nearest cache, data instead of instructions.
_HINT = tuple(ir.Constant(lanes.I32, n) for n in (0, 3, 1))


def _fetch_type(typing: Context, values: Type, place: Type) -> lanes.Declared:
    """Start loading values[place] into the nearest cache, without waiting.

    values : contiguous; place : uint32
    """
    del typing, place
    return types.void(values, types.uint32), _emit_fetch


fetch: Callable[..., None] = intrinsic(_fetch_type)


def _emit_fetch(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    values, place = args
    data = context.make_array(signature.args[0])(context, builder, values).data
    value = builder.gep(data, [builder.zext(place, ir.IntType(64))])
    pointer = builder.bitcast(value, ir.IntType(8).as_pointer())
    lanes.called(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, *_HINT])
    return context.get_dummy_value()

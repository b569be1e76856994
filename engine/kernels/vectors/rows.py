"""Rows added to a row: out_i += a x_i + b y_i, in whole vectors.

Numba's loops over short rows of any length spend more on what is left over by their vectors than on
these. Rows that have room for a last whole vector need none of that; and what is said in LLVM's own
words gives the same bits on vectors of any width, since no operation is fused with another.
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

LANES = 8
"""Numbers of a vector; rows have padding of one less after their last number."""


def _add_type(
    typing: Context, out: Type, one: Type, other: Type, places: Type, parts: Type
) -> lanes.Declared:
    """Add to one vector of `out`."""
    del typing, places, parts
    whole, real = types.UniTuple(types.int64, 3), types.UniTuple(types.float32, 2)
    return types.void(out, one, other, whole, real), _emit_add


_add: Callable[..., None] = intrinsic(_add_type)


@njit(inline="always")
def add_rows(
    out: Array, one: Array, other: Array, starts: tuple[int, int, int], n: int,
    parts: tuple[float, float],
) -> None:  # fmt: skip
    """Add parts[0] one + parts[1] other to `out`, n numbers of them and those up to a whole vector.

    out, one, other : float32 in one piece; starts : where in each of them the numbers begin
    """
    for k in range(0, n, LANES):
        _add(out, one, other, (starts[0] + k, starts[1] + k, starts[2] + k), parts)


def _emit_add(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    *rows, places, parts = args
    pointers = [
        lanes.vector_at(context, builder, row, kind, builder.extract_value(places, i), LANES)
        for i, (row, kind) in enumerate(zip(rows, signature.args, strict=False))
    ]
    total, *values = (builder.load(pointer, align=4) for pointer in pointers)
    weights = [lanes.spread(builder, builder.extract_value(parts, i), LANES) for i in (0, 1)]
    products = [builder.fmul(w, value) for w, value in zip(weights, values, strict=True)]
    total = builder.fadd(total, builder.fadd(*products))
    builder.store(total, pointers[0], align=4)
    return context.get_dummy_value()

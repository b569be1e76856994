"""Add two rows to a row: out_i += a x_i + b y_i, in whole vectors.

Numba's loops over short rows spend more time on the remainder than on the vectors. Padded rows have
no remainder. This module emits LLVM IR without fused operations, so the bits are the same for
vectors of any width.
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
"""Numbers of a vector; rows are padded by LANES − 1 numbers."""


def _add_type(
    typing: Context, out: Type, x: Type, y: Type, places: Type, parts: Type
) -> lanes.Declared:
    """Add to one vector of `out`."""
    del typing, places, parts
    whole, real = types.UniTuple(types.int64, 3), types.UniTuple(types.float32, 2)
    return types.void(out, x, y, whole, real), _emit_add


_add: Callable[..., None] = intrinsic(_add_type)


@njit(inline="always")
def add_rows(
    out: Array, x: Array, y: Array, starts: tuple[int, int, int], n: int,
    parts: tuple[float, float],
) -> None:  # fmt: skip
    """Add parts[0] · x + parts[1] · y to `out`: n numbers, rounded up to whole vectors.

    Parameters
    ----------
    out, x, y
        contiguous float32 arrays
    starts
        index of the first number in `out`, x and y
    n
        number of numbers
    parts
        factors of x and y
    """
    for k in range(0, n, LANES):
        _add(out, x, y, (starts[0] + k, starts[1] + k, starts[2] + k), parts)


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

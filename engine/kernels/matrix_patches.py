"""Sums of products of shifted rows, a patch of rows and lanes at a time, in vectors of LLVM.

target[at + r pitch + i] += Σ_e weights[e] source[begin + offsets[e] + r source_pitch + i]

for rows r of the patch and i below `LANES`. A patch stays in registers over all non-zeros e, each
of which costs a read and a product for every row. Numba has no vectors, and LLVM finds none across
a loop over non-zeros, so this loop is written in LLVM's own words, from which it makes what a
processor has: AVX, NEON, or single numbers. Each sum is added in the order of e, whatever that is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.types import Type
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit

LANES = 8
"""Numbers of a row in a patch."""
HIGH, LOW = 8, 4
"""Rows of a patch, and of one where no more are left."""
_INT = ir.IntType(64)
_FUSED = ("contract",)
_KERNEL = cached_njit(error_model="numpy", _nrt=False)

Values = Sequence[ir.Value]
Codegen = Callable[[BaseContext, ir.IRBuilder, Signature, Values], ir.Value]


def beyond(pitch: int) -> int:
    """Numbers after the end of an image of this pitch that patches at its end read, or add 0 to."""
    return (LOW - 1) * pitch + LANES


def rows_covered(n: int) -> int:
    """Rows of the patches that lie over n rows."""
    return -(-n // LOW) * LOW


def lanes_covered(n: int) -> int:
    """Numbers of the patches that lie over n numbers of a row."""
    return -(-n // LANES) * LANES


def _patch(n_rows: int) -> Callable[..., None]:
    """Return the sums of a patch of so many rows, as a function for Numba."""

    def add_patch(
        _: BaseContext, target: types.Array, at: Type, pitch: Type, source: Type, begin: Type,
        source_pitch: Type, offsets: Type, weights: Type, first: Type, last: Type,
    ) -> tuple[Signature, Codegen]:  # fmt: skip
        n = types.int64
        signature = types.void(target, n, n, source, n, n, offsets, weights, n, n)

        def codegen(
            context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Values
        ) -> ir.Value:
            def pointer(i: int) -> ir.Value:
                return context.make_array(signature.args[i])(context, builder, args[i]).data

            width = context.get_abi_sizeof(context.get_data_type(target.dtype))
            _, at, pitch, _, begin, source_pitch, _, _, first, last = args
            to, source = _Rows(builder, width, pointer(0)), _Rows(builder, width, pointer(3))
            places = to.places(at, pitch, n_rows)
            sums = [cgutils.alloca_once_value(builder, to.load(place)) for place in places]
            whence = source.places(begin, source_pitch, n_rows)
            with cgutils.for_range_slice(builder, first, last, _INT(1)) as (e, _):
                offset = builder.sext(builder.load(builder.gep(pointer(6), [e])), _INT)
                weight = to.in_all_lanes(builder.load(builder.gep(pointer(7), [e])))
                for total, place in zip(sums, whence, strict=True):
                    there = source.load(builder.add(place, offset))
                    product = builder.fmul(weight, there, flags=_FUSED)
                    builder.store(builder.fadd(builder.load(total), product, flags=_FUSED), total)
            for total, place in zip(sums, places, strict=True):
                to.store(builder.load(total), place)
            return context.get_dummy_value()

        return signature, codegen

    return intrinsic(add_patch)


class _Rows:
    """Writes what reads and keeps `LANES` numbers of an array at any place of it.

    Parameters
    ----------
    builder : of LLVM's words
    width : bytes of a number
    first : pointer to the first number
    """

    def __init__(self, builder: ir.IRBuilder, width: int, first: ir.Value) -> None:
        self._builder, self._width, self._first = builder, width, first
        self._vector = ir.VectorType(first.type.pointee, LANES)

    def places(self, first: ir.Value, pitch: ir.Value, n: int) -> list[ir.Value]:
        """Return where n rows begin."""
        b = self._builder
        return [b.add(first, b.mul(pitch, _INT(r))) for r in range(n)]

    def load(self, place: ir.Value) -> ir.Value:
        """Read the lanes from a place on."""
        found = self._builder.load(self._pointer(place))
        found.align = self._width  # no place is a multiple of a vector
        return found

    def store(self, vector: ir.Value, place: ir.Value) -> None:
        """Write the lanes from a place on."""
        self._builder.store(vector, self._pointer(place)).align = self._width

    def in_all_lanes(self, number: ir.Value) -> ir.Value:
        """Repeat a number."""
        b, none = self._builder, ir.Constant(self._vector, ir.Undefined)
        one = b.insert_element(none, number, ir.IntType(32)(0))
        return b.shuffle_vector(one, none, ir.VectorType(ir.IntType(32), LANES)([0] * LANES))

    def _pointer(self, place: ir.Value) -> ir.Value:
        b = self._builder
        return b.bitcast(b.gep(self._first, [place]), self._vector.as_pointer())


_add_high, _add_low = _patch(HIGH), _patch(LOW)


@_KERNEL
def add_patches(
    target: Array, at: int, pitch: int, n_rows: int, n_columns: int, source: Array, begin: int,
    source_pitch: int, offsets: Array, weights: Array, first: int, last: int,
) -> None:  # fmt: skip
    """Add the products of the non-zeros first ... last - 1 to rows of `target`.

    What patches cover beyond n_rows and n_columns (`rows_covered`, `lanes_covered`) is added to,
    too: there must be room, and nothing that another thread adds to.
    """
    r = 0
    while r < n_rows:
        to, there = at + r * pitch, begin + r * source_pitch
        if n_rows - r > LOW:
            for c in range(0, n_columns, LANES):
                _add_high(
                    target, to + c, pitch, source, there + c, source_pitch, offsets, weights, first,
                    last,
                )  # fmt: skip
            r += HIGH
        else:
            for c in range(0, n_columns, LANES):
                _add_low(
                    target, to + c, pitch, source, there + c, source_pitch, offsets, weights, first,
                    last,
                )  # fmt: skip
            r += LOW

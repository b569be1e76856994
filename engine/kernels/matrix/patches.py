"""Sums of products of shifted rows, one patch of rows and lanes at a time, in LLVM vectors.

    target[at + r pitch + i] += Σ_e weights[e] source[begin + offsets[e] + r source_pitch + i]

r is a row of the patch and i < `WIDE`, or i < `LANES` for the rest of a row. Sums stay in registers
over all non-zeros e. Reads cost more than products, because most reads cross two cache lines.
Non-zeros therefore come in runs of up to four, and each reads one row further than the previous one
(`engine.kernels.matrix.decode`). For 16 rows, four non-zeros read 19 rows instead of 64.

Numba has no vectors, and LLVM does not vectorise across a loop over non-zeros. This loop is
therefore emitted as LLVM IR, which LLVM compiles to AVX-512, AVX, NEON or scalar code. Each sum is
added in the order of e, then to the old value. The bits are equal on all processors with FMA.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.types import Type
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.lanes import spread
from engine.kernels.processor import FEATURES

LANES = 8
"""Numbers of a row in a narrow patch; rows are covered by complete patches."""
WIDE = 2 * LANES if "avx512f" in FEATURES else LANES
"""Numbers of a row in a patch: a vector of the processor."""
HIGH, MIDDLE, LOW = (16, 8, 4) if "avx512f" in FEATURES else (8, 8, 4)
"""Rows of a patch, and of patches at the end. Sums of 16 rows fill half of the registers."""
RUNS = (4, 3, 2, 1)
"""Lengths of the runs of non-zeros, in their order."""
_INT = ir.IntType(64)
_FUSED = ("contract",)
_KERNEL = cached_njit(error_model="numpy", _nrt=False)

Values = Sequence[ir.Value]
Codegen = Callable[[BaseContext, ir.IRBuilder, Signature, Values], ir.Value]
Ends = tuple[int, int, int, int]
"""End of the runs of each length; the last is the number of non-zeros."""


def beyond(pitch: int) -> int:
    """Return the number of values after the end of an image that patches read, or add 0 to.

    Parameters
    ----------
    pitch
        distance of rows
    """
    return (LOW - 1) * pitch + LANES


def rows_covered(n: int) -> int:
    """Return the number of rows of the patches that cover n rows.

    Parameters
    ----------
    n
        number of rows
    """
    return -(-n // LOW) * LOW


def lanes_covered(n: int) -> int:
    """Return the length of the patches that cover n numbers of a row.

    Parameters
    ----------
    n
        numbers of a row
    """
    return -(-n // LANES) * LANES


def _patch(n_rows: int, n_lanes: int) -> Callable[..., None]:
    """Return a Numba function that computes the sums of a patch of given size."""

    def add_patch(
        _: BaseContext, target: types.Array, at: Type, pitch: Type, source: Type, begin: Type,
        source_pitch: Type, offsets: Type, weights: Type, ends: Type, is_reversed: Type,
    ) -> tuple[Signature, Codegen]:  # fmt: skip
        i = types.int64
        of_ends = types.UniTuple(i, len(RUNS))
        signature = types.void(target, i, i, source, i, i, offsets, weights, of_ends, i)

        def codegen(
            context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Values
        ) -> ir.Value:
            def pointer(i: int) -> ir.Value:
                return context.make_array(signature.args[i])(context, builder, args[i]).data

            width = context.get_abi_sizeof(context.get_data_type(target.dtype))
            _, at, pitch, _, begin, source_pitch, _, _, ends, is_reversed = args
            to, source = (_Rows(builder, width, n_lanes, pointer(i)) for i in (0, 3))
            of_offsets, of_weights = pointer(6), pointer(7)
            sums = [cgutils.alloca_once_value(builder, to.zero) for _ in range(n_rows)]
            # In a reversed run, each non-zero reads the row before that of the previous one.
            step = builder.sub(_INT(1), builder.mul(is_reversed, _INT(2)))

            def add(e: ir.Value, length: int) -> None:
                """Add the products of a run to all rows."""
                first = builder.add(e, builder.mul(is_reversed, _INT(length - 1)))
                members = [builder.add(first, builder.mul(step, _INT(i))) for i in range(length)]
                weights = [
                    spread(builder, builder.load(builder.gep(of_weights, [member])), n_lanes)
                    for member in members
                ]
                offset = builder.sext(builder.load(builder.gep(of_offsets, [first])), _INT)
                place = builder.add(begin, offset)
                for r in range(n_rows + length - 1):
                    # Row by row, so that few are in registers at a time.
                    read = source.load(place)
                    for i, weight in enumerate(weights):
                        if 0 <= r - i < n_rows:
                            product = builder.fmul(weight, read, flags=_FUSED)
                            total = sums[r - i]
                            new = builder.fadd(builder.load(total), product, flags=_FUSED)
                            builder.store(new, total)
                    place = builder.add(place, source_pitch)

            start: ir.Value = _INT(0)
            for length, end in zip(RUNS, cgutils.unpack_tuple(builder, ends), strict=True):
                with cgutils.for_range_slice(builder, start, end, _INT(length)) as (e, _):
                    add(e, length)
                start = end
            # The old value is added last. Otherwise each small product would be rounded to its
            # digits.
            place = at
            for total in sums:
                to.store(builder.fadd(to.load(place), builder.load(total)), place)
                place = builder.add(place, pitch)
            return context.get_dummy_value()

        return signature, codegen

    return intrinsic(add_patch)


class _Rows:
    """Emits loads and stores of a vector at any position of an array.

    Parameters
    ----------
    builder : LLVM builder of the intrinsic
    width : bytes of a number
    n_lanes : lanes of a vector
    first : pointer to the first number
    """

    def __init__(self, builder: ir.IRBuilder, width: int, n_lanes: int, first: ir.Value) -> None:
        self._builder, self._width, self._first = builder, width, first
        self._vector = ir.VectorType(first.type.pointee, n_lanes)
        self.zero = ir.Constant(self._vector, [0.0] * n_lanes)

    def load(self, place: ir.Value) -> ir.Value:
        """Load the lanes from a position on."""
        found = self._builder.load(self._pointer(place))
        found.align = self._width  # positions are not aligned to vectors
        return found

    def store(self, vector: ir.Value, place: ir.Value) -> None:
        """Store the lanes from a position on."""
        self._builder.store(vector, self._pointer(place)).align = self._width

    def _pointer(self, place: ir.Value) -> ir.Value:
        b = self._builder
        return b.bitcast(b.gep(self._first, [place]), self._vector.as_pointer())


_add_high, _add_middle, _add_low = (_patch(rows, WIDE) for rows in (HIGH, MIDDLE, LOW))
_add_high_narrow, _add_middle_narrow, _add_low_narrow = (
    _patch(rows, LANES) for rows in (HIGH, MIDDLE, LOW)
)


@_KERNEL
def add_patches(
    target: Array, at: int, pitch: int, n_rows: int, n_columns: int, source: Array, begin: int,
    source_pitch: int, offsets: Array, weights: Array, ends: Ends, is_reversed: int,
) -> None:  # fmt: skip
    """Add the products of non-zeros to rows of `target`.

    Non-zeros come in runs of four, three, two and one. In a run each reads one row further than the
    previous one, or one row before it if `is_reversed` is 1. Patches also add to numbers after
    n_rows and n_columns (`rows_covered`, `lanes_covered`). These numbers must exist, and no other
    thread may add to them.

    Parameters
    ----------
    target
        flat array with the sums
    at
        first number of the rows in `target`
    pitch
        distance of rows in `target`
    n_rows, n_columns
        size of the rows
    source
        flat array that is read
    begin
        first number of the rows in `source`
    source_pitch
        distance of rows in `source`
    offsets, weights
        (n,) positions relative to `begin`, and values of the non-zeros
    ends
        ends of the runs of each length
    is_reversed
        1 if the first non-zero of a run reads the last row
    """
    r, n_lanes = 0, -(-n_columns // LANES) * LANES
    while r < n_rows:
        to, there, left, c = at + r * pitch, begin + r * source_pitch, n_rows - r, 0
        height = HIGH if left > HIGH - LOW else (MIDDLE if left > LOW else LOW)
        while c < n_lanes:
            place = to + c, pitch
            products = source, there + c, source_pitch, offsets, weights, ends, is_reversed
            if n_lanes - c >= WIDE:
                if height == HIGH:
                    _add_high(target, *place, *products)
                elif height == MIDDLE:
                    _add_middle(target, *place, *products)
                else:
                    _add_low(target, *place, *products)
                c += WIDE
            else:
                if height == HIGH:
                    _add_high_narrow(target, *place, *products)
                elif height == MIDDLE:
                    _add_middle_narrow(target, *place, *products)
                else:
                    _add_low_narrow(target, *place, *products)
                c += LANES
        r += height

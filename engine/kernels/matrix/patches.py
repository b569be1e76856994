"""Sums of products of shifted rows, a patch of rows and lanes at a time, in vectors of LLVM.

target[at + r pitch + i] += Σ_e weights[e] source[begin + offsets[e] + r source_pitch + i]

for rows r of the patch and i below `BROAD`, or `WIDE` or `LANES` where no more are left. Sums stay
in registers over all non-zeros e, each of which costs a read and a product for every row: reads,
most of which lie across two lines of the cache, are what bounds it. Two non-zeros of which one
reads a row further than the other share what they read (`engine.kernels.matrix.decode`). Numba has
no vectors, and LLVM finds none across a loop over non-zeros, so this loop is written in LLVM's own
words, from which it makes what a processor has: AVX-512, AVX, NEON, or single numbers. Each sum is
added in the order of e, and then to what is there: the bits are those of any processor that rounds
products and sums once.
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
BROAD = 2 * WIDE if "avx512f" in FEATURES else WIDE
"""Numbers of a row in a broad patch, whose sums fill half of the 32 AVX-512 registers."""
HIGH, LOW = 8, 4
"""Rows of a patch, and of a patch at the end."""
_INT = ir.IntType(64)
_FUSED = ("contract",)
_KERNEL = cached_njit(error_model="numpy", _nrt=False)

Values = Sequence[ir.Value]
Codegen = Callable[[BaseContext, ir.IRBuilder, Signature, Values], ir.Value]


def beyond(pitch: int) -> int:
    """Return the numbers after the end of an image that patches read, or add 0 to."""
    return (LOW - 1) * pitch + LANES


def rows_covered(n: int) -> int:
    """Return the rows of the patches that cover n rows."""
    return -(-n // LOW) * LOW


def lanes_covered(n: int) -> int:
    """Return the numbers of the patches that cover n numbers of a row."""
    return -(-n // LANES) * LANES


def _patch(n_rows: int, n_lanes: int) -> Callable[..., None]:
    """Return the sum of a patch of given size, as a function for Numba."""

    def add_patch(
        _: BaseContext, target: types.Array, at: Type, pitch: Type, source: Type, begin: Type,
        source_pitch: Type, offsets: Type, weights: Type, n_paired: Type, n: Type,
        is_reversed: Type,
    ) -> tuple[Signature, Codegen]:  # fmt: skip
        i = types.int64
        signature = types.void(target, i, i, source, i, i, offsets, weights, i, i, i)

        def codegen(
            context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Values
        ) -> ir.Value:
            def pointer(i: int) -> ir.Value:
                return context.make_array(signature.args[i])(context, builder, args[i]).data

            width = context.get_abi_sizeof(context.get_data_type(target.dtype))
            _, at, pitch, _, begin, source_pitch, _, _, n_paired, n, is_reversed = args
            to, source = (_Rows(builder, width, n_lanes, pointer(i)) for i in (0, 3))
            places = to.places(at, pitch, n_rows)
            sums = [cgutils.alloca_once_value(builder, to.zero) for _ in places]
            whence = source.places(begin, source_pitch, n_rows + 1)

            def add(members: Values) -> None:
                """Add the products of a non-zero, or of two, to all rows."""
                offset = builder.sext(builder.load(builder.gep(pointer(6), [members[0]])), _INT)
                rows = whence[: n_rows + len(members) - 1]
                read = [source.load(builder.add(place, offset)) for place in rows]
                for i, e in enumerate(members):
                    of_e = builder.load(builder.gep(pointer(7), [e]))
                    weight = spread(builder, of_e, n_lanes)
                    for total, there in zip(sums, read[i:], strict=False):
                        product = builder.fmul(weight, there, flags=_FUSED)
                        new = builder.fadd(builder.load(total), product, flags=_FUSED)
                        builder.store(new, total)

            with cgutils.for_range_slice(builder, _INT(0), n_paired, _INT(2)) as (e, _):
                one, other = builder.add(e, is_reversed), builder.add(e, _INT(1))
                add((one, builder.sub(other, is_reversed)))
            with cgutils.for_range_slice(builder, n_paired, n, _INT(1)) as (e, _):
                add((e,))
            # the old value is added last: else each small product would be rounded to its digits
            for total, place in zip(sums, places, strict=True):
                to.store(builder.fadd(to.load(place), builder.load(total)), place)
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

    def places(self, first: ir.Value, pitch: ir.Value, n: int) -> list[ir.Value]:
        """Return where n rows begin."""
        b = self._builder
        return [b.add(first, b.mul(pitch, _INT(r))) for r in range(n)]

    def load(self, place: ir.Value) -> ir.Value:
        """Read the lanes from a place on."""
        found = self._builder.load(self._pointer(place))
        found.align = self._width  # positions are not aligned to vectors
        return found

    def store(self, vector: ir.Value, place: ir.Value) -> None:
        """Write the lanes from a place on."""
        self._builder.store(vector, self._pointer(place)).align = self._width

    def _pointer(self, place: ir.Value) -> ir.Value:
        b = self._builder
        return b.bitcast(b.gep(self._first, [place]), self._vector.as_pointer())


_add_high_broad, _add_low_broad = _patch(HIGH, BROAD), _patch(LOW, BROAD)
_add_high, _add_low = _patch(HIGH, WIDE), _patch(LOW, WIDE)
_add_high_narrow, _add_low_narrow = _patch(HIGH, LANES), _patch(LOW, LANES)


@_KERNEL
def add_patches(
    target: Array, at: int, pitch: int, n_rows: int, n_columns: int, source: Array, begin: int,
    source_pitch: int, offsets: Array, weights: Array, n_paired: int, n: int, is_reversed: int,
) -> None:  # fmt: skip
    """Add the products of the first n non-zeros to rows of `target`.

    The first `n_paired` non-zeros are pairs. In a pair the second reads one row further than the
    first, or, if `is_reversed` is 1, the first one row further than the second. Patches also add to
    numbers beyond n_rows and n_columns (`rows_covered`, `lanes_covered`): these must exist, and no
    other thread may add to them.

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
    n_paired
        number of non-zeros in pairs
    n
        number of non-zeros
    is_reversed
        1 if the first of a pair reads further
    """
    r, n_lanes = 0, -(-n_columns // LANES) * LANES
    while r < n_rows:
        to, there = at + r * pitch, begin + r * source_pitch
        is_high, c = n_rows - r > LOW, 0
        while c < n_lanes:
            place = to + c, pitch
            products = source, there + c, source_pitch, offsets, weights, n_paired, n, is_reversed
            if n_lanes - c >= BROAD:
                if is_high:
                    _add_high_broad(target, *place, *products)
                else:
                    _add_low_broad(target, *place, *products)
                c += BROAD
            elif n_lanes - c >= WIDE:
                if is_high:
                    _add_high(target, *place, *products)
                else:
                    _add_low(target, *place, *products)
                c += WIDE
            else:
                if is_high:
                    _add_high_narrow(target, *place, *products)
                else:
                    _add_low_narrow(target, *place, *products)
                c += LANES
        r += HIGH if is_high else LOW

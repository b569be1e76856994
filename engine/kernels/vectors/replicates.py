"""Sums along a ray through several images at once: one image in each lane of a vector.

    gather     values_c = Σ_k length_k image_c,k
    scatter    image_c,k += length_k values_c

Images c are interleaved, voxel by voxel. The position of voxel k is computed once for all images,
and `LANES` values are read and written together. Numba does not vectorise loops over the images.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.types import Type
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from engine.kernels import lanes

LANES = 8
"""Images in a vector; LLVM splits it into vectors of the processor."""
_REALS = ir.VectorType(ir.FloatType(), LANES)
_PLACE = ir.IntType(64)
_FUSED = ("contract",)


def _type(
    typing: Context, images: Type, places: Type, lengths: Type, n: Type, first: Type, values: Type
) -> Signature:
    del typing, n, first
    i64 = types.int64
    return types.void(images, places, lengths, i64, i64, values)


def _gather_type(
    typing: Context, images: Type, places: Type, lengths: Type, n: Type, first: Type, values: Type
) -> lanes.Declared:
    """Write Σ_k lengths[k] · images[places[k] + first + lane] to values[first + lane].

    images : flat float32; places : uint32; lengths, values : float32; n : number of taps
    """
    return _type(typing, images, places, lengths, n, first, values), _emit_gather


def _scatter_type(
    typing: Context, images: Type, places: Type, lengths: Type, n: Type, first: Type, values: Type
) -> lanes.Declared:
    """Add lengths[k] · values[first + lane] to images[places[k] + first + lane]."""
    return _type(typing, images, places, lengths, n, first, values), _emit_scatter


gather_lanes: Callable[..., None] = intrinsic(_gather_type)
scatter_lanes: Callable[..., None] = intrinsic(_scatter_type)


class _Taps:
    """Taps of a ray, and the vectors at their voxels."""

    def __init__(
        self,
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: Signature,
        args: list[ir.Value],
    ) -> None:
        self.builder = builder
        kinds, (images, places, lengths, self.n, self.first, values) = signature.args, args
        self._images, self._places, self._lengths, self._values = (
            context.make_array(kinds[i])(context, builder, array).data
            for i, array in ((0, images), (1, places), (2, lengths), (5, values))
        )

    @property
    def values(self) -> ir.Value:
        """Pointer to the vector of values."""
        return self._vector(self._values, self.first)

    def length(self, k: ir.Value) -> ir.Value:
        """Return the length of a tap in all lanes."""
        value = self.builder.load(self.builder.gep(self._lengths, [k]))
        return lanes.spread(self.builder, value, LANES)

    def voxel(self, k: ir.Value) -> ir.Value:
        """Return a pointer to the vector at the voxel of a tap."""
        place = self.builder.load(self.builder.gep(self._places, [k]))
        at = self.builder.add(self.builder.zext(place, _PLACE), self.first)
        return self._vector(self._images, at)

    def _vector(self, data: ir.Value, index: ir.Value) -> ir.Value:
        return self.builder.bitcast(self.builder.gep(data, [index]), _REALS.as_pointer())

    def read(self, pointer: ir.Value) -> ir.Value:
        """Return a vector from any position of an array."""
        return self.builder.load(pointer, align=4)

    def plus_times(self, one: ir.Value, two: ir.Value, three: ir.Value) -> ir.Value:
        """Return one + two · three, fused if the processor has FMA."""
        return self.builder.fadd(one, self.builder.fmul(two, three, _FUSED), _FUSED)


def _emit_gather(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    taps = _Taps(context, builder, signature, args)
    total = cgutils.alloca_once_value(builder, ir.Constant(_REALS, [0.0] * LANES))
    with cgutils.for_range(builder, taps.n) as loop:
        values = taps.read(taps.voxel(loop.index))
        summed = taps.plus_times(builder.load(total), taps.length(loop.index), values)
        builder.store(summed, total)
    builder.store(builder.load(total), taps.values, align=4)
    return context.get_dummy_value()


def _emit_scatter(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    taps = _Taps(context, builder, signature, args)
    values = taps.read(taps.values)
    with cgutils.for_range(builder, taps.n) as loop:
        voxel = taps.voxel(loop.index)
        added = taps.plus_times(taps.read(voxel), taps.length(loop.index), values)
        builder.store(added, voxel, align=4)
    return context.get_dummy_value()

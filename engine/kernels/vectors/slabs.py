"""Trace 16 or 8 slabs of a ray at once: compute, weight and pack their taps in registers.

The results are those of `engine.kernels.rays.slice_tracing` and `engine.kernels.rays.time_weights`,
which process one slab after another. This module emits LLVM IR for processors with AVX-512 or AVX2
(`HAS_LANES`), so taps without length never reach memory. The integral of a TOF bin's weight is a
cubic on each of 32 parts. The coefficients are in registers, and each lane selects its own
(`engine.kernels.rays.tof`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.types import Type
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from engine.kernels import lanes
from engine.kernels.processor import HAS_AVX512, LANES
from engine.kernels.rays.bricks import SHIFT
from engine.kernels.rays.tof import N_LANES

MAX_PARTS = 0.85
"""Maximum number of parts per slab with which the ends of 8 slabs are within 8 parts."""

_REALS = ir.VectorType(ir.FloatType(), LANES)
_WHOLES = ir.VectorType(lanes.I32, LANES)
_FUSED = ("contract",)
_REAL_NAMES = ("u", "su", "ru", "v", "sv", "rv", "start", "stop", "top_u", "top_v")
_TIME_NAMES = ("first", "steps", "slabs")
_WHOLE_NAMES = ("layer", "step", "jump", "step_u", "jump_u", "step_v", "jump_v")


def _lanes_type(
    typing: Context, line: Type, layout: Type, n: Type, values_out: Type, places_out: Type
) -> lanes.Declared:
    """Trace n slabs and write the nonzero taps; return their number.

    line : u, its slope, its slabs per voxel, the same of v, start, stop, last u, last v; float32
    layout : first slab, then step and jump of main axis, u and v; see `engine.kernels.rays.bricks`
    values_out, places_out : output, with space for LANES more than the taps
    """
    del typing, line, layout, n
    kinds = types.UniTuple(types.float32, 10), types.UniTuple(types.int32, 7), types.int64
    return types.int64(*kinds, values_out, places_out), _emit_lanes


def _timed_lanes_type(
    typing: Context,
    line: Type,
    layout: Type,
    n: Type,
    values_out: Type,
    places_out: Type,
    curve: Type,
) -> lanes.Declared:
    """Do the same, with the integrals of a time bin's weight instead of lengths.

    line : in addition, start of the first slab from the centre of the bin [parts of the table],
        parts per slab, and slabs per part
    curve : (4 N_LANES,) coefficients
    """
    del typing, line, layout, n
    kinds = types.UniTuple(types.float32, 13), types.UniTuple(types.int32, 7), types.int64
    return types.int64(*kinds, values_out, places_out, curve), _emit_timed_lanes


trace_lanes: Callable[..., int] = intrinsic(_lanes_type)
trace_timed_lanes: Callable[..., int] = intrinsic(_timed_lanes_type)


class _Emitter:
    """Instructions on vectors of `LANES` slabs."""

    def __init__(
        self, context: BaseContext, builder: ir.IRBuilder, kinds: tuple[types.Array, ...],
        args: list[ir.Value], names: tuple[str, ...],
    ) -> None:  # fmt: skip
        self.context, self.builder = context, builder
        line, layout, n, self.values_out, self.places_out = args[:5]
        self.values_kind, self.places_kind = kinds[3], kinds[4]
        self.n = builder.trunc(n, lanes.I32)
        self.given = {
            name: lanes.spread(builder, builder.extract_value(part, i), LANES)
            for part, part_names in ((line, names), (layout, _WHOLE_NAMES))
            for i, name in enumerate(part_names)
        }
        self.end = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(64), 0))
        self.zero = ir.Constant(_REALS, [0.0] * LANES)
        self.one = ir.Constant(_REALS, [1.0] * LANES)

    def maximum(self, one: ir.Value, other: ir.Value) -> ir.Value:
        """Return the larger number of each lane; `other` if one is NaN.

        Parameters
        ----------
        one, other
            float32 vectors
        """
        return self.builder.select(self.builder.fcmp_ordered(">", one, other), one, other)

    def minimum(self, one: ir.Value, other: ir.Value) -> ir.Value:
        """Return the smaller number of each lane; `other` if one is NaN.

        Parameters
        ----------
        one, other
            float32 vectors
        """
        return self.builder.select(self.builder.fcmp_ordered("<", one, other), one, other)

    def plus_times(self, one: ir.Value, two: ir.Value, three: ir.Value) -> ir.Value:
        """Return one + two · three, fused if the processor has FMA."""
        return self.builder.fadd(one, self.builder.fmul(two, three, _FUSED), _FUSED)

    def voxel(self, place: ir.Value, top: ir.Value) -> ir.Value:
        """Return the voxel at a position, limited to the border."""
        limited = self.minimum(self.maximum(place, self.zero), top)
        return self.builder.fptosi(limited, _WHOLES)

    def place_of(self, voxel: ir.Value, axis: str = "") -> ir.Value:
        """Return the part of a position in memory that belongs to one voxel index.

        Parameters
        ----------
        voxel
            index of each lane
        axis
            "_u", "_v" or "" for the main axis
        """
        builder, given = self.builder, self.given
        brick = builder.lshr(voxel, lanes.spread(builder, ir.Constant(lanes.I32, SHIFT), LANES))
        jumps = builder.mul(brick, given["jump" + axis])
        return builder.add(builder.mul(voxel, given["step" + axis]), jumps)

    def crossing(
        self, one: ir.Value, other: ir.Value, at: ir.Value, per_slope: ir.Value, whole: ir.Value
    ) -> ir.Value:
        """Return the distance to the face between two voxels; the whole slab if they are the same.

        Parameters
        ----------
        one, other
            voxel index at the start and at the end of the slab
        at
            position at the start
        per_slope
            inverse slope
        whole
            length of the slab
        """
        builder = self.builder
        plane = builder.select(builder.icmp_signed(">", one, other), one, other)
        distance = builder.fsub(builder.sitofp(plane, _REALS), at)
        length = self.minimum(self.maximum(builder.fmul(distance, per_slope), self.zero), whole)
        return builder.select(builder.icmp_signed("==", one, other), whole, length)

    def block(self, k: ir.Value) -> tuple[ir.Value, list[ir.Value], list[ir.Value]]:
        """Return the start, the ends of the taps and the voxels of each slab, from slab k on."""
        builder, given = self.builder, self.given
        slab = builder.add(lanes.spread(builder, k, LANES), lanes.numbers(lanes.I32, LANES))
        real = builder.sitofp(slab, _REALS)
        a = self.maximum(real, given["start"])
        b = self.minimum(builder.fadd(real, self.one), given["stop"])
        whole = builder.fsub(b, a)
        crossings, firsts, steps = [], [], []
        for axis in "uv":
            places = [self.plus_times(given[axis], given["s" + axis], end) for end in (a, b)]
            one, other = (self.voxel(place, given["top_" + axis]) for place in places)
            crossings.append(self.crossing(one, other, places[0], given["r" + axis], whole))
            first, last = (self.place_of(voxel, "_" + axis) for voxel in (one, other))
            firsts.append(first)
            steps.append(builder.sub(last, first))
        at = builder.add(self.place_of(builder.add(given["layer"], slab)), builder.add(*firsts))
        is_u_first = builder.fcmp_ordered("<", *crossings)
        between = builder.add(at, builder.select(is_u_first, *steps))
        ends = [
            builder.select(is_u_first, *crossings),
            builder.select(is_u_first, *crossings[::-1]),
            whole,
        ]
        return a, ends, [at, between, builder.add(at, builder.add(*steps))]

    def keep(self, is_selected: ir.Value, length: ir.Value, place: ir.Value) -> None:
        """Append the selected lanes to the output.

        Parameters
        ----------
        is_selected
            mask
        length
            length in each voxel
        place
            position of each voxel in memory
        """
        builder, end = self.builder, self.builder.load(self.end)
        for values, array, kind in (
            (length, self.values_out, self.values_kind),
            (place, self.places_out, self.places_kind),
        ):
            pointer = lanes.vector_at(self.context, builder, array, kind, end, LANES)
            builder.store(lanes.compressed(builder, values, is_selected), pointer, align=4)
        count = builder.ctpop(builder.bitcast(is_selected, ir.IntType(LANES)))
        builder.store(builder.add(end, builder.zext(count, end.type)), self.end)

    def active(self, k: ir.Value) -> ir.Value:
        """Return a mask of the existing slabs, from slab k on."""
        return lanes.first_lanes(self.builder, self.builder.sub(self.n, k), LANES)


def _emit_lanes(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    if signature.args[3].dtype != types.float32:
        return _i64(0)  # never called; compiled with the rest
    emit = _Emitter(context, builder, signature.args, args, _REAL_NAMES)
    step = ir.Constant(lanes.I32, LANES)
    with cgutils.for_range_slice(builder, ir.Constant(lanes.I32, 0), emit.n, step, lanes.I32) as (
        k, _,
    ):  # fmt: skip
        _, (near, far, whole), places = emit.block(k)
        active = emit.active(k)
        lengths = (near, builder.fsub(far, near), builder.fsub(whole, far))
        for length, place in zip(lengths, places, strict=True):
            # Taps without length are dropped.
            is_any = builder.fcmp_unordered("!=", length, emit.zero)
            emit.keep(builder.and_(active, is_any), length, place)
    return builder.load(emit.end)


class _Curve(ABC):
    """Integral of the weight of a TOF bin: an odd function of the distance from its centre."""

    def __init__(self, emit: _Emitter, array: ir.Value, kind: types.Array) -> None:
        self.emit, self.array, self.kind = emit, array, kind
        self.last = ir.Constant(_REALS, [N_LANES - 1.0] * LANES)
        self.sign = ir.Constant(_WHOLES, [-(1 << 31)] * LANES)

    def at(self, ends: ir.Value) -> ir.Value:
        """Return the integral up to positions along the ray."""
        emit, builder = self.emit, self.emit.builder
        place = emit.plus_times(emit.given["first"], ends, emit.given["steps"])
        away = emit.minimum(lanes.absolute(builder, place), self.last)
        part = builder.fptosi(away, _WHOLES)
        t = builder.fsub(away, builder.sitofp(part, _REALS))
        # Horner's scheme
        value, *more = self.coefficients(part)
        for each in more:
            value = emit.plus_times(each, value, t)
        # Copy the sign bit of the position, because the function is odd.
        sign = builder.and_(builder.bitcast(place, _WHOLES), self.sign)
        return builder.bitcast(builder.xor(builder.bitcast(value, _WHOLES), sign), _REALS)

    @abstractmethod
    def coefficients(self, part: ir.Value) -> Iterator[ir.Value]:
        """Yield c_3, c_2, c_1 and c_0 of the part of each lane."""

    def from_memory(self, index: ir.Value) -> ir.Value:
        """Load the coefficients from an index on."""
        emit = self.emit
        pointer = lanes.vector_at(emit.context, emit.builder, self.array, self.kind, index, LANES)
        return emit.builder.load(pointer, align=4)


class _WholeCurve(_Curve):
    """The curve with all coefficients in registers (AVX-512)."""

    def __init__(self, emit: _Emitter, array: ir.Value, kind: types.Array) -> None:
        super().__init__(emit, array, kind)
        self.parts = [self.from_memory(_i64(n)) for n in range(0, 4 * N_LANES, LANES)]

    def coefficients(self, part: ir.Value) -> Iterator[ir.Value]:
        each = N_LANES // LANES
        for n in range(0, 4 * each, each):
            yield lanes.picked(self.emit.builder, part, self.parts[n : n + each])


class _NearCurve(_Curve):
    """The curve near a vector of slabs (AVX2): as many parts as lanes, loaded for each vector."""

    def coefficients(self, part: ir.Value) -> Iterator[ir.Value]:
        builder = self.emit.builder
        first = lanes.smallest(builder, part)
        most = ir.Constant(lanes.I32, N_LANES - LANES)
        first = builder.select(builder.icmp_signed("<", first, most), first, most)
        near = builder.sub(part, lanes.spread(builder, first, LANES))
        index = builder.sext(first, ir.IntType(64))
        for n in range(0, 4 * N_LANES, N_LANES):
            yield lanes.permuted(builder, self.from_memory(builder.add(index, _i64(n))), near)


def _emit_timed_lanes(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
) -> ir.Value:
    if signature.args[3].dtype != types.float32:
        return _i64(0)
    emit = _Emitter(context, builder, signature.args, args, _REAL_NAMES + _TIME_NAMES)
    curve = args[5], signature.args[5]
    if HAS_AVX512:
        _timed_blocks(emit, _WholeCurve(emit, *curve))
        return builder.load(emit.end)
    steps = builder.extract_value(args[0], len(_REAL_NAMES) + _TIME_NAMES.index("steps"))
    most = ir.Constant(ir.FloatType(), MAX_PARTS)
    # Short slabs: the parts that 8 of them touch fit into one vector.
    is_near = builder.fcmp_ordered("<", lanes.absolute(builder, steps), most)
    with builder.if_else(is_near, likely=True) as (near, far):
        with near:
            _timed_blocks(emit, _NearCurve(emit, *curve))
        with far:
            _timed_blocks(emit, _WholeCurve(emit, *curve))
    return builder.load(emit.end)


def _timed_blocks(emit: _Emitter, curve: _Curve) -> None:
    builder = emit.builder
    next_start = cgutils.alloca_once_value(builder, emit.zero)
    # From the last block to the first, because a slab ends where the next one begins.
    step, stop = ir.Constant(lanes.I32, -LANES), ir.Constant(lanes.I32, -1)
    begin = builder.and_(emit.n, step)
    with cgutils.for_range_slice(builder, begin, stop, step, lanes.I32, inc=False) as (k, _):
        _timed_block(emit, curve, next_start, k)


def _timed_block(emit: _Emitter, curve: _Curve, next_start: ir.Value, k: ir.Value) -> None:
    builder = emit.builder
    a, (near, far, whole), places = emit.block(k)
    start = curve.at(emit.minimum(a, emit.given["stop"]))
    next_lanes = ir.Constant(_WHOLES, list(range(1, LANES + 1)))
    ends = [
        curve.at(builder.fadd(a, near)),
        curve.at(builder.fadd(a, far)),
        builder.shuffle_vector(start, builder.load(next_start), next_lanes),
    ]
    builder.store(start, next_start)
    active, begin, begin_at = emit.active(k), start, emit.zero
    for end, end_at, place in zip(ends, (near, far, whole), places, strict=True):
        # In spite of rounding, a chord without length stays 0 and none is negative.
        length = builder.fmul(builder.fsub(end, begin), emit.given["slabs"])
        is_any = builder.and_(active, builder.fcmp_ordered(">", end_at, begin_at))
        emit.keep(is_any, emit.maximum(length, emit.zero), place)
        begin, begin_at = end, end_at


def _i64(n: int) -> ir.Value:
    return ir.Constant(ir.IntType(64), n)

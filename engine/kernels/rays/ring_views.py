"""What a ring scanner sees of each place through a body, view by view.

The lines of response of one view v whose tangential bins are all even, or all odd, are parallel in
the transaxial plane, and those of one ring difference Δ among them are parallel in space: what they
are for all rings r1 is a row of numbers, and so is what lies above a pixel. With w the weights that
all lines like one share, δ1 δ2 the efficiencies of its crystals beside them, and a = exp(−∫ μ) what
a body lets pass of it, rows of

w δ1 δ2 a    and    w

are interpolated to the middle of a pixel, between bins and between rings, and summed over views and
some Δ, each of which stands for those near it. Their ratio is what attenuation and crystals take
away of the sensitivity there: the same lines are in both sums, so it has no noise of sampling.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.vectors.rows import LANES, add_rows

# no reordered or fused operations: the same bits on any machine
_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)

ROOM = LANES
"""Padding of rows after the last ring, so that all vectors are complete."""
_STEP = 1e-9
"""Minimum step along a line, as a fraction of it."""
_FLAT = 1e-12
_OF_A_LINE = 16
"""Numbers in a cache line. Rows begin with one, because vectors across two lines take longer."""


class Views(NamedTuple):
    """Parallel lines of a ring, in bins 2 j or 2 j + 1 for j = −n_side … n_side.

    Attributes
    ----------
    radius, first_angle, n : of the ring [mm], of place 0 [rad], places on it
    n_side : even bins on one side of the middle one
    angles : (n_views,) int64, 2 v for even bins and 2 v − 1 for odd ones: angles in half steps
    crystals : (n_rings, n) float32 δ, 1 where crystals are as rings and places say
    places : (n,) float32, weights of places, 0 in gaps
    rings : (n_rings,) float32, weights of rings
    ring_difference : (n_views, n_apart) int64, signed ring differences that each view looks at
    stands_for : (n_apart,) float32, how many ring differences each of them stands for
    factors : (n_differences, n_off) float32, weights of lines by ring difference and bin |t|
    tilts : (n_differences, n_off) float32, length of a line over that of its transaxial one
    """

    radius: float
    first_angle: float
    n: int
    n_side: int
    angles: Array
    crystals: Array
    places: Array
    rings: Array
    ring_difference: Array
    stands_for: Array
    factors: Array
    tilts: Array


class Body(NamedTuple):
    """μ as rows of planes, (n_y, n_x, n_phases + 1, n_rings + 1 + ROOM) float32 [1/mm].

    Phase q of plane r is at r + q / n_phases ring distances from ring 0, a mean over as much; the
    last is of the planes of the rings, where all of a line within one ring lies.
    filled : (n_y, n_x) bool, whether a pixel has any; left, low : corner of the pixels [mm];
    width, height : of a pixel [mm]
    """

    values: Array
    filled: Array
    left: float
    low: float
    width: float
    height: float


class PixelCentres(NamedTuple):
    """Centres of the pixels that are looked at, (n_y,) and (n_x,) float64 [mm]."""

    y: Array
    x: Array


class ViewRows(NamedTuple):
    """Working space of one thread.

    integrals : (n_apart, n_rings + ROOM) float32; rows : (bins, n_apart, `row_size`) float32, both
    numbers of a ring side by side, from the first ring that has a line, then zeros
    """

    integrals: Array
    rows: Array


def row_size(n_rings: int) -> int:
    """Return the numbers of a row: a vector more than needed, up to the end of a cache line.

    Parameters
    ----------
    n_rings
        number of rings
    """
    return -(-(2 * n_rings + ROOM) // _OF_A_LINE) * _OF_A_LINE


@_KERNEL
def _end_of(views: Views, place: int) -> tuple[float, float]:
    angle = views.first_angle + 2 * math.pi * (place % views.n) / views.n
    return views.radius * math.cos(angle), views.radius * math.sin(angle)


@_KERNEL
def _reach(start: float, slope: float, size: int) -> tuple[float, float]:
    """Return where a coordinate enters and leaves [0, size), as parts of the way."""
    if abs(slope) < _FLAT:
        return (0.0, 1.0) if 0.0 <= start < size else (1.0, 0.0)
    one, other = -start / slope, (size - start) / slope
    return min(one, other), max(one, other)


@_KERNEL
def _add_pixel(plane: Array, length: float, at: float, first: int, stop: int, out: Array) -> None:
    """Add a pixel's μ to the rows of rings from `first` on, `at` phases above each of them."""
    n_phases = plane.shape[0] - 1
    low = math.floor(at)
    part = out.dtype.type(at - low)
    # floors of products: dividing whole numbers takes longer than adding the rows
    skip = math.floor((low + 0.5) * (1 / n_phases))
    skip_far = math.floor((low + 1.5) * (1 / n_phases))
    near, far = plane[low - skip * n_phases], plane[low + 1 - skip_far * n_phases]
    parts = out.dtype.type(length) * (1 - part), out.dtype.type(length) * part
    add_rows(out, near, far, (first, first + skip, first + skip_far), stop - first, parts)


@_KERNEL
def _add_own(plane: Array, length: float, out: Array) -> None:
    """Add a pixel's μ in the planes of the rings."""
    here = out.dtype.type(length)
    for ring in range(len(out)):
        out[ring] += here * plane[ring]


@_KERNEL
def _integrals(
    ring_difference: Array, body: Body, ends: tuple[float, float, float, float], out: Array
) -> bool:
    """∫ μ along the lines above one transaxial line, without their tilts.

    out : (n_apart, n_rings + ROOM). Returns whether any of them meets the body; where none does,
    `out` is left as it was.
    """
    met = False
    n_y, n_x, n_phases = body.values.shape[0], body.values.shape[1], body.values.shape[2] - 1
    n_rings = out.shape[1] - ROOM
    x, y = (ends[0] - body.left) / body.width, (ends[1] - body.low) / body.height
    dx, dy = (ends[2] - ends[0]) / body.width, (ends[3] - ends[1]) / body.height
    length = math.sqrt((ends[2] - ends[0]) ** 2 + (ends[3] - ends[1]) ** 2)
    enter_x, leave_x = _reach(x, dx, n_x)
    enter_y, leave_y = _reach(y, dy, n_y)
    s, leave = max(0.0, enter_x, enter_y), min(1.0, leave_x, leave_y)
    while s < leave:
        i = math.floor(x + dx * (s + _STEP))
        j = math.floor(y + dy * (s + _STEP))
        s_x = ((i + 1 if dx > 0.0 else i) - x) / dx if abs(dx) >= _FLAT else 2.0
        s_y = ((j + 1 if dy > 0.0 else j) - y) / dy if abs(dy) >= _FLAT else 2.0
        end = min(max(min(s_x, s_y), s + _STEP), leave)
        i, j = min(max(i, 0), n_x - 1), min(max(j, 0), n_y - 1)
        if body.filled[j, i]:
            if not met:
                out[:] = 0
                met = True
            for k in range(len(ring_difference)):
                at = 0.5 * n_phases * ring_difference[k] * (s + end)
                first, stop = (
                    max(0, -ring_difference[k]),
                    min(n_rings, n_rings - ring_difference[k]),
                )
                if ring_difference[k] == 0:
                    _add_own(body.values[j, i, n_phases], (end - s) * length, out[k])
                else:
                    _add_pixel(body.values[j, i], (end - s) * length, at, first, stop, out[k])
        s = end
    return met


@_KERNEL
def fill(views: Views, body: Body, number: int, buffers: ViewRows) -> None:
    """Work out the rows of all bins of a view."""
    integrals, rows = buffers
    angle, ring_difference = views.angles[number], views.ring_difference[number]
    n_rings = len(views.rings)
    odd = angle % 2
    view = (angle + odd) // 2
    rows[:] = 0
    for side in range(-views.n_side, views.n_side + 1):
        bin, off = side + views.n_side, abs(2 * side + odd)
        one, other = (view + side) % views.n, (view - side - odd + views.n // 2) % views.n
        weight = views.places[one] * views.places[other]
        if weight == 0 or off >= views.factors.shape[1]:
            continue
        x1, y1 = _end_of(views, one)
        x2, y2 = _end_of(views, other)
        met = body.values.size > 0 and _integrals(
            ring_difference, body, (x1, y1, x2, y2), integrals
        )
        for k in range(len(ring_difference)):
            far = ring_difference[k]
            factor = weight * views.stands_for[k] * views.factors[abs(far), off]
            tilt = views.tilts[abs(far), off]
            first = max(0, -far)
            for ring in range(first, min(n_rings, n_rings - far)):
                w = factor * views.rings[ring] * views.rings[ring + far]
                a = views.crystals[ring, one] * views.crystals[ring + far, other]
                if met:
                    a *= math.exp(-tilt * integrals[k, ring])
                rows[bin, k, 2 * (ring - first)] = w * a
                rows[bin, k, 2 * (ring - first) + 1] = w


@_KERNEL
def _add_view(views: Views, number: int, x: float, y: float, rows: Array, sums: Array) -> None:
    """Add the rows of a view to a pixel: sums (n_heights, 2 (n_rings + 1) + ROOM)."""
    at_angle, ring_difference = views.angles[number], views.ring_difference[number]
    n_rings, n_heights, step = len(views.rings), len(sums), 2 * math.pi / views.n
    angle = views.first_angle + step * (0.5 * at_angle + 0.25 * views.n)
    # across the lines, towards greater bins, and along them from the first crystal on
    across_x, across_y = math.cos(angle), math.sin(angle)
    off = x * across_x + y * across_y
    if abs(off) >= views.radius:
        return
    bin = math.asin(off / views.radius) / step + views.n_side - 0.5 * (at_angle % 2)
    low = math.floor(bin)
    if low < 0 or low >= 2 * views.n_side:
        return
    chord = 2 * math.sqrt(views.radius * views.radius - off * off)
    s = 0.5 + (y * across_x - x * across_y) / chord
    if s < 0.0 or s > 1.0:
        return
    part, per_height = rows.dtype.type(bin - low), 1 / n_heights
    parts = 1 - part, part
    for k in range(len(ring_difference)):
        first, last = max(0, -ring_difference[k]), min(n_rings, n_rings - ring_difference[k])
        at = math.floor(n_heights * ring_difference[k] * s + 0.5)
        skip = math.floor((at + 0.5) * per_height)
        height = at - skip * n_heights
        # whole vectors: what lies beyond the last ring is zero, and there is room for it
        starts = 2 * (first + skip), 0, 0
        add_rows(sums[height], rows[low, k], rows[low + 1, k], starts, 2 * (last - first), parts)


@_KERNEL
def spread(
    views: Views, pixels: PixelCentres, start: int, stop: int, first: int, rows: Array, sums: Array
) -> None:
    """Add the rows of the views from `first` on to some lines of pixels.

    rows : (n_views, bins, n_apart, `row_size`)
    sums : (2, n_y, n_x, n_heights, 2 (n_rings + 1) + ROOM) float32, of even and of odd views, both
    numbers of a ring side by side, at the heights k / n_heights ring distances above it
    """
    for j in range(start, stop):
        for i in range(len(pixels.x)):
            # pixel after pixel: what it sums stays in the processor's cache for all views
            for k in range(len(rows)):
                out = sums[(first + k) % 2, j, i]
                _add_view(views, first + k, pixels.x[i], pixels.y[j], rows[k], out)


@_KERNEL
def share_out(sums: Array, start: int, stop: int, first: float, step: float, slabs: Array) -> None:
    """Share the heights of some lines of pixels out over the slabs of an image.

    sums : of `spread`; first, step : middle of ring 0, and from height to height [slabs]; slabs :
    (2, 2, n_z, n_y, n_x) float64, of zeros: of even and odd views, both numbers
    """
    n_heights, n_z = sums.shape[3], slabs.shape[2]
    n_rows = n_heights * ((sums.shape[4] - ROOM) // 2)
    real = sums.dtype.type
    for half in range(2):
        for j in range(start, stop):
            for row in range(n_rows):
                ring, height = row // n_heights, row % n_heights
                middle = first + step * row
                low, high = middle - 0.5 * step, middle + 0.5 * step
                for z in range(max(0, math.floor(low)), min(n_z, math.ceil(high))):
                    inside = real(min(high, z + 1) - max(low, z))
                    for i in range(sums.shape[2]):
                        values = sums[half, j, i, height]
                        slabs[half, 0, z, j, i] += values[2 * ring] * inside
                        slabs[half, 1, z, j, i] += values[2 * ring + 1] * inside

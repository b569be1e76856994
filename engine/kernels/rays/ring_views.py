"""Sums over sampled lines of response of a ring scanner, with and without a body.

For each pixel, two sums over lines i through its centre are computed at several heights z:

    attenuated    Σ_i w_i δ1 δ2 a_i
    reference     Σ_i w_i

w : weight that all lines of the same ring difference and tangential bin share
δ1, δ2 : efficiencies of the two crystals relative to this weight
a = exp(−∫ μ) : attenuation factor of the body

The ratio of both sums is the share of the sensitivity that is left after attenuation and crystal
efficiencies. Both sums use the same lines, so their sampling noise cancels in the ratio.

Lines of one view with tangential bins of the same parity are parallel in the transaxial plane.
Lines of the same ring difference Δ among them are also parallel in space. `fill_rows`
therefore stores both numbers of all rings r1 as one row for each bin and Δ. `add_views`
interpolates these rows between bins to the centre of a pixel and adds them to its heights. A view
uses some ring differences only. Each of them represents the differences near it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.vectors.rows import LANES, add_rows

# No reordered or fused operations: the same bits on any machine.
_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)

PADDING = LANES
"""Padding of rows after the last ring, so that all vectors are complete."""
_STEP = 1e-9
"""Minimum step along a line, as a fraction of it."""
_FLAT = 1e-12
"""Pixels per line, below which a line is parallel to an axis."""
_CACHE_LINE = 16
"""float32 numbers of a cache line. Rows start with one: a vector across two lines is slower."""


class Views(NamedTuple):
    """Sampled views of a ring scanner: parallel lines in bins 2 j or 2 j + 1, j = −n_side … n_side.

    Attributes
    ----------
    radius : radius of the ring [mm]
    first_angle : angle of place 0 [rad]
    n : number of places on a ring
    n_side : number of even bins on each side of bin 0
    angles : (n_views,) int64, direction of the lines in half crystal steps: 2 v for even bins of
        view v, 2 v − 1 for odd bins
    crystals : (n_rings, n) float32 δ, relative to the weights of ring and place
    places : (n,) float32, weights of places; 0 in gaps
    rings : (n_rings,) float32, weights of rings
    ring_difference : (n_views, n_sampled) int64, signed ring differences that each view uses
    multiplicity : (n_sampled,) float32, number of ring differences that each represents
    factors : (n_differences, n_off) float32, weights of lines by |ring difference| and |bin|
    tilts : (n_differences, n_off) float32, length of a line relative to its transaxial projection
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
    multiplicity: Array
    factors: Array
    tilts: Array


class Body(NamedTuple):
    """μ of a body on a fine stack of transaxial planes.

    Attributes
    ----------
    values : (n_y, n_x, n_phases + 1, n_rings + 1 + PADDING) float32 [1/mm]. Phase q < n_phases of
        ring r is the mean over 1 / n_phases of a ring distance at height r + q / n_phases ring
        distances above ring 0. Phase n_phases is the plane of the ring itself, for lines within one
        ring.
    filled : (n_y, n_x) bool, True if a pixel has μ > 0 in any plane
    left, low : lower corner of the pixels [mm]
    width, height : size of a pixel [mm]
    """

    values: Array
    filled: Array
    left: float
    low: float
    width: float
    height: float


class PixelCentres(NamedTuple):
    """Centres of the pixels that get sums: y (n_y,) and x (n_x,), float64 [mm]."""

    y: Array
    x: Array


class ViewRows(NamedTuple):
    """Working memory for one view.

    Attributes
    ----------
    integrals : (n_sampled, n_rings + PADDING) float32
    rows : (n_bins, n_sampled, `row_size`) float32. The two numbers of a ring are adjacent. A row
        starts with the first ring that has a line and ends with zeros.
    """

    integrals: Array
    rows: Array


def row_size(n_rings: int) -> int:
    """Return the length of a row: one vector more than its numbers, rounded up to a cache line.

    Parameters
    ----------
    n_rings
        number of rings
    """
    return -(-(2 * n_rings + PADDING) // _CACHE_LINE) * _CACHE_LINE


@_KERNEL
def _end_of(views: Views, place: int) -> tuple[float, float]:
    angle = views.first_angle + 2 * math.pi * (place % views.n) / views.n
    return views.radius * math.cos(angle), views.radius * math.sin(angle)


@_KERNEL
def _clip(start: float, slope: float, size: int) -> tuple[float, float]:
    """Return where a coordinate enters and leaves [0, size), as fractions of the line."""
    if abs(slope) < _FLAT:
        return (0.0, 1.0) if 0.0 <= start < size else (1.0, 0.0)
    at_0, at_size = -start / slope, (size - start) / slope
    return min(at_0, at_size), max(at_0, at_size)


@_KERNEL
def _add_pixel(plane: Array, length: float, at: float, first: int, stop: int, out: Array) -> None:
    """Add length times μ of a pixel to the integrals of rings first ... stop − 1.

    at : height of the line above its first ring [phases]; μ is interpolated between two planes
    """
    n_phases = plane.shape[0] - 1
    low = math.floor(at)
    part = out.dtype.type(at - low)
    # Floors of products, because an integer division takes longer than adding the rows.
    skip = math.floor((low + 0.5) * (1 / n_phases))
    skip_upper = math.floor((low + 1.5) * (1 / n_phases))
    lower, upper = plane[low - skip * n_phases], plane[low + 1 - skip_upper * n_phases]
    parts = out.dtype.type(length) * (1 - part), out.dtype.type(length) * part
    add_rows(out, lower, upper, (first, first + skip, first + skip_upper), stop - first, parts)


@_KERNEL
def _add_own(plane: Array, length: float, out: Array) -> None:
    """Add length times μ of a pixel in the planes of the rings."""
    here = out.dtype.type(length)
    for ring in range(len(out)):
        out[ring] += here * plane[ring]


@_KERNEL
def _integrals(
    ring_difference: Array, body: Body, ends: tuple[float, float, float, float], out: Array
) -> bool:
    """Compute ∫ μ along all lines with the same transaxial projection, without their tilts.

    out : (n_sampled, n_rings + PADDING). Returns True if the projection crosses the body. Otherwise
        `out` is unchanged.
    """
    is_crossed = False
    n_y, n_x, n_phases = body.values.shape[0], body.values.shape[1], body.values.shape[2] - 1
    n_rings = out.shape[1] - PADDING
    x, y = (ends[0] - body.left) / body.width, (ends[1] - body.low) / body.height
    dx, dy = (ends[2] - ends[0]) / body.width, (ends[3] - ends[1]) / body.height
    length = math.sqrt((ends[2] - ends[0]) ** 2 + (ends[3] - ends[1]) ** 2)
    enter_x, leave_x = _clip(x, dx, n_x)
    enter_y, leave_y = _clip(y, dy, n_y)
    s, leave = max(0.0, enter_x, enter_y), min(1.0, leave_x, leave_y)
    while s < leave:
        i = math.floor(x + dx * (s + _STEP))
        j = math.floor(y + dy * (s + _STEP))
        s_x = ((i + 1 if dx > 0.0 else i) - x) / dx if abs(dx) >= _FLAT else 2.0
        s_y = ((j + 1 if dy > 0.0 else j) - y) / dy if abs(dy) >= _FLAT else 2.0
        end = min(max(min(s_x, s_y), s + _STEP), leave)
        i, j = min(max(i, 0), n_x - 1), min(max(j, 0), n_y - 1)
        if body.filled[j, i]:
            if not is_crossed:
                out[:] = 0
                is_crossed = True
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
    return is_crossed


@_KERNEL
def fill_rows(views: Views, body: Body, number: int, buffers: ViewRows) -> None:
    """Compute the rows of all bins of a view.

    Parameters
    ----------
    views
        sampled views
    body
        μ of the body
    number
        number of the view
    buffers
        working memory; its rows are written
    """
    integrals, rows = buffers
    angle, ring_difference = views.angles[number], views.ring_difference[number]
    n_rings = len(views.rings)
    odd = angle % 2
    view = (angle + odd) // 2
    rows[:] = 0
    for side in range(-views.n_side, views.n_side + 1):
        bin, off = side + views.n_side, abs(2 * side + odd)
        place1, place2 = (view + side) % views.n, (view - side - odd + views.n // 2) % views.n
        weight = views.places[place1] * views.places[place2]
        if weight == 0 or off >= views.factors.shape[1]:
            continue
        x1, y1 = _end_of(views, place1)
        x2, y2 = _end_of(views, place2)
        is_crossed = body.values.size > 0 and _integrals(
            ring_difference, body, (x1, y1, x2, y2), integrals
        )
        for k in range(len(ring_difference)):
            difference = ring_difference[k]
            factor = weight * views.multiplicity[k] * views.factors[abs(difference), off]
            tilt = views.tilts[abs(difference), off]
            first = max(0, -difference)
            for ring in range(first, min(n_rings, n_rings - difference)):
                w = factor * views.rings[ring] * views.rings[ring + difference]
                a = views.crystals[ring, place1] * views.crystals[ring + difference, place2]
                if is_crossed:
                    a *= math.exp(-tilt * integrals[k, ring])
                rows[bin, k, 2 * (ring - first)] = w * a
                rows[bin, k, 2 * (ring - first) + 1] = w


@_KERNEL
def _locate(views: Views, number: int, x: Array, y: float, places: Array) -> None:
    """Find some pixels of a row in a view.

    places : (3, n_pixels), which are written: lower bin, or −1 if a pixel is outside of the view;
        distance from this bin; fraction of the line between both rings
    """
    at_angle, step = views.angles[number], 2 * math.pi / views.n
    angle = views.first_angle + step * (0.5 * at_angle + 0.25 * views.n)
    # Perpendicular to the lines, towards larger bins.
    across_x, across_y = math.cos(angle), math.sin(angle)
    for i in range(len(x)):
        places[0, i] = -1.0
        distance = x[i] * across_x + y * across_y
        if abs(distance) >= views.radius:
            continue
        bin = math.asin(distance / views.radius) / step + views.n_side - 0.5 * (at_angle % 2)
        low = math.floor(bin)
        if low < 0 or low >= 2 * views.n_side:
            continue
        chord = 2 * math.sqrt(views.radius * views.radius - distance * distance)
        s = 0.5 + (y * across_x - x[i] * across_y) / chord
        if s < 0.0 or s > 1.0:
            continue
        places[0, i], places[1, i], places[2, i] = low, bin - low, s


@_KERNEL
def _add_view(ring_difference: Array, rows: Array, places: Array, sums: Array) -> None:
    """Add the rows of a view to the sums of some pixels.

    rows : (n_bins, n_sampled, `row_size`); places : from `_locate`
    sums : (n_pixels, n_heights, 2 (n_rings + 1) + PADDING)
    """
    n_pixels, n_heights, width = sums.shape
    n_rings, per_height = (width - PADDING) // 2 - 1, 1 / n_heights
    for k in range(len(ring_difference)):
        difference = ring_difference[k]
        first, last = max(0, -difference), min(n_rings, n_rings - difference)
        # The pixels in turn: a row of sums that was just written must not be read again at once.
        for i in range(n_pixels):
            low = int(places[0, i])
            if low < 0:
                continue
            part = rows.dtype.type(places[1, i])
            at = math.floor(n_heights * difference * places[2, i] + 0.5)
            skip = math.floor((at + 0.5) * per_height)
            height = at - skip * n_heights
            # Whole vectors: numbers after the last ring are 0, and `sums` has padding for them.
            starts = 2 * (first + skip), 0, 0
            parts = 1 - part, part
            add_rows(
                sums[i, height], rows[low, k], rows[low + 1, k], starts, 2 * (last - first), parts
            )


@_KERNEL
def add_views(
    views: Views, pixels: PixelCentres, start: int, stop: int, first: int, rows: Array,
    places: Array, sums: Array,
) -> None:  # fmt: skip
    """Add the rows of consecutive views to the pixel rows start ... stop − 1.

    Parameters
    ----------
    views
        sampled views
    pixels
        centres of the pixels
    start, stop
        range of pixel rows
    first
        number of the first view
    rows
        (n_views, n_bins, n_sampled, `row_size`), from `fill_rows`
    places
        (3, n) float64 working memory for n pixels at a time
    sums
        (2, n_y, n_x, n_heights, 2 (n_rings + 1) + PADDING) float32, which are added to: even and
        odd views; the two numbers of a ring are adjacent; height k is k / n_heights ring distances
        above the ring
    """
    n_x, at_once = len(pixels.x), places.shape[1]
    for j in range(start, stop):
        for i in range(0, n_x, at_once):
            # All views of a few pixels before the next ones: their sums stay in the cache.
            x, n = pixels.x[i : i + at_once], min(at_once, n_x - i)
            for k in range(len(rows)):
                _locate(views, first + k, x, pixels.y[j], places)
                out = sums[(first + k) % 2, j, i : i + n]
                _add_view(views.ring_difference[first + k], rows[k], places, out)


@_KERNEL
def add_to_slabs(
    sums: Array, start: int, stop: int, first: float, step: float, slabs: Array
) -> None:
    """Distribute the heights of pixel rows over the slabs of an image.

    Parameters
    ----------
    sums
        from `add_views`
    start, stop
        range of pixel rows
    first
        position of the centre of ring 0 [slabs]
    step
        distance of two heights [slabs]
    slabs
        (2, 2, n_z, n_y, n_x) float64, which are added to: even and odd views, then both sums
    """
    n_heights, n_z = sums.shape[3], slabs.shape[2]
    n_rows = n_heights * ((sums.shape[4] - PADDING) // 2)
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

"""Expected and measured counts of all lines of response through a cylindrical source.

A line that crosses the source between its inner and its outer radius has the activity

    S = (L_outer − L_inner) exp(−μ L_outer),    L_R = 2 √(R² − s²) / sin θ

s : distance of the line from the axis of the source [mm]
θ : angle between the line and the axis
R : outer or inner radius [mm]; L_R is limited to the length of the source
μ : linear attenuation coefficient of the source [1/mm]

Lines farther than `reach` from the axis are left out: near the rim, L changes within the width of a
crystal. The expected counts of a line are

    λ = S ε1 ε2 g(Δ, |t|) m(p, |t|)

with crystal efficiencies ε and tables g and m. Δ is the ring difference, t the tangential bin and p
the place of a crystal in its block. Sums are computed for each crystal and each class of lines
(`engine.geometry.ring`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)


class SourceNumbers(NamedTuple):
    """Cylindrical source parallel to the scanner axis, solid or hollow.

    Attributes
    ----------
    x, y, z : centre [mm]
    outer, inner : radii [mm]; `inner` is 0 for a solid source
    half_length : half of its length [mm]
    mu : linear attenuation coefficient [1/mm]
    reach : largest distance of a line from the axis of the source [mm]
    """

    x: float
    y: float
    z: float
    outer: float
    inner: float
    half_length: float
    mu: float
    reach: float


class RingNumbers(NamedTuple):
    """Sizes of a ring scanner.

    Attributes
    ----------
    n : crystals of a ring
    n_rings : number of rings
    n_off : number of values of |t|
    low, high : range of tangential bins, low ≤ t < high
    max_ring_difference : largest ring difference
    block : crystals of a block along a ring
    """

    n: int
    n_rings: int
    n_off: int
    low: int
    high: int
    max_ring_difference: int
    block: int


class LineTables(NamedTuple):
    """Factors or sums.

    Attributes
    ----------
    crystals : (n_crystals,), by crystal
    geometry : (n_differences, n_off), by ring difference and |t|
    interference : (n_places, n_off), by place in the block and |t|
    """

    crystals: Array
    geometry: Array
    interference: Array


@_KERNEL
def within(x0: float, y0: float, dx: float, dy: float, radius: float) -> tuple[float, float]:
    """Return where a line enters and leaves a circle about 0, as fractions of (dx, dy).

    Parameters
    ----------
    x0, y0
        start of the line
    dx, dy
        from start to end
    radius
        radius of the circle

    Returns
    -------
    two equal values if the line misses the circle
    """
    a = dx * dx + dy * dy
    b = -(x0 * dx + y0 * dy)
    root = b * b - a * (x0 * x0 + y0 * y0 - radius * radius)
    if root <= 0.0 or radius <= 0.0:
        return 0.0, 0.0
    root = math.sqrt(root)
    return (b - root) / a, (b + root) / a


@_KERNEL
def overlap(enter: float, leave: float, first: float, last: float) -> float:
    """Return the length of the intersection of two intervals.

    Parameters
    ----------
    enter, leave
        first interval
    first, last
        second interval
    """
    return max(0.0, min(leave, last) - max(enter, first))


@_KERNEL
def activity(p: Array, q: Array, source: SourceNumbers) -> float:
    """Return S of the line between two points.

    Parameters
    ----------
    p, q
        (3,) end points [mm]
    source
        the source

    Returns
    -------
    S in mm; 0 if the line is outside of the reach
    """
    x0, y0 = p[0] - source.x, p[1] - source.y
    dx, dy, dz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    flat = dx * dx + dy * dy
    cross = x0 * dy - y0 * dx
    if flat == 0.0 or cross * cross > source.reach * source.reach * flat:
        return 0.0
    # part of the line within the length of the source, as fractions
    first, last = 0.0, 1.0
    z0 = p[2] - source.z
    if dz != 0.0:
        at_low, at_high = (-source.half_length - z0) / dz, (source.half_length - z0) / dz
        first, last = max(first, min(at_low, at_high)), min(last, max(at_low, at_high))
    elif abs(z0) > source.half_length:
        return 0.0
    length = math.sqrt(flat + dz * dz)
    enter, leave = within(x0, y0, dx, dy, source.outer)
    outer = overlap(enter, leave, first, last) * length
    # the same part inside of the hollow, which contains no activity but attenuates
    enter, leave = within(x0, y0, dx, dy, source.inner)
    inner = overlap(enter, leave, first, last) * length
    return (outer - inner) * math.exp(-source.mu * outer)


@_KERNEL
def line_class(one: int, other: int, ring: RingNumbers) -> tuple[int, int, int, bool]:
    """Return the class of a crystal pair.

    Parameters
    ----------
    one, other
        crystals
    ring
        the scanner

    Returns
    -------
    ring difference, |t|, place in the block, and True if the pair is a line
    """
    place, facing = one % ring.n, other % ring.n
    t = (place - facing) % ring.n - ring.n // 2
    stride = abs(one // ring.n - other // ring.n)
    # views are counted over half a turn; in the other half the sign of t is reversed
    view = (place - (t >> 1)) % ring.n
    signed = t if view < ring.n // 2 else -t
    is_line = stride <= ring.max_ring_difference and ring.low <= signed < ring.high
    near = place if t > 0 or (t == 0 and place < facing) else facing
    return stride, abs(t), near % ring.block, is_line


@_KERNEL
def _add(
    sums: LineTables, one: int, other: int, stride: int, off: int, near: int, value: float
) -> None:
    """Add a value to both crystals of a line and to its classes."""
    sums.crystals[one] += value
    sums.crystals[other] += value
    sums.geometry[stride, off] += value
    sums.interference[near, off] += value


@_KERNEL
def add_expected(
    first_view: int,
    last_view: int,
    ring: RingNumbers,
    places: Array,
    source: SourceNumbers,
    tables: LineTables,
    sums: LineTables,
) -> None:
    """Add λ of the lines of some views to their crystals and classes.

    Parameters
    ----------
    first_view, last_view
        range of views
    ring
        the scanner
    places
        (n_crystals, 3) positions [mm]
    source
        the source
    tables
        factors of crystals and classes
    sums
        sums by crystal and class, which are added to
    """
    for view in range(first_view, last_view):
        for t in range(ring.low, ring.high):
            # the crystals of a sinogram bin: (t + 1) >> 1 rounds up, so that each t has its own
            # pair
            first = (view + (t >> 1)) % ring.n
            second = (view - ((t + 1) >> 1) + ring.n // 2) % ring.n
            _, off, near, _ = line_class(first, second, ring)
            for r1 in range(ring.n_rings):
                one = r1 * ring.n + first
                for r2 in range(
                    max(0, r1 - ring.max_ring_difference),
                    min(ring.n_rings, r1 + ring.max_ring_difference + 1),
                ):
                    other = r2 * ring.n + second
                    weight = tables.crystals[one] * tables.crystals[other]
                    # broken crystals have factor 0
                    if weight == 0.0:
                        continue
                    stride = abs(r1 - r2)
                    weight *= tables.geometry[stride, off] * tables.interference[near, off]
                    weight *= activity(places[one], places[other], source)
                    _add(sums, one, other, stride, off, near, weight)


@_KERNEL
def add_counts(
    crystals: Array,
    counts: Array,
    ring: RingNumbers,
    places: Array,
    source: SourceNumbers,
    sums: LineTables,
    squares: LineTables,
) -> None:
    """Add measured counts to their crystals and classes.

    Parameters
    ----------
    crystals
        (n, 2) crystals of the lines
    counts
        (n,) counts, negative for delayeds
    ring
        the scanner
    places
        (n_crystals, 3) positions [mm]
    source
        the source
    sums
        sums by crystal and class, which are added to
    squares
        sums of |counts|, the Poisson variances, which are added to
    """
    for k in range(len(crystals)):
        one, other = crystals[k, 0], crystals[k, 1]
        stride, off, near, is_line = line_class(one, other, ring)
        if not is_line or activity(places[one], places[other], source) <= 0.0:
            continue
        _add(sums, one, other, stride, off, near, counts[k])
        _add(squares, one, other, stride, off, near, abs(counts[k]))

"""Back projection of all lines of response of a ring scanner, those above one another at once.

Lines that differ in their rings alone lie above the same line of the transaxial plane, whose length
between the crystals is D. Where that line is at the part s of its way, a line from ring r1 to r2 is
at z = z1 + (z2 − z1) s. What slab k of the image has of the lines of ring difference Δ up to s is

G_Δk(s) = Σ_{|r1 − r2| = Δ} u_r1 u_r2 ∫_0^s [z(s') in slab k] ds'

and a pixel that the transaxial line crosses from s to s' gets from all lines above it

v Σ_Δ g_Δ √(D² + (Δ p)²) (G_Δk(s') − G_Δk(s))

with u and v the weights of rings and of the transaxial line, g_Δ that of lines of this ring
difference, p the distance of the rings. So a transaxial line costs one row of slabs for each pixel
it crosses, however many lines lie above it. G is tabulated over s, exact at its nodes. Lines along
faces give each side half, as in `engine.kernels.rays.slice_tracing`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.rays.slice_tracing import ON_FACE

# no reordered or fused operations: the same bits for any number of threads
_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)

N_NODES = 512
"""Steps of s in the tables: about 1 mm of a line, less than the distance of lines in a pixel."""


class RingPairs(NamedTuple):
    """Ring pairs: positions of both rings [slabs], their difference, and their weights."""

    first: Array
    second: Array
    ring_difference: Array
    weights: Array


class TransaxialLines(NamedTuple):
    """Lines of the transaxial plane, sorted by the class of their lengths and factors.

    ends (n, 4) float64, x, y of both [pixels]; weights (n,) float64; starts (n_classes + 1,) int64,
    where each class begins; factors (n_classes, n_apart) float64, g √(D² + (Δ p)²) [mm].
    """

    ends: Array
    weights: Array
    starts: Array
    factors: Array


@_KERNEL
def tabulate(pairs: RingPairs, low: int, table: Array) -> None:
    """Fill G of the slabs from `low` on: table (n_apart, n_nodes + 1, n_slabs), of zeros."""
    n_apart, n_ends, n_slabs = table.shape
    n_nodes = n_ends - 1
    for row in range(len(pairs.weights)):
        first, ring_difference = pairs.first[row] - low, pairs.ring_difference[row]
        slope, weight = pairs.second[row] - pairs.first[row], pairs.weights[row]
        if slope == 0.0:
            # the slabs of what lies a hair below and above: the same one but on a face
            for beside in (-ON_FACE, ON_FACE):
                slab = math.floor(first + beside)
                if 0 <= slab < n_slabs:
                    for node in range(n_nodes):
                        table[ring_difference, node + 1, slab] += 0.5 * weight / n_nodes
            continue
        lowest, highest = min(first, first + slope), max(first, first + slope)
        for slab in range(max(0, math.floor(lowest)), min(n_slabs, math.ceil(highest))):
            one, other = (slab - first) / slope, (slab + 1 - first) / slope
            enter, leave = max(0.0, min(one, other)), min(1.0, max(one, other))
            node = int(enter * n_nodes)
            while node < n_nodes and node < leave * n_nodes:
                part = min(leave, (node + 1) / n_nodes) - max(enter, node / n_nodes)
                table[ring_difference, node + 1, slab] += weight * max(part, 0.0)
                node += 1
    for ring_difference in range(n_apart):
        for node in range(n_nodes):
            for slab in range(n_slabs):
                table[ring_difference, node + 1, slab] += table[ring_difference, node, slab]


@_KERNEL
def _fill_profiles(table: Array, factors: Array, out: Array) -> None:
    """Sum a table over ring differences, for each class of lines: (n_nodes + 1, n_slabs)."""
    for node in range(table.shape[1]):
        out[: len(factors), node] = 0.0
        # a row of the table is used for all classes, and their sums stay in the cache
        for ring_difference in range(table.shape[0]):
            for kind in range(len(factors)):
                factor = factors[kind, ring_difference]
                for slab in range(table.shape[2]):
                    out[kind, node, slab] += factor * table[ring_difference, node, slab]


@_KERNEL
def _up_to(profile: Array, s: float, out: Array) -> None:
    """Interpolate the profile at s in [0, 1]."""
    n_nodes = profile.shape[0] - 1
    node = min(int(s * n_nodes), n_nodes - 1)
    part = s * n_nodes - node
    for slab in range(profile.shape[1]):
        below = profile[node, slab]
        out[slab] = below + part * (profile[node + 1, slab] - below)


@_KERNEL
def _within(start: float, slope: float, size: int) -> tuple[float, float]:
    """Return where a coordinate enters and leaves [0, size), as fractions of the path."""
    if slope == 0.0:
        return (0.0, 1.0) if 0.0 <= start < size else (1.0, 0.0)
    one, other = -start / slope, (size - start) / slope
    return min(one, other), max(one, other)


@_KERNEL
def _half_pixel(start: float, slope: float) -> tuple[float, float]:
    """Return where a line along a face is half a pixel to either side, any other where it is."""
    face = round(start + 0.5 * slope)
    if abs(slope) < ON_FACE and abs(start + 0.5 * slope - face) < ON_FACE:
        return face - 0.5, face + 0.5
    return start, start


@_KERNEL
def _add_line(line: Array, weight: float, profile: Array, buffers: Array, sums: Array) -> None:
    """Add all lines above a transaxial one, or above those on either side of a face it is in."""
    dx, dy = line[2] - line[0], line[3] - line[1]
    x, y = _half_pixel(line[0], dx), _half_pixel(line[1], dy)
    if x[0] == x[1] and y[0] == y[1]:
        _add_path(line[0], line[1], dx, dy, weight, profile, buffers, sums)
        return
    for side in range(2):
        _add_path(x[side], y[side], dx, dy, 0.5 * weight, profile, buffers, sums)


@_KERNEL
def _add_path(
    x: float, y: float, dx: float, dy: float, weight: float,
    profile: Array, buffers: Array, sums: Array,
) -> None:  # fmt: skip
    """Add to the pixels on a transaxial way: sums (n_y, n_x, n_slabs); room (2, n_slabs)."""
    n_y, n_x, n_slabs = sums.shape
    enter_x, leave_x = _within(x, dx, n_x)
    enter_y, leave_y = _within(y, dy, n_y)
    s, leave = max(0.0, enter_x, enter_y), min(1.0, leave_x, leave_y)
    if not s < leave:
        return
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    # the next planes between pixels that it meets: of either axis, in order
    plane_x = math.floor(x + dx * s) + 1 if dx > 0.0 else math.ceil(x + dx * s) - 1
    plane_y = math.floor(y + dy * s) + 1 if dy > 0.0 else math.ceil(y + dy * s) - 1
    before, after = buffers[0], buffers[1]
    _up_to(profile, s, before)
    while s < leave:
        s_x = (plane_x - x) / dx if dx != 0.0 else 2.0
        s_y = (plane_y - y) / dy if dy != 0.0 else 2.0
        end = min(s_x, s_y, leave)
        middle = 0.5 * (s + end)
        i = min(max(math.floor(x + dx * middle), 0), n_x - 1)
        j = min(max(math.floor(y + dy * middle), 0), n_y - 1)
        _up_to(profile, end, after)
        for slab in range(n_slabs):
            sums[j, i, slab] += weight * (after[slab] - before[slab])
        before, after = after, before
        plane_x += step_x if s_x <= end else 0
        plane_y += step_y if s_y <= end else 0
        s = end


@_KERNEL
def add_lines(
    lines: TransaxialLines, table: Array, profiles: Array, buffers: Array, sums: Array
) -> None:
    """Add all lines above all transaxial ones to the slabs of a table.

    profiles : (n, n_nodes + 1, n_slabs) of n classes at a time, and room : (2, n_slabs), to work
    in; sums : (n_y, n_x, n_slabs)
    """
    n_classes, at_once = len(lines.starts) - 1, len(profiles)
    for first in range(0, n_classes, at_once):
        stop = min(first + at_once, n_classes)
        if lines.starts[first] < lines.starts[stop]:
            _fill_profiles(table, lines.factors[first:stop], profiles)
        for kind in range(first, stop):
            for row in range(lines.starts[kind], lines.starts[kind + 1]):
                line, weight = lines.ends[row], lines.weights[row]
                _add_line(line, weight, profiles[kind - first], buffers, sums)

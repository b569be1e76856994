"""Back projection of all lines of response of a ring scanner, grouped by transaxial projection.

Lines that differ only in their rings have the same projection onto the transaxial plane. Its length
between the crystals is D. At the fraction s of it, a line from ring r1 to ring r2 has the height
z = z1 + (z2 − z1) s. The lines of ring difference Δ are inside slab k of the image for

    G_Δk(s) = Σ_{|r1 − r2| = Δ} u_r1 u_r2 ∫_0^s [z(s') in slab k] ds'

up to s. If the projection crosses a pixel from s to s', all its lines together add

    v Σ_Δ g_Δ √(D² + (Δ p)²) (G_Δk(s') − G_Δk(s))

to slab k of this pixel.

u_r : weight of ring r
v : weight of the transaxial line
g_Δ : weight of ring difference Δ
p : distance between neighbouring rings [mm]

The cost of a transaxial line is one row of slabs for each pixel that it crosses. It does not depend
on the number of ring pairs. G is tabulated over s and is exact at the nodes of the table. A line
along a face adds half to each side, as in `engine.kernels.rays.slice_tracing`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.rays.slice_tracing import ON_FACE

# No reordered or fused operations: the same bits for any number of threads.
_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)

_ENTRIES = 256
"""Entries of a table that are summed together. Loops over the few slabs of a node are slower."""
N_NODES = 512
"""Intervals of s in the tables, about 1 mm of a line, which is less than the distance of lines."""


class RingPairs(NamedTuple):
    """Ring pairs of the scanner.

    Attributes
    ----------
    first, second : (n_pairs,) float64, positions of both rings [slabs]
    ring_difference : (n_pairs,) int64, |r1 − r2|
    weights : (n_pairs,) float64, u_r1 u_r2
    """

    first: Array
    second: Array
    ring_difference: Array
    weights: Array


class TransaxialLines(NamedTuple):
    """Lines of the transaxial plane, sorted by class; a class has the same length and factors.

    Attributes
    ----------
    ends : (n, 4) float64, x, y of the first and the second end [pixels]
    weights : (n,) float64, v
    starts : (n_classes + 1,) int64, first line of each class
    factors : (n_classes, n_differences) float64, g √(D² + (Δ p)²) [mm]
    """

    ends: Array
    weights: Array
    starts: Array
    factors: Array


@_KERNEL
def tabulate(pairs: RingPairs, low: int, table: Array) -> None:
    """Compute the table of G for the slabs `low`, `low` + 1, ...

    Parameters
    ----------
    pairs
        ring pairs
    low
        first slab of the table
    table
        (n_differences, n_nodes + 1, n_slabs), initially 0, which is written
    """
    n_differences, n_ends, n_slabs = table.shape
    n_nodes = n_ends - 1
    for row in range(len(pairs.weights)):
        first, ring_difference = pairs.first[row] - low, pairs.ring_difference[row]
        slope, weight = pairs.second[row] - pairs.first[row], pairs.weights[row]
        if slope == 0.0:
            # A line on the face between two slabs counts half in each; elsewhere both are the same.
            for offset in (-ON_FACE, ON_FACE):
                slab = math.floor(first + offset)
                if 0 <= slab < n_slabs:
                    for node in range(n_nodes):
                        table[ring_difference, node + 1, slab] += 0.5 * weight / n_nodes
            continue
        lowest, highest = min(first, first + slope), max(first, first + slope)
        for slab in range(max(0, math.floor(lowest)), min(n_slabs, math.ceil(highest))):
            enter_at, leave_at = (slab - first) / slope, (slab + 1 - first) / slope
            enter, leave = max(0.0, min(enter_at, leave_at)), min(1.0, max(enter_at, leave_at))
            node = int(enter * n_nodes)
            while node < n_nodes and node < leave * n_nodes:
                part = min(leave, (node + 1) / n_nodes) - max(enter, node / n_nodes)
                table[ring_difference, node + 1, slab] += weight * max(part, 0.0)
                node += 1
    for ring_difference in range(n_differences):
        for node in range(n_nodes):
            for slab in range(n_slabs):
                table[ring_difference, node + 1, slab] += table[ring_difference, node, slab]


@_KERNEL
def _fill_profiles(table: Array, factors: Array, out: Array) -> None:
    """Sum the table over ring differences: (n_classes, n_nodes + 1, n_slabs)."""
    n = table.shape[1] * table.shape[2]
    entries, sums = table.reshape((len(table), n)), out.reshape((len(out), n))
    for first in range(0, n, _ENTRIES):
        stop = min(first + _ENTRIES, n)
        # Parts of all these classes and of a row of the table fit in the first cache of a core.
        sums[: len(factors), first:stop] = 0.0
        for ring_difference in range(len(table)):
            for i_class in range(len(factors)):
                factor = factors[i_class, ring_difference]
                # Counted from 0: an index that could be negative would prevent vectors.
                row, total = entries[ring_difference, first:stop], sums[i_class, first:stop]
                for k in range(total.size):
                    total[k] += factor * row[k]


@_KERNEL
def _up_to(profile: Array, s: float, out: Array) -> None:
    """Interpolate a profile at s in [0, 1]."""
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
    at_0, at_size = -start / slope, (size - start) / slope
    return min(at_0, at_size), max(at_0, at_size)


@_KERNEL
def _half_pixel(start: float, slope: float) -> tuple[float, float]:
    """Return coordinates half a pixel on each side if a line runs along a face, else its own."""
    face = round(start + 0.5 * slope)
    if abs(slope) < ON_FACE and abs(start + 0.5 * slope - face) < ON_FACE:
        return face - 0.5, face + 0.5
    return start, start


@_KERNEL
def _add_line(line: Array, weight: float, profile: Array, buffers: Array, sums: Array) -> None:
    """Add all lines with one transaxial projection; a line along a face adds half on each side."""
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
    """Add to the pixels of a transaxial path.

    buffers : (2, n_slabs) working memory; sums : (n_y, n_x, n_slabs)
    """
    n_y, n_x, n_slabs = sums.shape
    enter_x, leave_x = _within(x, dx, n_x)
    enter_y, leave_y = _within(y, dy, n_y)
    s, leave = max(0.0, enter_x, enter_y), min(1.0, leave_x, leave_y)
    if not s < leave:
        return
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    # Next planes between pixels along x and y.
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
    """Add all lines to the slabs of a table.

    Parameters
    ----------
    lines
        transaxial lines
    table
        from `tabulate`
    profiles
        (n, n_nodes + 1, n_slabs) working memory for n classes at a time
    buffers
        (2, n_slabs) working memory
    sums
        (n_y, n_x, n_slabs), which are added to
    """
    n_classes, n_profiles = len(lines.starts) - 1, len(profiles)
    for first in range(0, n_classes, n_profiles):
        stop = min(first + n_profiles, n_classes)
        if lines.starts[first] < lines.starts[stop]:
            _fill_profiles(table, lines.factors[first:stop], profiles)
        for i_class in range(first, stop):
            for row in range(lines.starts[i_class], lines.starts[i_class + 1]):
                line, weight = lines.ends[row], lines.weights[row]
                _add_line(line, weight, profiles[i_class - first], buffers, sums)

"""Photons that scatter twice: what pairs of scatter points send to pairs of detector samples.

A call takes the rows [start, stop) one after the other, in one thread; every row is written by one
call alone, and its terms are added in a fixed order, so that results have the same bits for any
number of threads. The formulas stand in `engine.scatter.twice`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.scatter import decay
from engine.kernels.scatter_paths import Paths
from engine.plain import Plain

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)
_TILE = 4


class Legs(NamedTuple):
    """Ways from a scatter point to another one, (n,) each."""

    first: Array  # scatter point
    second: Array
    directions: Array  # (n, 3) unit vector from the first to the second
    weights: Array  # of the first [mm²] times solid angle, length and attenuation at the second
    attenuation: Array  # line integral of mu at 511 keV between them
    activity: Array  # line integral of activity between them


class TwiceTables(NamedTuple):
    """Tables over the cosine of a scattering angle, from -1 to 1."""

    chance: Array  # (m,) of the only scattering, per steradian, times what is counted
    growth: Array  # (m,) attenuation after it over that at 511 keV
    former: Array  # (parts, m) of the first of two, per steradian; an even number of parts
    latter: Array  # (parts, m) of the second of two: summed over parts, times what is counted
    growth_of_both: Array  # (m,) attenuation after the second of two


@_INLINE
def _place(cosine: float, n: int) -> tuple[int, float]:
    at = (min(max(cosine, -1.0), 1.0) + 1.0) * 0.5 * (n - 1)
    k = min(int(at), n - 2)
    return k, at - k


@_INLINE
def _read(table: Array, which: int, k: int, part: float) -> float:
    return float(table[k, which] + part * (table[k + 1, which] - table[k, which]))


def side_by_side(tables: TwiceTables) -> tuple[Array, Array]:
    """Return (m, 2 + parts) and (m, 3 + parts): what one angle reads lies together."""
    first = [tables.chance, tables.growth, *tables.former]
    second = [tables.chance, tables.growth, tables.growth_of_both, *tables.latter]
    return np.stack(first, axis=1), np.stack(second, axis=1)


@_KERNEL
def read_means(
    start: int, stop: int, values: Array, ends: tuple[Array, Array], n_steps: int, means: Array
) -> None:
    """Fill the means over steps of the ways [start, stop), linear between middles of voxels.

    ends : (n, 3) each, x y z counted in voxels from the middle of the first: beyond that, and
        beyond the middle of the last, there is nothing
    """
    n_z, n_y, n_x = values.shape
    begin, end = ends
    for row in range(start, stop):
        total = 0.0
        for k in range(n_steps):
            part = (k + 0.5) / n_steps
            x = begin[row, 0] + part * (end[row, 0] - begin[row, 0])
            y = begin[row, 1] + part * (end[row, 1] - begin[row, 1])
            z = begin[row, 2] + part * (end[row, 2] - begin[row, 2])
            if min(x, y, z) < 0.0 or x > n_x - 1 or y > n_y - 1 or z > n_z - 1:
                continue
            i, j, low = int(x), int(y), int(z)
            for corner in range(8):
                far, up, above = corner & 1, corner >> 1 & 1, corner >> 2
                weight = (x - i if far else 1 - x + i) * (y - j if up else 1 - y + j)
                weight *= z - low if above else 1 - z + low
                if weight > 0.0:  # at the middle of the last voxel there is none behind
                    total += weight * values[low + above, j + up, i + far]
        means[row] = total / n_steps


@_KERNEL
def fill_legs(
    start: int, stop: int, legs: Legs, paths: Paths, tables: tuple[Array, Array], firsts: Array,
    seconds: Array,
) -> None:  # fmt: skip
    """Fill what the legs [start, stop) send to each sample from either end.

    tables : `side_by_side`
    firsts, seconds : (legs, 1 + parts, samples); at 0 each end turned one photon of a pair that
        was emitted between them, then parts of one photon that both ends turned
    """
    first, second = tables
    n, parts = len(first), firsts.shape[1] - 1
    for leg in range(start, stop):
        one, two = legs.first[leg], legs.second[leg]
        weight, between = legs.weights[leg], legs.attenuation[leg]
        shared = weight * legs.activity[leg] * math.exp(-between)
        x, y, z = legs.directions[leg]
        for d in range(firsts.shape[2]):
            to = paths.directions[one, :, d]
            k, part = _place(-(x * to[0] + y * to[1] + z * to[2]), n)
            growth = _read(first, 1, k, part)
            own = paths.seen[one, d] * decay(growth * paths.attenuation[one, d])
            firsts[leg, 0, d] = shared * own * _read(first, 0, k, part)
            value = weight * paths.reaching[one, d] * paths.total[one, d]
            value *= decay(growth * between)
            for i in range(parts):
                firsts[leg, 1 + i, d] = value * _read(first, 2 + i, k, part)
            to = paths.directions[two, :, d]
            k, part = _place(x * to[0] + y * to[1] + z * to[2], n)
            seen, mu = paths.seen[two, d], paths.attenuation[two, d]
            once = decay(_read(second, 1, k, part) * mu)
            seconds[leg, 0, d] = seen * _read(second, 0, k, part) * once
            value = seen * decay(_read(second, 2, k, part) * mu)
            for i in range(parts):
                seconds[leg, 1 + i, d] = value * _read(second, 3 + i, k, part)


@_INLINE
def _add_tile(firsts: Array, seconds: Array, i: int, a: int, out: Array) -> None:
    """Add part i of `_TILE` legs to what one sample sees: the sums are fetched once for them."""
    one, two, three, four = firsts[0, i, a], firsts[1, i, a], firsts[2, i, a], firsts[3, i, a]
    first, second, third, last = seconds[0, i], seconds[1, i], seconds[2, i], seconds[3, i]
    for b in range(out.size):
        out[b] += (one * first[b] + two * second[b]) + (three * third[b] + four * last[b])


@_KERNEL
def add_legs(
    start: int, stop: int, firsts: Array, seconds: Array, shared: Array, turned: Array
) -> None:
    """Add legs to the samples [start, stop) that their first end sends to.

    shared, turned : (samples, samples) sums of pairs of which each photon scattered once, and of
        those of which one did twice; the first sample sees the first end
    """
    n, whole = seconds.shape[2], len(firsts) // _TILE * _TILE
    for begin in range(0, whole, _TILE):  # what few legs send stays in the nearest cache
        mine, other = firsts[begin : begin + _TILE], seconds[begin : begin + _TILE]
        for a in range(start, stop):
            _add_tile(mine, other, 0, a, shared[a])
            for i in range(1, firsts.shape[1]):
                _add_tile(mine, other, i, a, turned[a])
    for leg in range(whole, len(firsts)):
        for a in range(start, stop):
            for i in range(firsts.shape[1]):
                value, out = firsts[leg, i, a], shared[a] if i == 0 else turned[a]
                for b in range(n):
                    out[b] += value * seconds[leg, i, b]

"""Photons that scatter twice: what pairs of scatter points send to pairs of detector samples.

A call takes the rows [start, stop) one after the other, in one thread; every row is written by one
call alone, and its terms are added in a fixed order, so that results have the same bits for any
number of threads. The formulas stand in `engine.scatter.twice`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numba import njit

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.scatter import Paths
from engine.plain import Plain

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)


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
    former: Array  # (parts, m) of the first of two, per steradian
    latter: Array  # (parts, m) of the second of two: summed over parts, times what is counted
    growth_of_both: Array  # (m,) attenuation after the second of two


@_INLINE
def _place(cosine: float, n: int) -> tuple[int, float]:
    at = (min(max(cosine, -1.0), 1.0) + 1.0) * 0.5 * (n - 1)
    k = min(int(at), n - 2)
    return k, at - k


@_INLINE
def _read(table: Array, k: int, part: float) -> float:
    return float(table[k] + part * (table[k + 1] - table[k]))


@_KERNEL
def fill_legs(
    start: int, stop: int, legs: Legs, paths: Paths, tables: TwiceTables, firsts: Array,
    seconds: Array,
) -> None:  # fmt: skip
    """Fill what the legs [start, stop) send to each sample from either end.

    firsts, seconds : (legs, 1 + parts, samples); at 0 each end turned one photon of a pair that
        was emitted between them, then parts of one photon that both ends turned
    """
    n = tables.chance.size
    parts = len(tables.former)
    for leg in range(start, stop):
        one, two = legs.first[leg], legs.second[leg]
        weight, between = legs.weights[leg], legs.attenuation[leg]
        shared = weight * legs.activity[leg] * math.exp(-between)
        x, y, z = legs.directions[leg]
        for d in range(firsts.shape[2]):
            to = paths.directions[one, d]
            k, part = _place(-(x * to[0] + y * to[1] + z * to[2]), n)
            seen, mu = paths.seen[one, d], paths.attenuation[one, d]
            growth = _read(tables.growth, k, part)
            firsts[leg, 0, d] = (
                shared * seen * _read(tables.chance, k, part) * math.exp(-growth * mu)
            )
            value = weight * seen * paths.activity[one, d, 0] * math.exp(-mu - growth * between)
            for i in range(parts):
                firsts[leg, 1 + i, d] = value * _read(tables.former[i], k, part)
            to = paths.directions[two, d]
            k, part = _place(x * to[0] + y * to[1] + z * to[2], n)
            seen, mu = paths.seen[two, d], paths.attenuation[two, d]
            once = math.exp(-_read(tables.growth, k, part) * mu)
            seconds[leg, 0, d] = seen * _read(tables.chance, k, part) * once
            value = seen * math.exp(-_read(tables.growth_of_both, k, part) * mu)
            for i in range(parts):
                seconds[leg, 1 + i, d] = value * _read(tables.latter[i], k, part)


@_KERNEL
def add_legs(
    start: int, stop: int, firsts: Array, seconds: Array, shared: Array, turned: Array
) -> None:
    """Add legs to the samples [start, stop) that their first end sends to.

    shared, turned : (samples, samples) sums of pairs of which each photon scattered once, and of
        those of which one did twice; the first sample sees the first end
    """
    n = seconds.shape[2]
    for a in range(start, stop):
        for leg in range(len(firsts)):
            for i in range(firsts.shape[1]):
                value = firsts[leg, i, a]
                row = shared[a] if i == 0 else turned[a]
                other = seconds[leg, i]
                for b in range(n):
                    row[b] += value * other[b]

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


@_KERNEL
def add_legs(
    start: int, stop: int, firsts: Array, seconds: Array, shared: Array, turned: Array
) -> None:
    """Add legs to the samples [start, stop) that their first end sends to.

    shared, turned : (samples, samples) sums of pairs of which each photon scattered once, and of
        those of which one did twice; the first sample sees the first end
    """
    n = seconds.shape[2]
    for begin in range(0, len(firsts), _TILE):  # what few legs send stays in the nearest cache
        end = min(begin + _TILE, len(firsts))
        for a in range(start, stop):
            once, often = shared[a], turned[a]
            for leg in range(begin, end):
                value, other = firsts[leg, 0, a], seconds[leg, 0]
                for b in range(n):
                    once[b] += value * other[b]
                for i in range(1, firsts.shape[1], 2):  # two by two: sums are fetched half as often
                    value, other = firsts[leg, i, a], seconds[leg, i]
                    more, beside = firsts[leg, i + 1, a], seconds[leg, i + 1]
                    for b in range(n):
                        often[b] += value * other[b] + more * beside[b]

"""Single scatter: contributions of scatter points to pairs of detector samples.

`engine.corrections.scatter_estimation.simulation` has the formulas. A call processes the rows
[start, stop) in sequence, in one thread. Each row is written by one call only, and its terms are
added in a fixed order, so the bits do not depend on the number of threads.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.rays.decay import decay_single
from engine.kernels.scatter.paths import Paths, Steps

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)


class AngleTables(NamedTuple):
    """Tables over the cosine of the scattering angle, from `least` to 1."""

    least: float
    chance: Array  # per steradian, times the relative efficiency of the energy window
    growth: Array  # attenuation after scatter relative to that before, minus 1


class QuickTables(NamedTuple):
    """The same in float32, with a polynomial instead of one table, which needs no loads."""

    least: float
    chance: Array
    growth: Array  # (10,) coefficients of the powers of 1 − cosine, constant first


@_INLINE
def _look_up(table: Array, at: float) -> float:
    k = min(int(at), table.size - 2)
    return float(table[k] + (at - k) * (table[k + 1] - table[k]))


@_INLINE
def _add_bins(blurred: Array, weight: float, at: float, stride: int, sign: int, out: Array) -> None:
    """Add the differences between neighbouring edges; at : first edge in `blurred`."""
    last = blurred.size - 1
    n_bins = out.size
    k = math.floor(at)
    part = at - k
    before = 0.0
    for t in range(n_bins + 1):
        i = k + t * stride
        low, high = min(max(i, 0), last), min(max(i + 1, 0), last)
        value = blurred[low] + part * (blurred[high] - blurred[low])
        if t > 0:
            out[t - 1 if sign > 0 else n_bins - t] += weight * (value - before)
        before = value


@_INLINE
def _curve(x: np.float32, c: Array) -> np.float32:
    """Return the value of a polynomial of degree 9; c : coefficients, constant first."""
    high = c[4] + x * (c[5] + x * (c[6] + x * (c[7] + x * (c[8] + x * c[9]))))
    return np.float32(c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * high))))


@_INLINE
def _turned(one: Array, other: Array, s: int) -> np.float32:
    """Return the cosine of the scattering angle at a point between two samples."""
    along = one[0, s] * other[0, s] + one[1, s] * other[1, s] + one[2, s] * other[2, s]
    return np.float32(-along)


@_INLINE
def _is_counted(one: Array, other: Array, least: np.float32) -> bool:
    """Return True if the pair detects photons that scatter at any of the points."""
    ahead = np.int32(0)
    for s in range(one.shape[1]):
        ahead += np.int32(1) if _turned(one, other, s) > least else np.int32(0)
    return bool(ahead > 0)


@_INLINE
def _of_pair(
    one: Array, other: Array, least: np.float32, chances: Array, growths: Array
) -> np.float32:
    """Return the sum over points of the counts of a pair; rows as for `add_untimed`."""
    last, zero, whole = np.int32(chances.size - 2), np.float32(0), np.float32(1)
    scale = np.float32(chances.size - 1) / (whole - least)
    total = zero
    for s in range(one.shape[1]):
        cosine = _turned(one, other, s)
        ahead = cosine - least
        at = ahead * scale
        at = at if at > zero else zero
        k = np.int32(at)
        k = k if k < last else last
        chance = chances[np.uint32(k)]
        chance += (at - np.float32(k)) * (chances[np.uint32(k + np.int32(1))] - chance)
        growth = _curve(whole - cosine, growths)
        # Either photon of the pair can be the scattered one.
        both = one[5, s] * decay_single(growth * other[4, s])
        both += other[5, s] * decay_single(growth * one[4, s])
        value = one[3, s] * other[3, s] * chance * both
        total += value if ahead > zero else zero
    return total


@_KERNEL
def add_untimed(
    start: int, stop: int, partners: Array, weights: Array, rows: Array, angles: QuickTables,
    sums: Array,
) -> None:  # fmt: skip
    """Add the single scatter of some points to the pairs of samples [start, stop), without TOF.

    Parameters
    ----------
    start, stop
        range of first samples
    partners
        (samples, samples) bool, True if two samples are a pair; the lower number is first
    weights
        (points,) volume times attenuation of each scatter point [mm²]
    rows
        (samples, 6, points) float32 of the paths: directions x, y and z, detection factor of
        photons that do not scatter on the path, attenuation, activity
    angles
        tables over the scattering angle
    sums
        (samples, samples) float64, which are added to
    """
    own = np.empty(rows.shape[1:], np.float32)
    least, chances, growths = np.float32(angles.least), angles.chance, angles.growth
    for a in range(start, stop):
        own[:] = rows[a]
        own[3] *= weights
        for b in range(a + 1, len(partners)):
            # Neighbouring points scatter photons by similar angles.
            if partners[a, b] and _is_counted(own, rows[b], least):
                sums[a, b] += _of_pair(own, rows[b], least, chances, growths)


@_KERNEL
def add_pairs(
    start: int, stop: int, partners: Array, weights: Array, paths: Paths, angles: AngleTables,
    steps: Steps, edges: tuple[float, int], table: Array,
) -> None:  # fmt: skip
    """Add the single scatter of some points to the TOF bins of the pairs of samples [start, stop).

    Parameters
    ----------
    start, stop
        range of first samples
    partners, weights
        as for `add_untimed`
    paths
        paths from the points to the samples
    angles
        tables over the scattering angle
    steps
        time steps of the paths
    edges
        first edge of the TOF bins [mm], and steps in each bin
    table
        (samples, samples, bins) sums, towards the second sample, which are added to
    """
    first_mm, stride = edges
    scale = (angles.chance.size - 1) / (1.0 - angles.least)
    for a in range(start, stop):
        for s in range(len(weights)):
            weight_a = weights[s] * paths.seen[s, a]
            if weight_a == 0.0:
                continue
            to_a = paths.directions[s, :, a]
            mu_a, length_a = paths.attenuation[s, a], paths.length_mm[s, a]
            active_a = paths.activity[s, a]
            for b in range(a + 1, len(partners)):
                if not partners[a, b]:
                    continue
                to_b = paths.directions[s, :, b]
                cosine = -(to_a[0] * to_b[0] + to_a[1] * to_b[1] + to_a[2] * to_b[2])
                if cosine <= angles.least:
                    continue
                active_b = paths.activity[s, b]
                if paths.total[s, a] + paths.total[s, b] == 0.0:
                    continue
                at = (cosine - angles.least) * scale
                growth, mu_b = _look_up(angles.growth, at), paths.attenuation[s, b]
                common = weight_a * paths.seen[s, b] * _look_up(angles.chance, at)
                common *= math.exp(-mu_a - mu_b)
                # Either photon of the pair can be the scattered one.
                one = common * math.exp(-growth * mu_b)
                other = common * math.exp(-growth * mu_a)
                apart = 0.5 * (paths.length_mm[s, b] - length_a)
                where = (first_mm + apart - steps.first_mm) / steps.step_mm
                _add_bins(active_a, one, where, stride, 1, table[a, b])
                where = (first_mm - apart - steps.first_mm) / steps.step_mm
                _add_bins(active_b, other, where, stride, -1, table[a, b])

"""Single scatter: contributions of scatter points to pairs of detector samples.

`engine.corrections.scatter_estimation.simulation` has the formulas. A call processes the rows
[start, stop) in sequence, in one thread. Each row is written by one call only, and its terms are
added in a fixed order, so the bits do not depend on the number of threads.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.scatter.paths import Paths, Steps

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)


class AngleTables(NamedTuple):
    """Tables over the cosine of the scattering angle, from `least` to 1."""

    least: float
    chance: Array  # per steradian, times the relative efficiency of the energy window
    growth: Array  # attenuation after scatter relative to that before, minus 1


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
        as for `untimed_scatter.add_untimed`
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
                offset_mm = 0.5 * (paths.length_mm[s, b] - length_a)
                where = (first_mm + offset_mm - steps.first_mm) / steps.step_mm
                _add_bins(active_a, one, where, stride, 1, table[a, b])
                where = (first_mm - offset_mm - steps.first_mm) / steps.step_mm
                _add_bins(active_b, other, where, stride, -1, table[a, b])

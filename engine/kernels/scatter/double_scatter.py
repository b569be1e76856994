"""Double scatter: contributions of pairs of scatter points to pairs of detector samples.

`engine.corrections.scatter_estimation.double_scatter` has the formulas. A call processes the legs
[start, stop) in sequence, in one thread. Contributions are float32, so that matrix products process
twice as many at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.processor import LANES
from engine.kernels.rays.decay import decay_single
from engine.kernels.scatter.path_segments import Legs
from engine.kernels.scatter.paths import Paths
from engine.kernels.vectors.gathered import ROW, gathered_rows
from engine.kernels.vectors.registers import write

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)
N_STEPS = 4096
"""Number of steps of the cosine."""
_NEGLIGIBLE = 1e-9
"""Smaller values, relative to the maximum of a table, are set to 0."""


class TwiceTables(NamedTuple):
    """Tables over the cosine of a scattering angle, from −1 to 1.

    m is the number of cosines, and `parts` the number of products that approximate q.
    """

    chance: Array  # (m,) p of the only scattering, per steradian, times relative efficiency
    growth: Array  # (m,) attenuation after it, relative to 511 keV
    former: Array  # (parts, m) factors of the first of two, per steradian; an even number of parts
    latter: Array  # (parts, m) factors of the second of two, times relative efficiency
    growth_of_both: Array  # (m,) attenuation after the second of two


def side_by_side(tables: TwiceTables) -> tuple[Array, Array]:
    """Return the table values of each angle, first 2 + parts and then 3 + parts.

    Some rows of `ROW` numbers have all values for one step of the cosine, in float32; the rest of
    the last row is 0. Errors of the steps cancel over many paths.

    Parameters
    ----------
    tables
        tables over the cosine
    """
    cosine = np.linspace(-1, 1, tables.chance.size)
    middles = (np.arange(N_STEPS) + 0.5) * (2 / N_STEPS) - 1
    first = [tables.chance, tables.growth, *tables.former]
    second = [tables.chance, tables.growth, tables.growth_of_both, *tables.latter]
    return _stacked(first, cosine, middles), _stacked(second, cosine, middles)


def _stacked(columns: list[Array], cosine: Array, middles: Array) -> Array:
    read = np.stack([np.interp(middles, cosine, each) for each in columns], axis=1)
    # Negligible values are set to 0, because denormal float32 numbers are slow.
    read[np.abs(read) < _NEGLIGIBLE * np.abs(read).max(axis=0)] = 0.0
    filled = np.zeros((N_STEPS, -(-len(columns) // ROW) * ROW), np.float32)
    filled[:, : len(columns)] = read
    return filled.reshape(-1, ROW)


@_INLINE
def _step(cosine: float) -> int:
    return min(max(int((cosine + 1.0) * (N_STEPS / 2)), 0), N_STEPS - 1)


@_INLINE
def _read(
    table: Array, towards: Array, direction: tuple[float, float, float], steps: Array, out: Array
) -> None:
    """Fill the columns of a table, (columns, filled), at the angles between a direction and paths.

    steps : working space, (filled,) int32; filled : the number of samples, rounded up to whole
        registers; steps of the rest are 0
    """
    x, y, z = direction
    n_rows, flat = len(table) // N_STEPS, out.reshape(-1)
    for d in range(towards.shape[1]):
        step = _step(x * towards[0, d] + y * towards[1, d] + z * towards[2, d])
        steps[d] = n_rows * step
    for first in range(0, steps.size, LANES):
        for row in range(n_rows):
            at = row * ROW * steps.size + first
            a, b, c, d = gathered_rows(table, steps, first, row)
            write(a, flat, at)
            write(b, flat, at + steps.size)
            write(c, flat, at + 2 * steps.size)
            write(d, flat, at + 3 * steps.size)


@_KERNEL
def fill_legs(
    start: int, stop: int, legs: Legs, paths: Paths, tables: tuple[Array, Array], firsts: Array,
    seconds: Array,
) -> None:  # fmt: skip
    """Write the contributions of the legs [start, stop) to each sample, from both ends.

    Parameters
    ----------
    start, stop
        range of legs
    legs
        paths between two scatter points
    paths
        paths from scatter points to detector samples
    tables
        from `side_by_side`
    firsts, seconds
        (1 + parts, legs, samples) float32, which are written: at 0, each end scatters one photon of
        a pair emitted between them; then the parts of one photon that both ends scatter
    """
    first, second = tables
    parts, n = len(firsts) - 1, firsts.shape[2]
    filled = -(-n // LANES) * LANES
    steps, columns = np.zeros(filled, np.int32), ROW * (max(len(first), len(second)) // N_STEPS)
    read = np.empty((columns, filled), np.float32)
    for leg in range(start, stop):
        one, two = legs.first[leg], legs.second[leg]
        weight, between = np.float32(legs.weights[leg]), np.float32(legs.attenuation[leg])
        shared = weight * np.float32(legs.activity[leg]) * decay_single(between)
        x, y, z = legs.directions[leg]
        _read(first, paths.directions[one], (-x, -y, -z), steps, read)
        for d in range(n):
            mu = np.float32(paths.attenuation[one, d])
            own = np.float32(paths.seen[one, d]) * decay_single(read[1, d] * mu)
            firsts[0, leg, d] = shared * own * read[0, d]
            value = weight * np.float32(paths.reaching[one, d] * paths.total[one, d])
            read[1, d] = value * decay_single(read[1, d] * between)
        for i in range(parts):
            for d in range(n):
                firsts[1 + i, leg, d] = read[1, d] * read[2 + i, d]
        _read(second, paths.directions[two], (x, y, z), steps, read)
        for d in range(n):
            seen, mu = np.float32(paths.seen[two, d]), np.float32(paths.attenuation[two, d])
            seconds[0, leg, d] = seen * read[0, d] * decay_single(read[1, d] * mu)
            read[2, d] = seen * decay_single(read[2, d] * mu)
        for i in range(parts):
            for d in range(n):
                seconds[1 + i, leg, d] = read[2, d] * read[3 + i, d]

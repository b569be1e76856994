"""From singles to coincidences: dead time of blocks, time windows, multiples, delayeds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.judge.compiled import cached
from tests.judge.pairs import RANDOM, SCATTERED, TRUE, Coincidences, may_coincide
from tests.judge.scanners import Scanner, block_of
from tests.judge.singles import Singles

Array = NDArray[Any]
ALL, NONE, LARGEST = range(3)


def after_dead_time(
    singles: Singles, scanner: Scanner, dead_s: float, *, is_paralysable: bool
) -> Singles:
    """Return the singles that a block accepts: at least `dead_s` after the previous one.

    The previous one is the last accepted single, or, for a paralysable block, the last single.
    """
    taken = np.zeros(len(singles), bool)
    free_at = np.zeros(scanner.n_blocks)
    _take(singles.time_s, singles.crystal, scanner.crystals, dead_s, is_paralysable, free_at, taken)
    return singles.take(taken)


@cached
def _take(times, crystal, crystals, dead_s, is_paralysable, free_at, taken):
    for k in range(len(times)):
        block = block_of(crystals, crystal[k])
        taken[k] = times[k] >= free_at[block]
        if taken[k] or is_paralysable:
            free_at[block] = times[k] + dead_s


def coincidences(
    singles: Singles,
    scanner: Scanner,
    *,
    window_s: float,
    delay_s: float = 0.0,
    multiples: int = ALL,
    min_module_distance: int = 1,
) -> Coincidences:
    """Pair singles with a time difference below `window_s`, optionally after a delay.

    Parameters
    ----------
    singles : ordered by time
    scanner : scanner of the singles
    window_s : τ; independent singles of rates S1, S2 pair at the rate 2τ S1 S2
    delay_s : the second single of a delayed pair comes between this time and τ later; 0 for
        prompts
    multiples : which pairs to return if several share a single: ALL, NONE, or the one with the
        LARGEST energy
    min_module_distance : minimum number of modules between the two
    """
    n_most = 1024 + 4 * len(singles)
    rows = np.empty((n_most, 2), np.int64)
    n = _pair(
        singles.time_s,
        singles.crystal,
        scanner.crystals,
        window_s,
        delay_s,
        min_module_distance,
        rows,
    )
    if n < 0:
        raise ValueError(f"more than {n_most} pairs of {len(singles)} singles: τ is too long.")
    rows = _without_multiples(rows[:n], singles.kev, multiples)
    # the order of detection would otherwise reveal which one is nearer
    rows = np.where(rows[:, :1] % 2 == 0, rows[:, ::-1], rows)
    return _described(singles, rows, delay_s)


@cached
def _pair(times, crystal, crystals, window_s, delay_s, min_module_distance, rows):
    n, first = 0, 0
    for i in range(len(times)):
        first = max(first, i + 1)
        while first < len(times) and times[first] < times[i] + delay_s:
            first += 1
        k = first
        while k < len(times) and times[k] < times[i] + delay_s + window_s:
            if may_coincide(crystals, crystal[i], crystal[k], min_module_distance):
                if n == len(rows):
                    return -1
                rows[n, 0], rows[n, 1] = i, k
                n += 1
            k += 1
    return n


def _without_multiples(rows: Array, kev: Array, multiples: int) -> Array:
    if multiples == ALL or not len(rows):
        return rows
    if multiples == NONE:
        uses = np.bincount(rows.ravel())
        return rows[(uses[rows] == 1).all(axis=1)]
    energy = kev[rows].sum(axis=1, dtype=float)
    best = np.zeros(rows.max() + 1)
    np.maximum.at(best, rows[:, 0], energy)
    np.maximum.at(best, rows[:, 1], energy)
    return rows[(energy[:, None] >= best[rows]).all(axis=1)]


def _described(singles: Singles, rows: Array, delay_s: float) -> Coincidences:
    one, other = rows[:, 0], rows[:, 1]
    scatters = singles.scatters[rows]
    is_of_one = singles.decay[one] == singles.decay[other]
    of_one = np.where(scatters.any(axis=1), SCATTERED, TRUE)
    apart_s = singles.time_s[one] - singles.time_s[other]
    apart_s -= np.copysign(delay_s, apart_s)
    return Coincidences(
        crystals=singles.crystal[rows],
        tof_ps=(apart_s * 1e12).astype(np.float32),
        kev=singles.kev[rows],
        decay_mm=singles.decay_mm[one],
        scatters=scatters,
        kind=np.where(is_of_one, of_one, RANDOM).astype(np.uint8),
        n_decays=singles.n_decays,
    )

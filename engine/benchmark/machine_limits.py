"""What this machine can do at best: the memory's rate, arithmetic, and scattered sums.

triad: a(i) = b(i) + c d(i), McCalpin's STREAM (1995), 12 bytes each in float32
multiply-add: x ← x m + c in registers, two operations each
random adds: a(random i) += 1, in memory far larger than the caches

Figures of a benchmark that stand beside them can be read on another machine, and on a busy one.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np
from numba import get_num_threads, njit, prange, set_num_threads

from engine.arrays import Array
from engine.plain import Plain

TRIAD_VALUES = 1 << 24
"""192 MiB of three arrays: beyond the caches of most processors."""
LANES, CHAIN, STEPS = 2048, 16, 1 << 12
"""Numbers that are multiplied side by side, how often in registers, and how often again."""
ADDS = 1 << 22


@njit(parallel=True, fastmath=True, cache=True)
def _triad(out: Array, b: Array, d: Array, c: float) -> None:
    for i in prange(len(out)):
        out[i] = b[i] + np.float32(c) * d[i]


@njit(parallel=True, fastmath=True, cache=True)
def _multiply_add(out: Array, m: float, c: float) -> None:
    factor, more = np.float32(m), np.float32(c)
    for t in prange(out.shape[0]):
        for _ in range(STEPS):
            for i in range(LANES):
                x = out[t, i]
                for _ in range(CHAIN):  # unrolled, so that the loop around it is done in vectors
                    x = x * factor + more
                out[t, i] = x


@njit(parallel=True, cache=True)
def _add_at(sums: Array, places: Array) -> None:
    for t in prange(places.shape[0]):
        for i in places[t]:
            sums[t, i] += np.float32(1)


def measure(threads: int, repeats: int = 3) -> Plain:
    """Return the limits, medians of `repeats`, for each second of one processor in use."""
    before = get_num_threads()
    set_num_threads(min(threads, before))
    try:
        return {name: _rate(n, work, repeats) for name, (n, work) in _works(threads).items()}
    finally:
        set_num_threads(before)


def _works(threads: int) -> dict[str, tuple[float, Callable[[], None]]]:
    """Return what is done once in each, in the unit of its rate, and what does it."""
    b, d = (np.ones(TRIAD_VALUES, np.float32) for _ in range(2))
    out, lanes = np.empty_like(b), np.ones((threads, LANES), np.float32)
    rng = np.random.default_rng(1)
    sums = np.zeros((threads, TRIAD_VALUES // threads), np.float32)
    places = rng.integers(0, sums.shape[1], (threads, ADDS), dtype=np.int32)
    return {
        "triad_gb_per_s": (12e-9 * TRIAD_VALUES, lambda: _triad(out, b, d, 3.0)),
        "multiply_add_gflop_per_s": (
            2e-9 * threads * LANES * CHAIN * STEPS,
            lambda: _multiply_add(lanes, 0.999, 0.001),
        ),
        "random_adds_m_per_s": (1e-6 * threads * ADDS, lambda: _add_at(sums, places)),
    }


def _rate(n: float, work: Callable[[], None], repeats: int) -> float:
    work()  # compile, and touch the memory
    seconds = []
    for _ in range(repeats):
        before = process_time()
        work()
        seconds.append(process_time() - before)
    return n / median(seconds)

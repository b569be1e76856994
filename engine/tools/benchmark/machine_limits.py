"""Limits of this machine with several threads: memory, arithmetic and random adds.

With these numbers, benchmark results can be compared between machines, and with a busy one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import process_time

import numpy as np

from engine.core.json_types import Plain
from engine.kernels.machine_limits import CHAIN, add_at, multiply_add, triad

VALUES = 1 << 23
"""float32 values per array and thread: larger than the caches of most processors."""
LANES, STEPS = 2048, 1 << 12
"""Values that stay in the first-level cache, and number of passes over them."""
ADDS = 1 << 22


def measure(threads: int, repeats: int = 3) -> Plain:
    """Return the limits, per second of one CPU in use.

    Parameters
    ----------
    threads
        number of threads
    repeats
        runs of each limit; the median counts

    Returns
    -------
    limits
        rates by the keys of `AMOUNTS`
    """
    # Each thread has its own arrays, so that they do not share a cache
    works = [_works(seed) for seed in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        return {
            name: _rate([of[name] for of in works], amount * threads, pool, repeats)
            for name, amount in AMOUNTS.items()
        }


AMOUNTS = {
    "triad_gb_per_s": 12e-9 * VALUES,
    "multiply_add_gflop_per_s": 2e-9 * LANES * CHAIN * STEPS,
    "random_adds_m_per_s": 1e-6 * ADDS,
}
"""Work of one thread in one run, in the unit of the rate."""


def _works(seed: int) -> dict[str, Callable[[], None]]:
    out, b, d = (np.ones(VALUES, np.float32) for _ in range(3))
    lanes = np.ones(LANES, np.float32)
    # Random positions defeat the cache, as back projection of unsorted events does
    places = np.random.default_rng(seed).integers(0, VALUES, ADDS, dtype=np.int32)
    return {
        "triad_gb_per_s": lambda: triad(out, b, d, 3.0),
        "multiply_add_gflop_per_s": lambda: multiply_add(lanes, 0.999, 0.001, STEPS),
        "random_adds_m_per_s": lambda: add_at(out, places),
    }


def _rate(
    works: list[Callable[[], None]], amount: float, pool: ThreadPoolExecutor, repeats: int
) -> float:
    seconds = []
    for _ in range(repeats + 1):
        # CPU time, not wall time: other programs take turns with this one
        before = process_time()
        for done in [pool.submit(work) for work in works]:
            done.result()
        seconds.append(process_time() - before)
    return amount / median(seconds[1:])  # the first run compiles and reserves memory

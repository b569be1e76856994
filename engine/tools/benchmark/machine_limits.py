"""What this machine can do at best, on some threads together: memory, arithmetic, scattered sums.

Figures of a benchmark that stand beside them can be read on another machine, and on a busy one.
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
"""Float32 of each array of a thread: beyond the caches of most processors."""
LANES, STEPS = 2048, 1 << 12
"""Numbers that stay in the nearest cache, and how often they are worked on."""
ADDS = 1 << 22


def measure(threads: int, repeats: int = 3) -> Plain:
    """Return the limits, medians of `repeats`, for each second of one processor in use."""
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
"""What a thread does in one go, in the unit of the rate."""


def _works(seed: int) -> dict[str, Callable[[], None]]:
    out, b, d = (np.ones(VALUES, np.float32) for _ in range(3))
    lanes = np.ones(LANES, np.float32)
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
        before = process_time()
        for done in [pool.submit(work) for work in works]:
            done.result()
        seconds.append(process_time() - before)
    return amount / median(seconds[1:])  # the first compiled, and touched the memory

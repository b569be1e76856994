"""Loops that measure limits of the processor, as references for benchmarks.

triad: a(i) = b(i) + c d(i), McCalpin's STREAM (1995)
multiply-add: x ← x m + c, in registers
random adds: a(random i) += 1
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit

CHAIN = 16
"""Multiply-adds of a number for each load."""


@cached_njit(fastmath=True)
def triad(out: Array, b: Array, d: Array, c: float) -> None:
    """Write b + c d, all (n,) float32."""
    factor = np.float32(c)
    for i in range(len(out)):
        out[i] = b[i] + factor * d[i]


@cached_njit(fastmath=True)
def multiply_add(x: Array, m: float, c: float, steps: int) -> None:
    """Replace each of (n,) float32 by x m + c, `CHAIN` times `steps` times."""
    factor, more = np.float32(m), np.float32(c)
    for _ in range(steps):
        for i in range(len(x)):
            value = x[i]
            for _ in range(CHAIN):  # unrolled, so that the outer loop is vectorised
                value = value * factor + more
            x[i] = value


@cached_njit()
def add_at(sums: Array, places: Array) -> None:
    """Add 1 to float32 sums at each of (n,) places."""
    for i in places:
        sums[i] += np.float32(1)

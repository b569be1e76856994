"""Loops that measure limits of the processor, as references for benchmarks.

triad           a_i = b_i + c d_i       McCalpin's STREAM (1995)
multiply-add    x ← x m + c             in registers
random adds     a_j += 1                at random positions j
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit

CHAIN = 16
"""Multiply-adds of a number for each load."""


@cached_njit(fastmath=True)
def triad(out: Array, b: Array, d: Array, c: float) -> None:
    """Write b + c d to `out`.

    Parameters
    ----------
    out, b, d
        (n,) float32
    c
        factor
    """
    factor = np.float32(c)
    for i in range(len(out)):
        out[i] = b[i] + factor * d[i]


@cached_njit(fastmath=True)
def multiply_add(x: Array, m: float, c: float, steps: int) -> None:
    """Replace each number x by x m + c, `CHAIN` · `steps` times.

    Parameters
    ----------
    x
        (n,) float32, which is changed
    m, c
        factor and summand
    steps
        passes over x
    """
    factor, summand = np.float32(m), np.float32(c)
    for _ in range(steps):
        for i in range(len(x)):
            value = x[i]
            for _ in range(CHAIN):  # unrolled, so that the outer loop is vectorised
                value = value * factor + summand
            x[i] = value


@cached_njit()
def add_at(sums: Array, places: Array) -> None:
    """Add 1 to sums at each position.

    Parameters
    ----------
    sums
        float32 array, which is added to
    places
        (n,) positions
    """
    for i in places:
        sums[i] += np.float32(1)

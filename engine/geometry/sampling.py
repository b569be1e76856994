"""Evenly spread samples of the numbers 0 ... n − 1.

Point k is ⌊n · frac(shift + k φ)⌋ with φ the golden ratio's fraction: a one-dimensional lattice,
far more even than random draws (Niederreiter, Random Number Generation, 1992, ch. 3).
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

GOLDEN = 0.6180339887498949


def stratified(n: int, n_samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return `n_samples` numbers below `n`, ascending, one drawn from each of as many equal parts.

    As even as the lattice over long stretches, and unlike it without a period of its own: numbers
    that count through views, bins and rings have periods, and a lattice may meet only some rings
    in one bin of all views. All of them if that many are asked for.
    """
    if n_samples >= n:
        return np.arange(n, dtype=np.int64)
    points = (np.arange(n_samples) + rng.random(n_samples)) * (n / n_samples)
    return np.minimum(points.astype(np.int64), n - 1)


def lattice(n: int, n_samples: int, *, shift: float, xp: ModuleType = np) -> NDArray[np.int64]:
    """Return `n_samples` numbers below `n`, ascending; all of them if that many are asked for.

    They are an array of the module `xp`, the same numbers in any.
    """
    if n_samples >= n:
        return xp.arange(n, dtype=np.int64)
    points = xp.modf(shift + xp.arange(n_samples) * GOLDEN)[0]
    points.sort()
    return xp.minimum((points * n).astype(np.int64), n - 1)

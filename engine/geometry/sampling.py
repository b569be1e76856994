"""Evenly distributed samples of the numbers 0 ... n − 1.

Point k is ⌊n · frac(shift + k φ)⌋ with φ the fractional part of the golden ratio. This
one-dimensional lattice is far more even than random draws (Niederreiter, Random Number Generation,
1992, ch. 3).
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

GOLDEN = 0.6180339887498949


def stratified(n: int, n_samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return one random number from each of `n_samples` equal parts of 0 ... n − 1.

    As even as the lattice over long ranges, but without a period. Numbers of lines count through
    views, bins and rings with fixed periods. A lattice could meet only some rings in one bin of all
    views.

    Parameters
    ----------
    n
        upper bound, exclusive
    n_samples
        number of samples; at least `n` returns all numbers
    rng
        random generator

    Returns
    -------
    (n_samples,) int64, ascending
    """
    if n_samples >= n:
        return np.arange(n, dtype=np.int64)
    points = (np.arange(n_samples) + rng.random(n_samples)) * (n / n_samples)
    # Rounding can reach n itself.
    return np.minimum(points.astype(np.int64), n - 1)


def lattice(n: int, n_samples: int, *, shift: float, xp: ModuleType = np) -> NDArray[np.int64]:
    """Return evenly distributed numbers of 0 ... n − 1.

    Parameters
    ----------
    n
        upper bound, exclusive
    n_samples
        number of samples; at least `n` returns all numbers
    shift
        position of the first point, 0 to 1; different shifts give different samples
    xp
        array module of the result; the numbers are the same for all

    Returns
    -------
    (n_samples,) int64, ascending
    """
    if n_samples >= n:
        return xp.arange(n, dtype=np.int64)
    points = xp.modf(shift + xp.arange(n_samples) * GOLDEN)[0]
    # Ascending numbers read neighbouring lines together, which the caches of kernels need.
    points.sort()
    return xp.minimum((points * n).astype(np.int64), n - 1)

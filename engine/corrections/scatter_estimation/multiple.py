"""Estimate multiple scatter from single scatter.

The scatterings of a pair are independent, so their number follows a Poisson distribution: with x
single scatters per true, x²/2 pairs scatter twice, and so on,

    all scatter / single scatter = (eˣ − 1) / x.

Photons that scatter often and stay within the energy window are deflected little each time, so this
is a few percent too high. If double scatter is simulated
(`engine.corrections.scatter_estimation.double_scatter`), the distribution is only needed for higher
orders: the ratio of the third to the second term is 2/3 of that of the second to the first.
"""

from __future__ import annotations

from math import expm1


def over_single(ratio: float) -> float:
    """Return all scatter relative to single scatter.

    Parameters
    ----------
    ratio
        single scatters per true
    """
    # expm1 is accurate for small ratios; without scatter the limit is 1.
    return expm1(ratio) / ratio if ratio > 0 else 1.0


def over_twice(single: float, twice: float) -> float:
    """Return double and higher scatter relative to double scatter.

    Parameters
    ----------
    single
        counts of single scatter
    twice
        counts of double scatter
    """
    return 1 + 2 / 3 * twice / single if single > 0 else 1.0

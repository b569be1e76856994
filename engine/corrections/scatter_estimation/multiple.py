"""Estimate multiple scatter from single scatter.

Pairs that are counted scatter independently of one another, so that the number of times goes as
Poisson's law: with x single scatters for each true, x²/2 pairs scatter twice, and so on,

    all scatter / single scatter = (eˣ − 1) / x.

What is scattered often and yet within the energy window was turned by little each time: the law is
a few percent high. Where pairs that scatter twice are simulated
(`engine.corrections.scatter_estimation.double_scatter`), it tells of those alone that do so more
often: 2/3 of the second term over the first is the third over the second.
"""

from __future__ import annotations

from math import expm1


def over_single(ratio: float) -> float:
    """Return all scatter over single scatter; ratio : single scatters for each true."""
    return expm1(ratio) / ratio if ratio > 0 else 1.0


def over_twice(single: float, twice: float) -> float:
    """Return what scatters twice and more over what scatters twice, from counts of both."""
    return 1 + 2 / 3 * twice / single if single > 0 else 1.0

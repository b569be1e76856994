"""Photons that scatter more than once, from those that do so once.

Pairs that are counted scatter independently of one another, so that the number of times goes as
Poisson's law: with x single scatters for each true, x²/2 pairs scatter twice, and so on,

    all scatter / single scatter = (eˣ − 1) / x.

What is scattered often and yet within the energy window was turned by little each time: the law is
a few percent high, and the tails of a scan tell the rest.
"""

from __future__ import annotations

from math import expm1


def over_single(ratio: float) -> float:
    """Return all scatter over single scatter; ratio : single scatters for each true."""
    return expm1(ratio) / ratio if ratio > 0 else 1.0

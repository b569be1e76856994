"""Order of the subsets in a pass: the same on every machine and in every run."""

from __future__ import annotations

from math import gcd

_MASK = (1 << 64) - 1
STRIDE = 0.46
"""Distance of successive subsets in the alternating order, relative to their number.

At a half, two subsets would alternate. With 0.2 and 0.3, subsets of two panels resonate with the
momentum of SVRG.
"""


def shuffled(n: int, seed: int) -> list[int]:
    """Return 0 ... n − 1 in an order that depends only on `n` and `seed`.

    Libraries do not promise equal random numbers in every version, so the numbers are our own
    (splitmix64: Steele, Lea & Flood, OOPSLA 2014, 453).

    Parameters
    ----------
    n
        number of subsets
    seed
        number of the pass
    """
    state = (seed + 1) * 0x9E3779B97F4A7C15 & _MASK
    keys = []
    for k in range(n):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
        keys.append((z ^ (z >> 31), k))
    return [k for _, k in sorted(keys)]


def alternating(n: int, seed: int) -> list[int]:
    """Return 0 ... n − 1 so that successive numbers differ by nearly n / 2.

    If neighbouring subsets have neighbouring lines, errors of successive subsets then nearly cancel
    each other, and momentum averages over them.

    Parameters
    ----------
    n
        number of subsets
    seed
        number of the pass, on which the first subset depends
    """
    step = min((s for s in range(1, n + 1) if gcd(s, n) == 1), key=lambda s: abs(s - STRIDE * n))
    first = shuffled(n, seed)[0]
    return [(first + step * place) % n for place in range(n)]

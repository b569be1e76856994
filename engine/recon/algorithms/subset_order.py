"""Order of the subsets in a pass: random, but the same on every machine and in every run."""

from __future__ import annotations

_MASK = (1 << 64) - 1


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

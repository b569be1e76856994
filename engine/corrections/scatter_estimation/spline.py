"""Cubic spline through evenly spaced samples, as weights of the samples.

With M the second derivatives at the samples y of unit distance and t the way from sample k to the
next,

    s = (1 − t) y_k + t y_k+1 + [(1 − t)³ − (1 − t)] M_k / 6 + [t³ − t] M_k+1 / 6,
    M_k−1 + 4 M_k + M_k+1 = 6 (y_k−1 − 2 y_k + y_k+1),

and where samples end M_0 − 2 M_1 + M_2 = 0: no knot (de Boor, A Practical Guide to Splines (1978)
IV). Through four samples or fewer it is their polynomial. Written out, since SciPy's takes a sixth
of a second to load.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.floating]


def spline_weights(n: int, at: Values, *, goes_round: bool = False) -> Values:
    """Return the weights (places, n) of n samples.

    Parameters
    ----------
    n
        samples
    at
        (places,) counted in samples, from 0 to n − 1, or below n where they go round
    goes_round
        True if the first follows on the last
    """
    if n <= 4 and not goes_round:
        return _polynomial(n, at)
    own, curved = np.eye(n), _second_derivatives(n, goes_round)
    low = np.clip(np.floor(at).astype(int), 0, n - 1 if goes_round else n - 2)
    high, t = (low + 1) % n, (at - low)[:, None]
    ends = (1 - t) * own[low] + t * own[high]
    found: Values = (
        ends + ((1 - t) ** 3 - (1 - t)) / 6 * curved[low] + (t**3 - t) / 6 * curved[high]
    )
    return found


def _second_derivatives(n: int, goes_round: bool) -> Values:
    """(n, n) M of each sample alone."""
    each = np.eye(n)
    before, after = np.roll(each, 1, axis=1), np.roll(each, -1, axis=1)
    left, right = before + 4 * each + after, 6 * (before - 2 * each + after)
    if not goes_round:
        left[0] = each[0] - 2 * each[1] + each[2]
        left[-1] = each[-1] - 2 * each[-2] + each[-3]
        right[0] = right[-1] = 0
    return np.linalg.solve(left, right)


def _polynomial(n: int, at: Values) -> Values:
    """Weights of Lagrange's polynomial."""
    weights = np.ones((len(at), n))
    for j in range(n):
        for k in range(n):
            if k != j:
                weights[:, j] *= (at - k) / (j - k)
    return weights

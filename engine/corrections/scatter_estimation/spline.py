"""Cubic spline through evenly spaced samples, as weights of the samples.

With the second derivatives M at the samples y of unit distance, and t the fraction from sample k to
the next,

    s = (1 − t) y_k + t y_k+1 + [(1 − t)³ − (1 − t)] M_k / 6 + [t³ − t] M_k+1 / 6,
    M_k−1 + 4 M_k + M_k+1 = 6 (y_k−1 − 2 y_k + y_k+1),

and at the ends M_0 − 2 M_1 + M_2 = 0: not-a-knot (de Boor, A Practical Guide to Splines (1978) IV).
Through four samples or fewer it is their polynomial. Implemented here because importing SciPy's
splines takes a sixth of a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.floating]


def spline_weights(n: int, at: Values, *, goes_round: bool = False) -> Values:
    """Return the weights of samples that interpolate at given positions.

    Parameters
    ----------
    n
        number of samples
    at
        (places,) in units of samples, from 0 to n − 1, or below n if periodic
    goes_round
        True if the samples are periodic

    Returns
    -------
    found
        (places, n), whose rows sum to 1
    """
    # Not-a-knot conditions need at least five samples; the polynomial is the same spline below
    # that.
    if n <= 4 and not goes_round:
        return _polynomial(n, at)
    # A spline is linear in its samples, so unit vectors give the weights of all of them at once.
    own, curved = np.eye(n), _second_derivatives(n, goes_round)
    low = np.clip(np.floor(at).astype(int), 0, n - 1 if goes_round else n - 2)
    high, t = (low + 1) % n, (at - low)[:, None]
    ends = (1 - t) * own[low] + t * own[high]
    found: Values = (
        ends + ((1 - t) ** 3 - (1 - t)) / 6 * curved[low] + (t**3 - t) / 6 * curved[high]
    )
    return found


def _second_derivatives(n: int, goes_round: bool) -> Values:
    """Return M for a unit value at each sample, (n, n)."""
    each = np.eye(n)
    before, after = np.roll(each, 1, axis=1), np.roll(each, -1, axis=1)
    left, right = before + 4 * each + after, 6 * (before - 2 * each + after)
    if not goes_round:
        left[0] = each[0] - 2 * each[1] + each[2]
        left[-1] = each[-1] - 2 * each[-2] + each[-3]
        right[0] = right[-1] = 0
    return np.linalg.solve(left, right)


def _polynomial(n: int, at: Values) -> Values:
    """Return the weights of the Lagrange polynomial."""
    weights = np.ones((len(at), n))
    for j in range(n):
        for k in range(n):
            if k != j:
                weights[:, j] *= (at - k) / (j - k)
    return weights

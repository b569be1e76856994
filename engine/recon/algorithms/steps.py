"""Step lengths from a bound of ‖A‖², without tuning.

    v ← AᵀA v / max,   L = max_j (AᵀA v)_j / v_j

For A ≥ 0 and v > 0 each L is an upper bound of the largest eigenvalue of AᵀA, and the bounds
converge to it: Collatz, Math Z 48 (1942) 221; Wielandt, Math Z 52 (1950) 642.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.arrays import module_of

if TYPE_CHECKING:
    from engine.recon.model import LinearModel

_MAX_TRIES = 5
_CLOSE = 1.02
"""Ratio of successive bounds that ends the iteration."""


def norm_bound(model: LinearModel) -> float:
    """Return an upper bound of ‖A‖².

    Parameters
    ----------
    model
        A must have no negative elements, and its matched adjoint

    Returns
    -------
    the bound; 1 if A is zero
    """
    xp = module_of(model.y)
    # A positive start vector: the bound requires v > 0.
    v = xp.ones(model.A.in_shape, model.y.dtype)
    bound = float("inf")
    for _ in range(_MAX_TRIES):
        # Every iteration gives a valid bound, so the loop can stop at any time.
        following = model.A.T(model.A(v))
        last, bound = bound, float(xp.max(following / xp.where(v > 0, v, 1)))
        # A zero operator has no step length; any positive one is safe.
        if bound == 0:
            return 1.0
        if last < _CLOSE * bound:
            break
        v = following / bound
    return bound

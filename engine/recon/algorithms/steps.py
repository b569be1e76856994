"""Step lengths from a bound of ‖A‖², without tuning.

v ← AᵀA v / max,   L = max_j (AᵀA v)_j / v_j

For A ≥ 0 and v > 0 every L bounds the largest eigenvalue of AᵀA from above, and they come down to
it: Collatz, Math Z 48 (1942) 221; Wielandt, Math Z 52 (1950) 642.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.arrays import module_of

if TYPE_CHECKING:
    from engine.recon.model import LinearModel

_MOST = 5
_CLOSE = 1.02
"""Change of the bound at which it is near enough."""


def norm_bound(model: LinearModel) -> float:
    """At least ‖A‖², for A without negative elements and with its matched adjoint."""
    xp = module_of(model.y)
    v = xp.ones(model.A.in_shape, model.y.dtype)
    bound = float("inf")
    for _ in range(_MOST):
        following = model.A.T(model.A(v))
        last, bound = bound, float(xp.max(following / xp.where(v > 0, v, 1)))
        if bound == 0:
            return 1.0
        if last < _CLOSE * bound:
            break
        v = following / bound
    return bound

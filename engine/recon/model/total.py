"""Most likely total activity for an image of a given shape.

The log-likelihood of α x is L(α) = Σ_j y_j log(α p_j + b_j) − α S, with p = A x and S = Σ_n s_n
x_n. It is concave, with its maximum at

    α S = Σ_j y_j α p_j / (α p_j + b_j)

so that the expected counts of the image equal the counts that it explains. Without a background α =
Σ y / S. MLEM has α = 1 at its fixed point (Shepp & Vardi, IEEE TMI 1 (1982) 113). Subsets and few
iterations leave α near 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array

STEPS, CLOSE = 60, 1e-7
"""Maximum number of steps, and relative change of α that ends them, below float32 precision."""

Rows = NDArray[np.float64]


def likeliest_scale(
    expected: Array, counts: Array | float, background: Array, total: float
) -> float:
    """Return α, by which an image x explains the counts best.

    Parameters
    ----------
    expected
        (n_rows,) p = A x
    counts
        (n_rows,) y, or one value for all rows
    background
        (n_rows,) b, or one value for all rows
    total
        S

    Returns
    -------
    α; 0 if the background alone explains the counts
    """
    measured, additive = (
        np.broadcast_to(np.asarray(each), expected.shape) for each in (counts, background)
    )
    # Rows without counts, or outside of the image, do not depend on α.
    rows = (expected > 0) & (measured > 0)
    # float64: sums over millions of rows.
    p, y, b = (each[rows].astype(np.float64) for each in (expected, measured, additive))
    return _maximum(p, y, b, total) if total > 0 and len(p) else 1.0


def _maximum(p: Rows, y: Rows, b: Rows, total: float) -> float:
    """Return the α ≥ 0 with Σ y p / (α p + b) = total, by Newton's method on 1 / Σ.

    1 / Σ is concave and nearly linear in α (linear if b / p is the same in all rows), so Newton's
    method keeps α positive.
    """
    if not b.any():
        return float(y.sum()) / total
    # The derivative at 0 is not positive, so the maximum is at the bound.
    if (b > 0).all() and float(np.sum(y * p / b)) <= total:
        return 0.0
    alpha = 1.0
    for _ in range(STEPS):
        q = alpha * p + b
        value = float(np.sum(y * p / q))
        slope = float(np.sum(y * (p / q) ** 2))
        change = value * (value / total - 1) / slope
        # A safeguard for the first steps, far from the solution.
        following = max(alpha + change, alpha / 10)
        if abs(following - alpha) <= CLOSE * alpha:
            return following
        alpha = following
    return alpha

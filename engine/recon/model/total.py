"""Most likely total activity for an image of a given shape.

The log-likelihood of α x is L(α) = Σ_j y_j log(α p_j + b_j) − α S, with p = A x and S = Σ_n s_n
x_n. It is concave, and its maximum is where

    α S = Σ_j y_j α p_j / (α p_j + b_j)

so that the counts expected of the image equal the counts that the image explains. Without a
background α = Σ y / S. MLEM has α = 1 at its fixed point (Shepp & Vardi, IEEE TMI 1 (1982) 113);
subsets and few iterations leave α near 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array

STEPS, CLOSE = 60, 1e-7
"""Steps at most, and the relative change of α that ends them: less than float32 resolves."""

Rows = NDArray[np.float64]


def likeliest_scale(
    expected: Array, counts: Array | float, background: Array, total: float
) -> float:
    """Return α, by which an image x explains the counts best; 0 if the background explains them.

    Parameters
    ----------
    expected
        (n_rows,) p = A x
    counts, background
        (n_rows,) y and b, or one value for all rows
    total
        S
    """
    measured, additive = (
        np.broadcast_to(np.asarray(each), expected.shape) for each in (counts, background)
    )
    rows = (expected > 0) & (measured > 0)
    p, y, b = (each[rows].astype(np.float64) for each in (expected, measured, additive))
    return _maximum(p, y, b, total) if total > 0 and len(p) else 1.0


def _maximum(p: Rows, y: Rows, b: Rows, total: float) -> float:
    """Return the α ≥ 0 at which Σ y p / (α p + b) = total, by Newton's method on 1 / Σ.

    1 / Σ is concave and nearly straight in α (it is straight if b / p is the same in all rows), so
    that Newton's method does not leave the positive numbers.
    """
    if not b.any():
        return float(y.sum()) / total
    if (b > 0).all() and float(np.sum(y * p / b)) <= total:
        return 0.0
    alpha = 1.0
    for _ in range(STEPS):
        q = alpha * p + b
        value = float(np.sum(y * p / q))
        slope = float(np.sum(y * (p / q) ** 2))
        change = value * (value / total - 1) / slope
        following = max(alpha + change, alpha / 10)
        if abs(following - alpha) <= CLOSE * alpha:
            return following
        alpha = following
    return alpha

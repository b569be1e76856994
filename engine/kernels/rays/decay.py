"""Transmission of photons: exp(−x), 0 ≤ x ≤ 30, in few operations that can be vectorised.

    exp(−x) = exp(−x / 16)¹⁶

with the Taylor series of exp(−x / 16) up to the fifth power. The error is at most 1e-6.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.core.json_types import Plain

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_INLINE = njit(inline="always", **_MATH)


@_INLINE
def decay(x: float) -> float:
    """Return exp(−x) in float64, for 0 ≤ x ≤ 30.

    Parameters
    ----------
    x
        line integral of μ
    """
    y = x * (1 / 16)
    part = 1 - y * (1 - y * (1 / 2 - y * (1 / 6 - y * (1 / 24 - y * (1 / 120)))))
    part *= part
    part *= part
    part *= part
    return part * part


@_INLINE
def decay_single(x: np.float32) -> np.float32:
    """Return exp(−x) in float32, which doubles the lanes of a vector; 0 ≤ x ≤ 30.

    Parameters
    ----------
    x
        line integral of μ
    """
    one, y = np.float32(1), x * np.float32(1 / 16)
    part = np.float32(1 / 24) - y * np.float32(1 / 120)
    part = one - y * (one - y * (np.float32(1 / 2) - y * (np.float32(1 / 6) - y * part)))
    part *= part
    part *= part
    part *= part
    return np.float32(part * part)

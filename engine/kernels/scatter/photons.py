"""Photon physics: Compton scatter by Klein & Nishina, and random numbers for tracking.

The energy after scattering by an angle is k / (1 + k (1 − cos)) for k electron rest energies.
Angles are sampled from the cross-section of Klein & Nishina by Kahn's method.
"""

from __future__ import annotations

import math

import numpy as np

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)

REST_KEV = 510.99895
"""Rest energy of an electron, and energy of each annihilation photon."""
_GOLDEN, _MIX_1, _MIX_2 = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@_KERNEL
def uniform(state: Array) -> float:
    """Return a random number 0 ≤ u < 1 (SplitMix64: Steele, Lea & Flood, OOPSLA 2014).

    Parameters
    ----------
    state
        (1,) uint64, which is advanced
    """
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    z ^= z >> _31
    # The upper 53 bits, as many as the significand of float64.
    return float(z >> _11) * 1.1102230246251565e-16  # 2⁻⁵³


@_KERNEL
def klein_nishina(k: float) -> float:
    """Return the total cross-section relative to that at 511 keV.

    Parameters
    ----------
    k
        energy in electron rest energies
    """
    one = 2.0 * k + 1.0
    log = math.log(one)
    total = (1.0 + k) / (k * k) * (2.0 * (1.0 + k) / one - log / k)
    total += log / (2.0 * k) - (1.0 + 3.0 * k) / (one * one)
    return total / 0.5743037892200575  # the same at k = 1: 8/3 − 2 ln 3 + ln 3 / 2 − 4/9


@_KERNEL
def scattered(k: float, state: Array) -> tuple[float, float]:
    """Sample a scattering angle (Kahn, 1954).

    Parameters
    ----------
    k
        energy in electron rest energies
    state
        (1,) uint64 of the random numbers

    Returns
    -------
    energy relative to that before, and cosine of the angle
    """
    # On average 1.6 attempts at 511 keV.
    while True:
        r, u, v = uniform(state), uniform(state), uniform(state)
        if r <= (2.0 * k + 1.0) / (2.0 * k + 9.0):
            ratio = 1.0 + 2.0 * k * u
            if v <= 4.0 * (1.0 / ratio - 1.0 / (ratio * ratio)):
                break
        else:
            ratio = (2.0 * k + 1.0) / (1.0 + 2.0 * k * u)
            cosine = 1.0 - (ratio - 1.0) / k
            if v <= 0.5 * (cosine * cosine + 1.0 / ratio):
                break
    return 1.0 / ratio, 1.0 - (ratio - 1.0) / k


@_KERNEL
def turned(
    d_x: float, d_y: float, d_z: float, cosine: float, state: Array
) -> tuple[float, float, float]:
    """Rotate a direction by a polar angle, with a random azimuth.

    Parameters
    ----------
    d_x, d_y, d_z
        unit vector
    cosine
        cosine of the polar angle
    state
        (1,) uint64 of the random numbers
    """
    angle = 2.0 * math.pi * uniform(state)
    sine = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    across = math.sqrt(d_y * d_y + d_z * d_z)
    if across < 1e-6:  # along x, where d defines no perpendicular direction
        side_y, side_z = sine * math.cos(angle), sine * math.sin(angle)
        return (cosine if d_x > 0.0 else -cosine), side_y, side_z
    one, other = sine * math.cos(angle) / across, sine * math.sin(angle) / across
    return (
        cosine * d_x - one * across * across,
        cosine * d_y + one * d_x * d_y - other * d_z,
        cosine * d_z + one * d_x * d_z + other * d_y,
    )

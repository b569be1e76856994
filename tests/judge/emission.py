"""Decays: end point of the positron, and directions of the two photons."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.judge.compiled import inner
from tests.judge.interactions import DX, DY, DZ, ELECTRON_KEV, KEV, PATH, X, turn
from tests.judge.streams import exponential, gauss, uniform

FWHM_IN_SIGMA = 2.0 * math.sqrt(2.0 * math.log(2.0))


@dataclass(frozen=True)
class PositronRange:
    """Range of positrons: two Laplace distributions along any line, or a Gaussian.

    Levin and Hoffman (Phys Med Biol 44 (1999) 781) give the distribution of end points along a line
    as c·exp(−k1 x) + (1 − c)·exp(−k2 x). The three-dimensional distribution with a Laplace
    distribution of scale 1/k on every line is √(2 E)/k times three normal numbers, with E
    exponential.
    """

    weight: float
    scales_mm: tuple[float, float]
    is_gaussian: bool = False


def levin_hoffman(c: float, k1_per_mm: float, k2_per_mm: float) -> PositronRange:
    """Return the range of a nuclide from the constants of Levin and Hoffman's Table 3."""
    first, second = c / k1_per_mm, (1 - c) / k2_per_mm
    return PositronRange(first / (first + second), (1 / k1_per_mm, 1 / k2_per_mm))


def gaussian_range(fwhm_mm: float) -> PositronRange:
    """Return a range with a Gaussian projection on every line."""
    sigma = fwhm_mm / FWHM_IN_SIGMA
    return PositronRange(1.0, (sigma, sigma), is_gaussian=True)


NO_RANGE = PositronRange(1.0, (0.0, 0.0))
FLUORINE_18 = levin_hoffman(0.516, 37.9, 3.10)
"""In water; Levin and Hoffman, Table 3."""


@inner
def move_positron(place, positron, stream):
    """Move `place`, (3,) mm, from the decay to the annihilation."""
    scale = positron[1] if uniform(stream) < positron[0] else positron[2]
    if positron[3] == 0.0:
        scale *= math.sqrt(2.0 * exponential(stream))
    for k in range(3):
        place[k] += scale * gauss(stream)


@inner
def emit(place, photons, acollinearity, max_cosine, stream):
    """Emit both photons from a place, back to back except for the acollinearity.

    Directions are isotropic with |cosine to the z axis| up to `max_cosine`. `acollinearity` is the
    standard deviation [rad] of the angle from 180 degrees in each of two planes.
    """
    cosine = max_cosine * (2.0 * uniform(stream) - 1.0)
    azimuth = 2.0 * math.pi * uniform(stream)
    sine = math.sqrt(1.0 - cosine * cosine)
    for k in range(2):
        sign = 1.0 - 2.0 * k
        for i in range(3):
            photons[k, X + i] = place[i]
        photons[k, DX] = sign * sine * math.cos(azimuth)
        photons[k, DY] = sign * sine * math.sin(azimuth)
        photons[k, DZ] = sign * cosine
        photons[k, KEV] = ELECTRON_KEV
        photons[k, PATH] = 0.0
    if acollinearity > 0.0:
        angle = acollinearity * math.sqrt(2.0 * exponential(stream))
        turn(photons[1], math.cos(angle), 2.0 * math.pi * uniform(stream))

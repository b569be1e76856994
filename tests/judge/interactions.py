"""A photon: where it is, where it goes, its energy; and what befalls it.

A photon is a row of numbers: place [mm], direction, energy [keV], way so far [mm].
"""

from __future__ import annotations

import math

from tests.judge.compiled import inner
from tests.judge.materials import LOWEST_KEV
from tests.judge.streams import exponential, uniform

X, Y, Z, DX, DY, DZ, KEV, WAY = range(8)
NUMBERS = 8
ELECTRON_KEV = 510.99895
"""Rest energy of an electron (CODATA 2018), and of each photon of an annihilation."""


@inner
def advance(photon, way_mm):
    """Move a photon along its direction."""
    photon[X] += way_mm * photon[DX]
    photon[Y] += way_mm * photon[DY]
    photon[Z] += way_mm * photon[DZ]
    photon[WAY] += way_mm


@inner
def turn(photon, cosine, azimuth):
    """Turn a photon by an angle, whose cosine is given, into an azimuth about its direction."""
    sine = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    a, b = sine * math.cos(azimuth), sine * math.sin(azimuth)
    x, y, z = photon[DX], photon[DY], photon[DZ]
    # two directions at right angles to the photon's, without a division by nearly nothing
    # (Duff et al., J Computer Graphics Techniques 6 (2017) 1)
    sign = 1.0 if z >= 0.0 else -1.0
    p = -1.0 / (sign + z)
    q = x * y * p
    photon[DX] = cosine * x + a * (1.0 + sign * x * x * p) + b * q
    photon[DY] = cosine * y + a * sign * q + b * (sign + y * y * p)
    photon[DZ] = cosine * z - a * sign * x - b * y
    scale = 1.0 / math.sqrt(photon[DX] ** 2 + photon[DY] ** 2 + photon[DZ] ** 2)
    photon[DX] *= scale
    photon[DY] *= scale
    photon[DZ] *= scale


@inner
def draw_compton(kev, stream):
    """Return the ratio of energies before and after, and the cosine of the angle between.

    Klein and Nishina (Z Phys 52 (1929) 853) for an electron at rest, by the rejections of Kahn
    (Applications of Monte Carlo, RAND AECU-3259, 1956).
    """
    a = kev / ELECTRON_KEV
    while True:
        u = uniform(stream)
        if uniform(stream) * (9.0 + 2.0 * a) <= 1.0 + 2.0 * a:
            ratio = 1.0 + 2.0 * a * u
            likely = 4.0 * (1.0 / ratio - 1.0 / (ratio * ratio))
            cosine = 1.0 - (ratio - 1.0) / a
        else:
            ratio = (1.0 + 2.0 * a) / (1.0 + 2.0 * a * u)
            cosine = 1.0 - (ratio - 1.0) / a
            likely = 0.5 * (cosine * cosine + 1.0 / ratio)
        if uniform(stream) <= likely:
            return ratio, cosine


@inner
def scatter(photon, stream):
    """Let a photon scatter; return the energy it leaves [keV]."""
    ratio, cosine = draw_compton(photon[KEV], stream)
    left = photon[KEV] * (1.0 - 1.0 / ratio)
    photon[KEV] /= ratio
    turn(photon, cosine, 2.0 * math.pi * uniform(stream))
    return left


@inner
def coefficient(values, kev):
    """Return a coefficient at an energy, from values 1 keV apart."""
    at = kev - LOWEST_KEV
    k = min(max(int(at), 0), len(values) - 2)
    return values[k] + (at - k) * (values[k + 1] - values[k])


@inner
def free_way(per_mm, stream):
    """Return the way to the next collision [mm] (Beer's law)."""
    return exponential(stream) / per_mm

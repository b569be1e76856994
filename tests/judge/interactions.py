"""A photon: position, direction, energy, and its interactions.

A photon is a row of numbers: position [mm], direction, energy [keV], path length so far [mm].
"""

from __future__ import annotations

import math

from tests.judge.compiled import inner
from tests.judge.materials import LOWEST_KEV
from tests.judge.streams import exponential, uniform

X, Y, Z, DX, DY, DZ, KEV, PATH = range(8)
NUMBERS = 8
ELECTRON_KEV = 510.99895
"""Rest energy of an electron (CODATA 2018), and energy of each annihilation photon."""


@inner
def advance(photon, path_mm):
    """Move a photon along its direction."""
    photon[X] += path_mm * photon[DX]
    photon[Y] += path_mm * photon[DY]
    photon[Z] += path_mm * photon[DZ]
    photon[PATH] += path_mm


@inner
def turn(photon, cosine, azimuth):
    """Rotate a photon's direction by an angle with this cosine, at an azimuth around it."""
    sine = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    a, b = sine * math.cos(azimuth), sine * math.sin(azimuth)
    x, y, z = photon[DX], photon[DY], photon[DZ]
    # two directions perpendicular to the photon's, without a division by nearly zero
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
    """Return the ratio of energies before and after, and the cosine of the scattering angle.

    Klein and Nishina (Z Phys 52 (1929) 853) for an electron at rest, with the rejection method of
    Kahn (Applications of Monte Carlo, RAND AECU-3259, 1956).
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
    """Scatter a photon; return the energy it loses [keV]."""
    ratio, cosine = draw_compton(photon[KEV], stream)
    left = photon[KEV] * (1.0 - 1.0 / ratio)
    photon[KEV] /= ratio
    turn(photon, cosine, 2.0 * math.pi * uniform(stream))
    return left


@inner
def coefficient(values, kev):
    """Return a coefficient at an energy, from values at steps of 1 keV."""
    at = kev - LOWEST_KEV
    k = min(max(int(at), 0), len(values) - 2)
    return values[k] + (at - k) * (values[k + 1] - values[k])


@inner
def free_path(per_mm, stream):
    """Return the path length to the next collision [mm] (Beer's law)."""
    return exponential(stream) / per_mm

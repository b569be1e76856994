"""Paths of photons: out of the phantom, and through the crystals.

Delta tracking (Woodcock et al., ANL-7050, 1965): collisions are as frequent as in the densest
material on the path, and those in excess of the local material change nothing. So no boundary is
ever computed, and path lengths are exact for any shape.
"""

from __future__ import annotations

import math

import numpy as np

from tests.judge.compiled import inner, makes
from tests.judge.interactions import (
    DX,
    DY,
    DZ,
    KEV,
    PATH,
    X,
    Y,
    Z,
    advance,
    coefficient,
    free_path,
    scatter,
)
from tests.judge.materials import LOWEST_KEV
from tests.judge.phantoms import material_at
from tests.judge.scanners import BORE, HALF_LENGTH, OUTER, crystal_at
from tests.judge.streams import uniform

LOST = -1
MAX_DEPOSITS = 16
CRYSTAL, DEPOSIT_KEV, DEPOSIT_PATH = range(3)
FAR_MM = 1e9


@inner
def slab(at, direction, lower, upper):
    """Return the part of a ray between two parallel planes; empty if it ends before it starts."""
    if direction == 0.0:
        return (-FAR_MM, FAR_MM) if lower <= at <= upper else (0.0, -FAR_MM)
    near, far = (lower - at) / direction, (upper - at) / direction
    return (near, far) if near < far else (far, near)


@inner
def span_of_box(photon, box):
    """Return the part of a photon's path ahead that is in a box."""
    near, far = 0.0, FAR_MM
    for k in range(3):
        first, last = slab(photon[X + k], photon[DX + k], box[k], box[3 + k])
        near, far = max(near, first), min(far, last)
    return near, far


@inner
def leave_phantom(world, photon, lowest_kev, follows_scatter, stream):
    """Move a photon out of the phantom; return its number of scatters, or LOST.

    A photon is lost if it is absorbed or below the lowest energy. Without `follows_scatter`, it is
    also lost if it scatters.
    """
    n_scatters = 0
    near, far = span_of_box(photon, world.box)
    if near >= far:
        return n_scatters
    advance(photon, near)
    far -= near
    while True:
        most = coefficient(world.most, photon[KEV])
        if most <= 0.0:
            return n_scatters
        path = free_path(most, stream)
        if path >= far:
            advance(photon, far)
            return n_scatters
        advance(photon, path)
        far -= path
        material = material_at(world, photon[X], photon[Y], photon[Z])
        if material < 0:
            continue
        total = coefficient(world.coefficients[material, 0], photon[KEV])
        u = uniform(stream) * most
        if u >= total:
            continue
        compton = coefficient(world.coefficients[material, 1], photon[KEV])
        if u >= compton or not follows_scatter:
            return LOST
        scatter(photon, stream)
        n_scatters += 1
        if photon[KEV] < lowest_kev:
            return LOST
        far = span_of_box(photon, world.box)[1]


@inner
def cylinder_exit(photon, radius):
    """Return the distances to entry and exit of a cylinder about z, or an empty range."""
    a = photon[DX] * photon[DX] + photon[DY] * photon[DY]
    b = photon[X] * photon[DX] + photon[Y] * photon[DY]
    c = photon[X] * photon[X] + photon[Y] * photon[Y] - radius * radius
    root = b * b - a * c
    if a == 0.0:
        return (-FAR_MM, FAR_MM) if c < 0.0 else (0.0, -FAR_MM)
    if root <= 0.0:
        return 0.0, -FAR_MM
    root = math.sqrt(root)
    return (-b - root) / a, (-b + root) / a


@inner
def span_of_crystals(photon, sizes):
    """Return the part of the path ahead in the cylinder that contains all crystals."""
    near, far = slab(photon[Z], photon[DZ], -sizes[HALF_LENGTH], sizes[HALF_LENGTH])
    first, last = cylinder_exit(photon, sizes[OUTER])
    return max(0.0, near, first), min(far, last)


@inner
def skip_bore(photon, sizes):
    """Move a photon in the bore to its wall; return the distance."""
    if photon[X] * photon[X] + photon[Y] * photon[Y] >= sizes[BORE] * sizes[BORE]:
        return 0.0
    path = max(0.0, cylinder_exit(photon, sizes[BORE])[1])
    advance(photon, path)
    return path


@inner
def can_meet(photon, sizes):
    """Return True if a photon with its present direction can reach a crystal."""
    near, far = span_of_crystals(photon, sizes)
    if near >= far:
        return False
    at = photon[X] + near * photon[DX], photon[Y] + near * photon[DY]
    if at[0] * at[0] + at[1] * at[1] >= sizes[BORE] * sizes[BORE]:
        return True
    return cylinder_exit(photon, sizes[BORE])[1] < far


@inner
def next_collision(crystals, photon, per_mm, stream):
    """Move a photon to its next interaction; return the crystal, or LOST."""
    near, far = span_of_crystals(photon, crystals.sizes)
    if near >= far:
        return LOST
    advance(photon, near)
    far -= near
    while True:
        far -= skip_bore(photon, crystals.sizes)
        path = free_path(per_mm, stream)
        far -= path
        if far <= 0.0:
            return LOST
        advance(photon, path)
        crystal = crystal_at(crystals, photon[X], photon[Y], photon[Z])
        if crystal >= 0:
            return crystal


@inner
def absorb(crystals, photon, stream, deposits):
    """Follow a photon through the crystals; return the number of its deposits.

    Each is a row of `deposits`: crystal, energy [keV], path length of the photon until then [mm].
    """
    n = 0
    while True:
        total = coefficient(crystals.coefficients[0], photon[KEV])
        if total <= 0.0:
            return n
        crystal = next_collision(crystals, photon, total, stream)
        if crystal == LOST:
            return n
        deposits[n, CRYSTAL], deposits[n, DEPOSIT_PATH] = crystal, photon[PATH]
        compton = coefficient(crystals.coefficients[1], photon[KEV])
        if uniform(stream) * total >= compton:
            deposits[n, DEPOSIT_KEV] = photon[KEV]
            return n + 1
        deposits[n, DEPOSIT_KEV] = scatter(photon, stream)
        # the last of many deposits takes the rest, and so does one below the tables
        if photon[KEV] < LOWEST_KEV or n == MAX_DEPOSITS - 1:
            deposits[n, DEPOSIT_KEV] += photon[KEV]
            return n + 1
        n += 1


@makes
def empty_deposits():
    """Return an empty list of deposits."""
    return np.empty((MAX_DEPOSITS, 3))

"""Two 511 keV photons, back to back, tracked into two panels of crystals by chance.

Photons fly free between the panels. In a panel they meet crystals and empty gaps (Woodcock: steps
of an all-filled panel, those that end in a gap do not count). A photon is absorbed, or scattered by
Klein & Nishina (drawn as Kahn did), until it leaves or is absorbed; it is seen in the crystal of
its energy-weighted mean place if the energy it left lies in the window. With attenuation alone its
first interaction takes all of the energy.

The panels have no edges here: rows and columns of crystals count from the pitch that the voxel is
on, since the response depends on nothing else (engine.geometry.dual_head_symmetry).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.response import Panels
from engine.plain import Plain

_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)

REST_KEV = 510.99895
"""Energy of an electron at rest, and of each photon."""
_PHOTO_POWER = -2.7
"""How the photoelectric part falls with the energy, about, between 50 and 511 keV."""
_ABSORBED_KEV = 20.0
"""Photons below are taken as absorbed where they are."""

_GOLDEN, _MIX_1, _MIX_2 = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


class Photons(NamedTuple):
    """What happens to photons in crystals, and which are seen."""

    scatter: bool
    photo: float
    """Part of the attenuation at 511 keV that absorbs; the rest scatters."""
    low_kev: float
    high_kev: float


@_KERNEL
def uniform(state: Array) -> float:
    """Draw from 0 ≤ u < 1 (SplitMix64: Steele, Lea & Flood, OOPSLA 2014); state : (1,) uint64."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    z ^= z >> _31
    return float(z >> _11) * 1.1102230246251565e-16  # 2⁻⁵³


@_KERNEL
def klein_nishina(k: float) -> float:
    """Total cross-section of scattering at k electron rest energies, as part of that at k = 1."""
    one = 2.0 * k + 1.0
    log = math.log(one)
    total = (1.0 + k) / (k * k) * (2.0 * (1.0 + k) / one - log / k)
    total += log / (2.0 * k) - (1.0 + 3.0 * k) / (one * one)
    return total / 0.5743037892200575  # the same at k = 1: 8/3 − 2 ln 3 + ln 3 / 2 − 4/9


@_KERNEL
def scattered(k: float, state: Array) -> tuple[float, float]:
    """Energy after scattering, as part of that before, and cosine of the angle (Kahn, 1954)."""
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
    """Return the direction d turned by the polar angle of `cosine`, about d by any angle."""
    angle = 2.0 * math.pi * uniform(state)
    sine = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    across = math.sqrt(max(1e-12, d_y * d_y + d_z * d_z))
    one, other = sine * math.cos(angle) / across, sine * math.sin(angle) / across
    return (
        cosine * d_x - one * across * across,
        cosine * d_y + one * d_x * d_y - other * d_z,
        cosine * d_z + one * d_x * d_z + other * d_y,
    )


@_KERNEL
def _crystal_at(y: float, z: float, panels: Panels) -> tuple[int, int, bool]:
    """Row and column of the pitch at a place, and whether a crystal, not a gap, is there."""
    row, column = math.floor(y / panels.pitch), math.floor(z / panels.pitch)
    half = 0.5 * panels.crystal
    inside = abs(y - (row + 0.5) * panels.pitch) < half
    return row, column, inside and abs(z - (column + 0.5) * panels.pitch) < half


@_KERNEL
def _seen(
    y: float, z: float, d_x: float, d_y: float, d_z: float, panels: Panels, photons: Photons,
    state: Array,
) -> tuple[int, int, bool]:  # fmt: skip
    """Row and column where a photon is seen that enters a panel at (y, z), and whether it is.

    d : direction, d_x > 0 into the panel
    """
    energy, left, left_y, left_z, x = REST_KEV, 0.0, 0.0, 0.0, 0.0
    while True:
        k = energy / REST_KEV
        photo, compton = panels.mu, 0.0
        if photons.scatter:
            photo = panels.mu * photons.photo * k**_PHOTO_POWER
            compton = panels.mu * (1.0 - photons.photo) * klein_nishina(k)
        # 1 − u is never 0, so its logarithm is finite
        step = -math.log(1.0 - uniform(state)) / (photo + compton)
        x, y, z = x + step * d_x, y + step * d_y, z + step * d_z
        if not 0.0 <= x < panels.thickness:
            break
        # an imagined interaction in a gap: the photon flies on unchanged (Woodcock), and needs no
        # list of the faces between crystals
        if not _crystal_at(y, z, panels)[2]:
            continue
        lost, cosine = energy, 1.0
        if compton > 0.0 and uniform(state) * (photo + compton) >= photo:
            ratio, cosine = scattered(k, state)
            if energy * ratio >= _ABSORBED_KEV:
                lost = energy * (1.0 - ratio)
        left, left_y, left_z = left + lost, left_y + lost * y, left_z + lost * z
        energy -= lost
        if energy <= 0.0:
            break
        d_x, d_y, d_z = turned(d_x, d_y, d_z, cosine, state)
    if not (left > 0.0 and photons.low_kev <= left <= photons.high_kev):
        return 0, 0, False
    # the mean may lie in a gap; it then counts for the crystal of that pitch
    row, column, _ = _crystal_at(left_y / left, left_z / left, panels)
    return row, column, True


@_KERNEL
def track(
    n_pairs: int, voxel: tuple[int, int, int], lowest: float, panels: Panels, photons: Photons,
    state: Array, found: Array,
) -> int:  # fmt: skip
    """Emit pairs from all over a voxel, and return how many were seen by both panels.

    Parameters
    ----------
    n_pairs
        how many are emitted
    voxel
        (p, j, k) its plane, row and column on the pitch
    lowest
        cosine to the panels' normal below which no direction is drawn
    panels, photons
        the geometry and the physics
    state
        (1,) uint64 of the random numbers
    found
        (n_pairs, 4) int16 row and column on panel 0, row and column on panel 1
    """
    g = panels
    edge, n_seen = g.pitch / g.voxels_per_pitch, 0
    for _ in range(n_pairs):
        x = (voxel[0] + uniform(state) - 0.5 * g.n_planes) * g.plane
        y = (voxel[1] + uniform(state)) * edge
        z = (voxel[2] + uniform(state)) * edge
        # even in the cosine is even on the sphere; directions that no panel can see are not drawn,
        # and the caller counts them as the part `lowest` of all
        d_x = lowest + (1.0 - lowest) * uniform(state)
        angle = 2.0 * math.pi * uniform(state)
        sine = math.sqrt(1.0 - d_x * d_x)
        d_y, d_z = sine * math.cos(angle), sine * math.sin(angle)
        t_0, t_1 = (0.5 * g.separation + x) / d_x, (0.5 * g.separation - x) / d_x
        r_1, c_1, seen = _seen(y + t_1 * d_y, z + t_1 * d_z, d_x, d_y, d_z, g, photons, state)
        # pairs of which one photon escapes end here, before the other is tracked
        if not seen:
            continue
        r_0, c_0, seen = _seen(y - t_0 * d_y, z - t_0 * d_z, d_x, -d_y, -d_z, g, photons, state)
        if seen:
            found[n_seen, 0], found[n_seen, 1] = r_0, c_0
            found[n_seen, 2], found[n_seen, 3] = r_1, c_1
            n_seen += 1
    return n_seen

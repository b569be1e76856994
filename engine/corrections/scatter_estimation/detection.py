"""Detection probability of photons by energy, relative to 511 keV.

    ε(E) = W(E) (1 − exp(−μ(E) L)) w(E),    w = φ + (1 − φ) [(1 − f) q + f (q + (1 − q) h w_q)]
    μ(E) / μ = (1 − φ) σ(E) / σ + φ (511 keV / E)^2.5

W is the share that is read within the energy window, L the depth of the crystal and μ(E) its
attenuation: a part φ of it is photoelectric at 511 keV and falls so steeply with the energy, the
rest scatters (Klein and Nishina's σ). What scatters in a crystal is counted if the rest of its
energy stays in the block, a part q. A part f of it keeps an energy that is counted: if it leaves
the block it goes on nearly straight, and stops with the chance h = 1 − exp(−μ L / 2) in another
one, w_q = φ + (1 − φ) q. A photon set off in a block of volume V and surface S meets something
before it leaves with the chance c, where it is absorbed or, if not, sets off again:

    c = μ l / (1 + μ l),  l = 4 V / S,    q = c φ / (1 − c (1 − φ))

with μ and φ at the mean energy of what scattered (Wigner's rational approximation; Case, de
Hoffmann & Placzek, Introduction to the Theory of Neutron Diffusion (1953), 10). Of a block whose
size nobody states q is `STAYS` and f 0; the tails of a scan tell what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.corrections.scatter_estimation.klein_nishina import differential, energy_ratio, total
from engine.geometry.energy import ELECTRON_KEV, EnergyWindow
from engine.geometry.line_efficiency import CrystalDepth

STEEPNESS = 2.5
"""Power of heavy elements between 300 and 511 keV (NIST XCOM)."""

N_COSINES = 801
"""Steps over the angles of scattering in a crystal."""

N_ENERGIES = 257
"""Energies between which w is read: it is as smooth as cross-sections are."""

STAYS = 0.5
"""Part q of the photons scattered in a crystal whose whole energy stays in the block, if nobody
states its size."""


Efficiency = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Photons counted of each energy [keV] that come into a crystal, relative to those of 511 keV."""


@lru_cache(maxsize=4)
def efficiency_of(
    window: EnergyWindow, depth: CrystalDepth, block_mm: tuple[float, float] | None
) -> Efficiency:
    """Return `counted` of a scanner: the same function each time, so that tables of it are kept."""
    return lambda kev: counted(kev, window, depth, block_mm)


def counted(
    kev: NDArray[np.float64],
    window: EnergyWindow,
    depth: CrystalDepth,
    block_mm: tuple[float, float] | None = None,
) -> NDArray[np.float64]:
    """ε(E) / ε(511 keV) of photons that come straight into a crystal.

    Parameters
    ----------
    kev
        energies E [keV]
    window
        energies that are counted
    depth
        depth of the crystal, and what it is made of
    block_mm
        what adds up energies, across and along the axis [mm]; None where nobody says
    """

    def share(energies: NDArray[np.float64]) -> NDArray[np.float64]:
        mu, photo = attenuation_of(energies, depth)
        if block_mm is None:
            whole = photo + STAYS * (1 - photo)
        else:
            whole = _whole_between(energies, window.lowest_kev, depth, block_mm)
        stopped: NDArray[np.float64] = -np.expm1(-mu * depth.depth_mm)
        return window.accepted(energies) * stopped * whole

    return share(kev) / share(np.array([ELECTRON_KEV]))


def attenuation_of(
    kev: NDArray[np.float64], depth: CrystalDepth
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return μ(E) [1/mm] and φ of crystals at energies [keV]."""
    scattered = (1 - depth.photo_fraction) * total(kev) / total(np.array(ELECTRON_KEV))
    absorbed = depth.photo_fraction * (ELECTRON_KEV / kev) ** STEEPNESS
    return depth.attenuation_per_mm * (scattered + absorbed), absorbed / (absorbed + scattered)


def _whole_between(
    kev: NDArray[np.float64],
    lowest_kev: float,
    depth: CrystalDepth,
    block_mm: tuple[float, float],
) -> NDArray[np.float64]:
    """The same as below of many energies: read between `N_ENERGIES` of them."""
    if len(kev) <= N_ENERGIES:
        return _whole(kev, lowest_kev, depth, block_mm)
    known = np.linspace(kev.min(), kev.max(), N_ENERGIES)
    return np.interp(kev, known, _whole(known, lowest_kev, depth, block_mm))


def _whole(
    kev: NDArray[np.float64],
    lowest_kev: float,
    depth: CrystalDepth,
    block_mm: tuple[float, float],
) -> NDArray[np.float64]:
    """Share w of the photons that stop of which enough energy is read."""
    cosine = np.linspace(-1, 1, N_COSINES)[:, None]
    law = differential(cosine, kev)
    rest = kev * energy_ratio(cosine, kev)
    keeps = law * (rest >= lowest_kev)
    high = keeps.sum(axis=0) / law.sum(axis=0)
    mean = [
        np.divide((rest * part).sum(axis=0), part.sum(axis=0), out=kev.copy(), where=part.any(0))
        for part in (law - keeps, keeps)
    ]
    low_stays, high_stays = (_staying(energy, depth, block_mm) for energy in mean)
    mu, photo = attenuation_of(mean[1], depth)
    goes_on = -np.expm1(-mu * depth.depth_mm / 2) * (photo + (1 - photo) * high_stays)
    scattered_part = (1 - high) * low_stays + high * (high_stays + (1 - high_stays) * goes_on)
    _, photo = attenuation_of(kev, depth)
    return photo + (1 - photo) * scattered_part


def _staying(
    kev: NDArray[np.float64], depth: CrystalDepth, block_mm: tuple[float, float]
) -> NDArray[np.float64]:
    """Part q of photons set off in a block with an energy whose whole energy stays in it."""
    mu, photo = attenuation_of(kev, depth)
    width, length = block_mm
    surface = 2 * (width * length + (width + length) * depth.depth_mm)
    optical_depth = mu * 4 * width * length * depth.depth_mm / surface
    met = optical_depth / (1 + optical_depth)
    return met * photo / (1 - met * (1 - photo))

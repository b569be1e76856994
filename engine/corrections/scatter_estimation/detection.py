"""Detection probability of photons by energy, relative to 511 keV.

    ε(E) = W(E) (1 − exp(−μ(E) L)) w(E),    w = φ + (1 − φ) [(1 − f) q + f (q + (1 − q) h w_q)]
    μ(E) / μ = (1 − φ) σ(E) / σ + φ (511 keV / E)^2.5

W is the fraction that is measured within the energy window, L the depth of the crystal and μ(E) its
attenuation. A fraction φ of it is photoelectric at 511 keV and falls steeply with the energy; the
rest is Compton scattering (cross-section σ of Klein and Nishina). A photon that scatters in a
crystal is counted if the rest of its energy stays in the block, with probability q. A fraction f
keeps an energy within the window. If such a photon leaves the block, it continues nearly straight
and stops in another block with probability h = 1 − exp(−μ L / 2), where w_q = φ + (1 − φ) q. In a
block of volume V and surface S, a photon interacts before it leaves with probability c; it is then
absorbed or scattered again:

    c = μ l / (1 + μ l),  l = 4 V / S,    q = c φ / (1 − c (1 − φ))

with μ and φ at the mean energy after scattering (Wigner's rational approximation; Case, de Hoffmann
& Placzek, Introduction to the Theory of Neutron Diffusion (1953), 10). If the size of the block is
unknown, q is `STAYS` and f is 0; the scale of the tails then absorbs the difference.
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
"""Exponent of the photoelectric effect in heavy elements, 300 to 511 keV (NIST XCOM)."""

N_COSINES = 801
"""Number of scattering angles in a crystal."""

N_ENERGIES = 257
"""Number of energies between which w is interpolated; it is as smooth as cross-sections."""

STAYS = 0.5
"""Fraction q of photons scattered in a crystal that are fully absorbed in the block.

It applies if the size of the block is unknown.
"""


Efficiency = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Probability that a photon of an energy [keV] in a crystal is counted, relative to 511 keV."""


@lru_cache(maxsize=4)
def efficiency_of(
    window: EnergyWindow, depth: CrystalDepth, block_mm: tuple[float, float] | None
) -> Efficiency:
    """Return `counted` for a scanner, always as the same function, so that its tables are cached.

    Parameters
    ----------
    window
        energies that are counted
    depth
        depth and attenuation of the crystals
    block_mm
        size of a block across and along the axis [mm]; None if it is unknown
    """
    return lambda kev: counted(kev, window, depth, block_mm)


def counted(
    kev: NDArray[np.float64],
    window: EnergyWindow,
    depth: CrystalDepth,
    block_mm: tuple[float, float] | None = None,
) -> NDArray[np.float64]:
    """Return ε(E) / ε(511 keV) for photons that enter a crystal along its depth.

    Parameters
    ----------
    kev
        photon energies E [keV]
    window
        energies that are counted
    depth
        depth and attenuation of the crystals
    block_mm
        size of a block, whose crystals add their energies, across and along the axis [mm]; None if
        it is unknown
    """

    def share(energies: NDArray[np.float64]) -> NDArray[np.float64]:
        mu, photo = attenuation_of(energies, depth)
        # Without a block size, energy that escapes one crystal and is added from others is unknown.
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
    """Return μ(E) [1/mm] and φ of crystals.

    Parameters
    ----------
    kev
        photon energies [keV]
    depth
        depth and attenuation of the crystals

    Returns
    -------
    attenuation
        two arrays of the shape of `kev`
    """
    scattered = (1 - depth.photo_fraction) * total(kev) / total(np.array(ELECTRON_KEV))
    absorbed = depth.photo_fraction * (ELECTRON_KEV / kev) ** STEEPNESS
    return depth.attenuation_per_mm * (scattered + absorbed), absorbed / (absorbed + scattered)


def _whole_between(
    kev: NDArray[np.float64],
    lowest_kev: float,
    depth: CrystalDepth,
    block_mm: tuple[float, float],
) -> NDArray[np.float64]:
    """Return w as `_whole` does, interpolated between `N_ENERGIES` energies if there are more."""
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
    """Return the fraction w of detected photons whose measured energy is high enough."""
    # Average over all scattering angles, weighted by the differential cross-section.
    cosine = np.linspace(-1, 1, N_COSINES)[:, None]
    law = differential(cosine, kev)
    rest = kev * energy_ratio(cosine, kev)
    keeps = law * (rest >= lowest_kev)
    high = keeps.sum(axis=0) / law.sum(axis=0)
    mean = [
        np.divide((rest * part).sum(axis=0), part.sum(axis=0), out=kev.copy(), where=part.any(0))
        for part in (law - keeps, keeps)
    ]
    # Mean energies of the photons below and above the threshold stand for their distributions.
    low_stays, high_stays = (_staying(energy, depth, block_mm) for energy in mean)
    mu, photo = attenuation_of(mean[1], depth)
    goes_on = -np.expm1(-mu * depth.depth_mm / 2) * (photo + (1 - photo) * high_stays)
    scattered_part = (1 - high) * low_stays + high * (high_stays + (1 - high_stays) * goes_on)
    _, photo = attenuation_of(kev, depth)
    return photo + (1 - photo) * scattered_part


def _staying(
    kev: NDArray[np.float64], depth: CrystalDepth, block_mm: tuple[float, float]
) -> NDArray[np.float64]:
    """Return q: the probability that a photon of this energy in a block is fully absorbed in it."""
    mu, photo = attenuation_of(kev, depth)
    width, length = block_mm
    surface = 2 * (width * length + (width + length) * depth.depth_mm)
    optical_depth = mu * 4 * width * length * depth.depth_mm / surface
    met = optical_depth / (1 + optical_depth)
    return met * photo / (1 - met * (1 - photo))

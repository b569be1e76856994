"""How many photons of an energy a scanner counts, relative to those of 511 keV.

    ε(E) = W(E) (1 − exp(−μ(E) L)) [φ(E) + q (1 − φ(E))]
    μ(E) / μ = (1 − φ) σ(E) / σ + φ (511 keV / E)^2.5

W is the share that is read within the energy window, L the depth of the crystal and μ(E) its
attenuation: a part φ of it is photoelectric at 511 keV and falls so steeply with the energy, the
rest scatters (Klein and Nishina's σ). What scatters in a crystal is counted if the rest of its
energy stays in the block, which happens to a part q, more in larger blocks; the tails of a scan
tell what is left of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.energy import ELECTRON_KEV, EnergyWindow
from engine.geometry.line_efficiency import CrystalDepth
from engine.scatter.klein_nishina import total

STEEPNESS = 2.5
"""Power of heavy elements between 300 and 511 keV (NIST XCOM)."""

STAYS = 0.5
"""Part q of the photons scattered in a crystal whose whole energy stays in the block."""


def counted(
    kev: NDArray[np.float64], window: EnergyWindow, depth: CrystalDepth
) -> NDArray[np.float64]:
    """ε(E) / ε(511 keV) of photons that come straight into a crystal."""
    at_rest = np.array([ELECTRON_KEV])
    share = window.accepted(kev) * _stopped(kev, depth)
    return share / (window.accepted(at_rest) * _stopped(at_rest, depth))


def _stopped(kev: NDArray[np.float64], depth: CrystalDepth) -> NDArray[np.float64]:
    """Share of photons that leave all of their energy."""
    scattered = (1 - depth.photo_fraction) * total(kev) / total(np.array(ELECTRON_KEV))
    absorbed = depth.photo_fraction * (ELECTRON_KEV / kev) ** STEEPNESS
    mu = depth.attenuation_per_mm * (scattered + absorbed)
    whole = (absorbed + STAYS * scattered) / (absorbed + scattered)
    return -np.expm1(-mu * depth.depth_mm) * whole

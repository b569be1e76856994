"""Compton scattering of photons by free electrons.

With k = E / 511 keV, the ratio P = 1 / (1 + k (1 − cos θ)) of energies after and before, and r²
omitted from both,

    dσ/dΩ = ½ P² (P + 1/P − sin²θ)
    σ = 2π {(1 + k)/k² [2 (1 + k)/(1 + 2k) − ln(1 + 2k)/k] + ln(1 + 2k)/2k − (1 + 3k)/(1 + 2k)²}

(Klein & Nishina, Z Phys 52 (1929) 853). Tissue attenuates the photons of a PET scan by Compton
scattering, so its attenuation coefficient at another energy is proportional to σ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.energy import ELECTRON_KEV

Values = NDArray[np.float64]


def energy_ratio(cosine: Values, kev: float | Values = ELECTRON_KEV) -> Values:
    """Return the energy after scattering relative to the energy before.

    Parameters
    ----------
    cosine
        cosine of the scattering angle
    kev
        energy before scattering [keV]
    """
    return 1 / (1 + kev / ELECTRON_KEV * (1 - cosine))


def differential(cosine: Values, kev: float | Values = ELECTRON_KEV) -> Values:
    """Return the differential cross-section per steradian.

    Parameters
    ----------
    cosine
        cosine of the scattering angle
    kev
        energy before scattering [keV]

    Returns
    -------
    differential
        in units of the squared classical electron radius
    """
    ratio = energy_ratio(cosine, kev)
    return 0.5 * ratio**2 * (ratio + 1 / ratio - (1 - cosine**2))


def total(kev: Values) -> Values:
    """Return the total cross-section.

    Parameters
    ----------
    kev
        photon energy [keV]

    Returns
    -------
    total
        in units of the squared classical electron radius
    """
    k = np.asarray(kev, np.float64) / ELECTRON_KEV
    # log1p keeps precision at low energies, where two large terms nearly cancel.
    log = np.log1p(2 * k)
    first = (1 + k) / k**2 * (2 * (1 + k) / (1 + 2 * k) - log / k)
    return 2 * np.pi * (first + log / (2 * k) - (1 + 3 * k) / (1 + 2 * k) ** 2)

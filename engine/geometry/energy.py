"""Energy window of a scanner.

A photon of energy E that is absorbed is measured as a Gaussian about E, with a width proportional
to √E. It is counted if the measured energy is within the window:

    ε(E) = ½ [erf((E_high − E) / √2 σ) − erf((E_low − E) / √2 σ)],
    σ(E) = resolution · √(511 keV · E) / 2.355
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from engine.core.settings import Settings, setting
from engine.geometry.tof import FWHM_PER_SIGMA

ELECTRON_KEV = 510.99895
"""Rest energy of an electron, and of each photon of an annihilation (CODATA 2018)."""


@dataclass(frozen=True)
class EnergyWindow:
    """Accepted energies and energy resolution.

    Attributes
    ----------
    lowest_kev, highest_kev : bounds of the window
    resolution : full width at half maximum at 511 keV, relative to 511 keV; 0: exact
    """

    lowest_kev: float
    highest_kev: float
    resolution: float

    def sigma_kev(self, kev: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the standard deviation of the measured energy of photons [keV].

        Parameters
        ----------
        kev
            energies of the photons, of any shape

        Returns
        -------
        sigma_kev
            same shape
        """
        sigma: NDArray[np.float64] = self.resolution / FWHM_PER_SIGMA * np.sqrt(ELECTRON_KEV * kev)
        return sigma

    def accepted(self, kev: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of photons that are counted.

        Parameters
        ----------
        kev
            energies of the photons, of any shape

        Returns
        -------
        shares 0 to 1, same shape
        """
        # A perfect resolution would divide by zero; the window is then a sharp test.
        if self.resolution == 0:
            inside = (kev >= self.lowest_kev) & (kev <= self.highest_kev)
            return inside.astype(np.float64)
        width = sqrt(2) * self.sigma_kev(kev)
        # NumPy has no error function, and importing SciPy takes longer than these calls.
        below, above = (
            [erf(at) for at in ((bound - kev) / width).ravel().tolist()]
            for bound in (self.lowest_kev, self.highest_kev)
        )
        return np.reshape(0.5 * (np.array(above) - np.array(below)), np.shape(kev))


class EnergySettings(Settings):
    """Energies of a scanner file.

    Examples
    --------
    >>> import engine
    >>> from engine.geometry.energy import EnergySettings
    >>> EnergySettings(window_kev=(435, 585), resolution=0.1).window_kev
    (435.0, 585.0)
    """

    window_kev: tuple[float, float] = setting(..., "Energy window", unit="keV")
    resolution: float = setting(
        ..., "Energy resolution at 511 keV (FWHM), as a fraction", ge=0, le=0.5
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        low, high = self.window_kev
        if not 0 < low < ELECTRON_KEV < high <= 2000:
            raise ValueError(
                f"window_kev is {low:g} to {high:g}, expected a window that contains 511 keV "
                "and ends at 2000 keV at most"
            )
        return self

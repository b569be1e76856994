"""Time-of-flight bins along a line of response.

s = c (t1 − t2) / 2: zero at the midpoint of the line, positive nearer its second crystal. Bin t
covers s from edges[t] to edges[t + 1]. Bins have equal width and are centred on s = 0, so
exchanging the crystals of an event turns bin t into n_bins − 1 − t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.settings import Settings, setting

MM_PER_PS = 0.149896229
"""Half the speed of light: mm along the line per ps of time difference."""
FWHM_PER_SIGMA = 2.3548200450309493
"""2 √(2 ln 2): full width at half maximum of a Gaussian with σ = 1."""


@dataclass(frozen=True)
class TofBins:
    """Timing resolution and bins of a scanner.

    Attributes
    ----------
    fwhm_ps : coincidence timing resolution [ps]
    bin_ps : width of one bin [ps]
    n_bins : number of bins

    Examples
    --------
    >>> import engine
    >>> engine.TofBins(fwhm_ps=250, bin_ps=200, n_bins=13).centres_mm.shape
    (13,)
    """

    fwhm_ps: float
    bin_ps: float
    n_bins: int

    @property
    def sigma_mm(self) -> float:
        """Standard deviation of the position along the line [mm]."""
        return self.fwhm_ps * MM_PER_PS / FWHM_PER_SIGMA

    @property
    def bin_mm(self) -> float:
        """Width of one bin along the line [mm]."""
        return self.bin_ps * MM_PER_PS

    @property
    def edges_mm(self) -> NDArray[np.floating]:
        """Bin edges, (n_bins + 1,) [mm]."""
        return (np.arange(self.n_bins + 1) - self.n_bins / 2) * self.bin_mm

    @property
    def centres_mm(self) -> NDArray[np.floating]:
        """Bin centres, (n_bins,) [mm]."""
        return (np.arange(self.n_bins) - (self.n_bins - 1) / 2) * self.bin_mm


class TofSettings(Settings):
    """Timing of a scanner file."""

    fwhm_ps: float = setting(..., "Coincidence timing resolution", unit="ps", gt=0, le=5000)
    bin_ps: float = setting(..., "Width of one time bin", unit="ps", gt=0, le=20000)
    n_bins: int = setting(..., "Number of time bins", ge=1, le=4095)

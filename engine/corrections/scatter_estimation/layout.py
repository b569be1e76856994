"""Number of samples and time steps of a scatter simulation."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.rays.tof import CUTOFF_SIGMAS

STEPS_PER_SIGMA = 2.0
"""Steps along a path per standard deviation of the timing error."""
BINS_PER_FWHM = 4
"""Finer time bins are computed in groups, whose counts are divided evenly."""


@dataclass(frozen=True)
class TimeLayout:
    """Steps along a path and groups of time bins.

    Attributes
    ----------
    n_steps : steps of a path; 0 without time of flight
    n_groups : number of groups of time bins
    group : number of time bins in a group
    step_mm : width of a step [mm]
    stride : number of steps in a group
    reach_mm : reach of the timing blur [mm]
    """

    n_steps: int = 0
    n_groups: int = 1
    group: int = 1
    step_mm: float = 1.0
    stride: int = 1
    reach_mm: float = 0.0

    @classmethod
    def of(cls, tof: TofBins | None, grid: ImageGrid) -> TimeLayout:
        """Return the steps that the activity on a grid requires.

        Parameters
        ----------
        tof
            time bins of the scanner; None without time of flight
        grid
            grid of the activity
        """
        if tof is None:
            return cls()
        most = max(1, int(tof.fwhm_ps / BINS_PER_FWHM / tof.bin_ps))
        # Groups must have equal size, so only divisors of the number of bins qualify.
        group = max(n for n in range(1, most + 1) if tof.n_bins % n == 0)
        width = group * tof.bin_mm
        # Bin edges must coincide with step edges: the kernel subtracts two cumulative sums.
        stride = max(1, ceil(width * STEPS_PER_SIGMA / tof.sigma_mm))
        step = width / stride
        reach = CUTOFF_SIGMAS * tof.sigma_mm
        n_steps = ceil((float(np.linalg.norm(grid.size_mm)) + 2 * reach) / step)
        return cls(n_steps, tof.n_bins // group, group, step, stride, reach)

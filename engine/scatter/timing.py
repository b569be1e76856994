"""How activity on a path becomes counts in time bins.

Activity is summed in steps of the path that divide the bins. C(x), the activity up to x blurred by
the timing error, is the sum over steps times the error's distribution function, and a bin counts
the difference of C at its edges: all bins together what lies on the path.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from engine.data.volume import Volume
from engine.geometry.tof import TofBins
from engine.kernels import scatter as kernels
from engine.kernels.tof import CUTOFF_SIGMAS, cut_gaussian_cdf

STEPS_PER_SIGMA = 2.0
"""Steps of the blurred activity along a path."""
BINS_PER_FWHM = 4
"""Time bins finer than this are worked out together, and shared out evenly."""


@dataclass(frozen=True)
class PathTiming:
    """Steps along a path, and groups of time bins.

    Attributes
    ----------
    steps : as kernels take them
    n_steps : steps of a path; 0 without time of flight
    n_groups : groups of time bins
    group : time bins of each
    first_mm : first edge of the bins [mm]
    stride : steps of a group
    """

    steps: kernels.Steps
    n_steps: int
    n_groups: int
    group: int
    first_mm: float
    stride: int

    @classmethod
    def of(cls, tof: TofBins | None, image: Volume) -> PathTiming:
        """Lay steps that the activity of an image needs."""
        if tof is None:
            return cls(kernels.Steps(1.0, 0.0, np.empty(0)), 0, 1, 1, 0.0, 1)
        most = max(1, int(tof.fwhm_ps / BINS_PER_FWHM / tof.bin_ps))
        group = max(n for n in range(1, most + 1) if tof.n_bins % n == 0)
        n_groups = tof.n_bins // group
        width = group * tof.bin_mm
        stride = max(1, ceil(width * STEPS_PER_SIGMA / tof.sigma_mm))
        step = width / stride
        reach = CUTOFF_SIGMAS * tof.sigma_mm
        n_steps = ceil((float(np.linalg.norm(image.grid.size_mm)) + 2 * reach) / step)
        first = reach - n_steps * step  # the last edge lies behind the point by the blur
        edges = [
            cut_gaussian_cdf((i - n_steps - 0.5) * step / tof.sigma_mm)
            for i in range(2 * n_steps + 1)
        ]
        steps = kernels.Steps(step, first, np.array(edges))
        return cls(steps, n_steps, n_groups, group, float(tof.edges_mm[0]), stride)

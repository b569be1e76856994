"""Distribute the activity on a path over TOF bins.

Activity is summed in steps of the path that divide the bins. C(x), the activity up to x blurred by
the timing error, is the sum over steps times the distribution function of the error. A bin counts
the difference of C at its edges, so all bins together contain the activity of the path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.corrections.scatter_estimation.layout import TimeLayout
from engine.data.volume import Volume
from engine.geometry.tof import TofBins
from engine.kernels.rays.tof import cut_gaussian_cdf
from engine.kernels.scatter import paths


@dataclass(frozen=True)
class PathTiming:
    """Steps along a path, and groups of time bins.

    Attributes
    ----------
    steps : path steps in the layout of the kernels
    n_steps : steps of a path; 0 without time of flight
    n_groups : number of groups of time bins
    group : number of time bins in a group
    first_mm : first edge of the bins [mm]
    stride : number of steps in a group
    """

    steps: paths.Steps
    n_steps: int
    n_groups: int
    group: int
    first_mm: float
    stride: int

    @classmethod
    def of(cls, tof: TofBins | None, image: Volume) -> PathTiming:
        """Return the steps that the activity of an image requires.

        Parameters
        ----------
        tof
            time bins of the scanner; None without time of flight
        image
            activity, for its grid
        """
        time_layout = TimeLayout.of(tof, image.grid)
        # Without time of flight the kernels need only the whole integral of a path.
        if tof is None:
            return cls(paths.Steps(1.0, 0.0, np.empty(0)), 0, 1, 1, 0.0, 1)
        n_steps, step = time_layout.n_steps, time_layout.step_mm
        first = (
            time_layout.reach_mm - n_steps * step
        )  # the last edge is behind the point by the reach of the blur
        # The cut Gaussian is that of the projector, so scatter and trues have the same blur.
        edges = [
            cut_gaussian_cdf((i - n_steps - 0.5) * step / tof.sigma_mm)
            for i in range(2 * n_steps + 1)
        ]
        steps = paths.Steps(step, first, np.array(edges))
        first_edge = float(tof.edges_mm[0])
        return cls(
            steps, n_steps, time_layout.n_groups, time_layout.group, first_edge, time_layout.stride
        )

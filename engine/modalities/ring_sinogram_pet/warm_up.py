"""Compile the kernels of sinograms before a run needs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from engine.core.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.modalities.kernel_steps import TINY, Steps
from engine.modalities.ring_scatter.warm_up import of_scatter


def of_bins(
    on: Backend,
    grid: ImageGrid,
    mu_map: ImageGrid | None = None,
    tof: TofBins | None = None,
    *,
    scatter: bool = False,
) -> Steps:
    """Return calls that compile the kernels of a run.

    Parameters
    ----------
    on
        device; the source of a GPU kernel depends on all further parameters
    grid
        grid of the image
    mu_map
        grid through which attenuation is integrated; None if it is not
    tof
        time bins of the counts; the sensitivity has no time of flight
    scatter
        True if scatter is simulated, or its bias is estimated
    """
    from engine.operators.rays import RayProjector, Rays

    points = np.random.default_rng(0).uniform(-20, 20, (16, 3))
    rays = Rays(points, np.arange(16, dtype=np.int32).reshape(8, 2))

    def projected(grid: ImageGrid, exact: bool, tof: TofBins | None = None) -> None:
        timed = rays if tof is None else replace(rays, tof_bins=np.zeros(8, np.int16))
        A = RayProjector(timed, grid, on=on, tof=tof, reproducible=exact)
        # On a GPU, making the projector compiles it; on the CPU only a call does.
        if not on.is_cuda:
            A.T(A(np.ones(A.in_shape, np.float32)))

    # GPU kernels contain the size of the grid, CPU kernels do not.
    steps: list[Callable[[], object]] = [partial(projected, grid if on.is_cuda else TINY, False)]
    if tof is not None:
        steps.append(partial(projected, grid if on.is_cuda else TINY, False, tof))
    # Attenuation always uses exact sums, which are kernels of their own.
    if mu_map is not None:
        steps.append(partial(projected, mu_map if on.is_cuda else TINY, True))
    return steps + of_scatter(on, tof, scatter)

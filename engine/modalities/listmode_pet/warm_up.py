"""The kernels of list mode, compiled before a run needs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.modalities.ring_scatter.warm_up import of_scatter
from engine.modalities.warm_up import TINY, Steps

if TYPE_CHECKING:
    from engine.operators.rays import Rays

SOME_BINS = TofBins(fwhm_ps=300, bin_ps=200, n_bins=3)


def of_events(
    on: Backend,
    grid: ImageGrid,
    tof: TofBins | None,
    *,
    reproducible: bool,
    mu_map: ImageGrid | None = None,
    scatter: bool = False,
) -> Steps:
    """Return what compiles the kernels of a list-mode run.

    Parameters
    ----------
    on
        the device; the source of a GPU's kernels depends on all that follows
    grid
        the image
    tof
        timing of the events; the lines of the sensitivity know no time
    reproducible
        whether sums are exact
    mu_map
        the grid through which attenuation is summed, None where it is not; exactly for events, and
        as all else for the lines of the sensitivity
    scatter
        whether scatter is simulated
    """
    from engine.operators.rays import RayProjector

    def projector(grid: ImageGrid, tof: TofBins | None, exact: bool) -> RayProjector:
        rays = _few_rays(timed=tof is not None)
        return RayProjector(rays, grid, on=on, tof=tof, reproducible=exact)

    if on.is_cuda:
        scenes = {(grid, None, reproducible), (grid, tof, reproducible)}
        if mu_map is not None:
            scenes |= {(mu_map, None, exact) for exact in (True, reproducible)}
        return [partial(projector, *scene) for scene in scenes] + of_scatter(on, tof, scatter)
    A = projector(TINY, tof, reproducible)
    image, values = np.ones(A.in_shape, np.float32), np.ones(A.out_shape, np.float32)
    steps: list[Callable[[], object]] = [lambda: A.T(values), lambda: A.em_numerator(image)]
    if mu_map is not None:
        modes = {True, reproducible}
        steps += [partial(projector(TINY, None, exact), image) for exact in modes]
    return steps + of_scatter(on, tof, scatter)


def of_any_events(on: Backend) -> Steps:
    """Return what compiles all kernels of list mode on the CPU."""
    of_mode = partial(of_events, on, TINY, SOME_BINS)
    return [*of_mode(reproducible=False, mu_map=TINY, scatter=True), *of_mode(reproducible=True)]


def _few_rays(*, timed: bool) -> Rays:
    from engine.operators.rays import Rays

    points = np.random.default_rng(0).uniform(-20, 20, (16, 3))
    ends = np.arange(16, dtype=np.int32).reshape(8, 2)
    return Rays(points, ends, np.ones(8, np.int16) if timed else None)

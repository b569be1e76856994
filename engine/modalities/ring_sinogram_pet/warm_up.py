"""The kernels of sinograms, compiled before a run needs them: rays, forward and back."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.modalities.warm_up import TINY, Steps


def of_bins(on: Backend, grid: ImageGrid, mu_map: ImageGrid | None = None) -> Steps:
    """Return what compiles the kernels of a run.

    Parameters
    ----------
    on
        the device; the source of a GPU's kernels depends on all that follows
    grid
        the image
    mu_map
        the grid through which attenuation is summed, None where it is not
    """
    from engine.operators.rays import RayProjector, Rays

    points = np.random.default_rng(0).uniform(-20, 20, (16, 3))
    rays = Rays(points, np.arange(16, dtype=np.int32).reshape(8, 2))

    def projected(grid: ImageGrid, exact: bool) -> None:
        A = RayProjector(rays, grid, on=on, reproducible=exact)
        if not on.is_cuda:
            A.T(A(np.ones(A.in_shape, np.float32)))

    steps = [partial(projected, grid if on.is_cuda else TINY, False)]
    if mu_map is not None:
        steps.append(partial(projected, mu_map if on.is_cuda else TINY, True))
    return list(steps)

"""The kernels of list mode, compiled before a run needs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
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
        return [partial(projector, *scene) for scene in scenes] + _of_scatter(tof, scatter)
    A = projector(TINY, tof, reproducible)
    image, values = np.ones(A.in_shape, np.float32), np.ones(A.out_shape, np.float32)
    steps: list[Callable[[], object]] = [lambda: A.T(values), lambda: A.em_numerator(image)]
    if mu_map is not None:
        modes = {True, reproducible}
        steps += [partial(projector(TINY, None, exact), image) for exact in modes]
    return steps + _of_scatter(tof, scatter)


def of_any_events(on: Backend) -> Steps:
    """Return what compiles all kernels of list mode on the CPU."""
    of_mode = partial(of_events, on, TINY, SOME_BINS)
    return [*of_mode(reproducible=False, mu_map=TINY, scatter=True), *of_mode(reproducible=True)]


def _of_scatter(tof: TofBins | None, scatter: bool) -> list[Callable[[], object]]:
    return [partial(_simulate_little, tof)] if scatter else []


def _simulate_little(tof: TofBins | None) -> None:
    """Simulate the scatter of next to nothing, in two crystals for each sample."""
    from engine.backend import cpu
    from engine.data.volume import Volume
    from engine.geometry.ring import RingScanner, RingSettings
    from engine.scatter.cost import USUAL
    from engine.scatter.simulation import simulate_scatter

    settings = RingSettings(
        name="Tiny", n_rings=1, n_crystals_per_ring=16, radius_mm=100, ring_pitch_mm=4,
        max_ring_difference=0, n_tangential=6, fov_mm=(60, 4),
    )  # fmt: skip
    ring = RingScanner(settings)
    ring.tof = tof
    water = Volume(np.full(TINY.shape, 0.0096, np.float32), TINY, "1/mm")
    timed = tof is not None
    table = simulate_scatter(
        water, water, ring, USUAL, with_tof=timed, n_points=2, seed=1, on=cpu()
    )
    bins = np.zeros(1, np.int16) if timed else None
    table.of_lines(ring.positions_mm, np.array([[0, 8]], np.int32), bins)


def _few_rays(*, timed: bool) -> Rays:
    from engine.operators.rays import Rays

    points = np.random.default_rng(0).uniform(-20, 20, (16, 3))
    ends = np.arange(16, dtype=np.int32).reshape(8, 2)
    return Rays(points, ends, np.ones(8, np.int16) if timed else None)

"""Compile the kernels of list mode before a run needs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.core.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.modalities.kernel_steps import TINY, Steps

if TYPE_CHECKING:
    from engine.geometry.ring import RingScanner
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
    """Return calls that compile the kernels of a list-mode run.

    Parameters
    ----------
    on
        device; the source of a GPU kernel depends on all further parameters
    grid
        grid of the image
    tof
        time bins of the events; the sensitivity has no time of flight
    reproducible
        True for integer sums
    mu_map
        grid through which attenuation is integrated; None if it is not. Events use exact sums,
        lines of the sensitivity the mode of the run
    scatter
        True if scatter is simulated
    """
    from engine.operators.rays import RayProjector

    def projector(grid: ImageGrid, tof: TofBins | None, exact: bool) -> RayProjector:
        rays = _few_rays(timed=tof is not None)
        return RayProjector(rays, grid, on=on, tof=tof, reproducible=exact)

    rings: Steps = [partial(_sum_little, with_body=mu_map is not None)]
    scattering: Steps = []
    if scatter:
        from engine.modalities.ring_scatter.warm_up import of_scatter

        scattering = of_scatter(on, tof, scatter)
    # On a GPU, making the projector compiles it; on the CPU only a call does.
    if on.is_cuda:
        scenes = {(grid, None, reproducible), (grid, tof, reproducible)}
        if mu_map is not None:
            scenes |= {(mu_map, None, exact) for exact in (True, reproducible)}
        made = [partial(projector, *scene) for scene in scenes]
        return [*made, *rings, *scattering]
    A = projector(TINY, tof, reproducible)
    image, values = np.ones(A.in_shape, np.float32), np.ones(A.out_shape, np.float32)
    steps: list[Callable[[], object]] = [lambda: A.T(values), lambda: A.em_numerator(image)]
    if mu_map is not None:
        modes = {True, reproducible}
        steps += [partial(projector(TINY, None, exact), image) for exact in modes]
    return [*steps, *rings, *scattering]


def of_any_events(on: Backend) -> Steps:
    """Return calls that compile all list-mode kernels of the CPU.

    Parameters
    ----------
    on
        device
    """
    of_mode = partial(of_events, on, TINY, SOME_BINS)
    modes = [*of_mode(reproducible=False, mu_map=TINY, scatter=True), *of_mode(reproducible=True)]
    return [*modes, _sort_few]


def _sort_few() -> None:
    """Sort a few events as is done for scans that do not fit in memory."""
    from engine.data.listmode import ListMode
    from engine.data.storage.columns import MEMORY
    from engine.modalities.listmode_pet.spatial_sort import ScanInMemory, sort_in_space

    columns = {"time_ms": np.uint32, "tof_bins": np.int16, "additive": np.float32}
    few = {name: np.zeros(1, kind) for name, kind in columns.items()}
    scan = ListMode(_tiny_ring(), np.array([[0, 8]], np.int32), **few)  # type: ignore[arg-type]
    sort_in_space(ScanInMemory(scan), MEMORY, threads=1)


def _sum_little(*, with_body: bool) -> None:
    """Compute the sensitivity of a tiny ring, which has the kernels of all rings."""
    from engine.corrections.attenuation import AttenuationFactor
    from engine.data.line_factors import LineFactor
    from engine.data.listmode import ListMode
    from engine.data.volume import Volume
    from engine.modalities.listmode_pet.body_ratio import ratio_of
    from engine.modalities.listmode_pet.ring_sensitivity import exact_image
    from engine.modalities.listmode_pet.ring_weights import RingWeights

    water = Volume(np.full(TINY.shape, 0.0096, np.float32), TINY, "1/mm")
    factors: tuple[LineFactor, ...] = (AttenuationFactor(water),) if with_body else ()
    scan = ListMode(_tiny_ring(), np.array([[0, 8]], np.int32), line_factors=factors)
    weights = RingWeights.of(scan)
    if weights is not None:
        exact_image(weights, TINY, threads=1)
        ratio_of(weights, TINY, threads=1)


def _tiny_ring() -> RingScanner:
    from engine.geometry.ring import RingScanner, RingSettings

    settings = RingSettings(
        name="Tiny", n_rings=1, n_crystals_per_ring=16, radius_mm=100, ring_pitch_mm=4,
        max_ring_difference=0, n_tangential=6, fov_mm=(60, 4),
    )  # fmt: skip
    return RingScanner(settings)


def _few_rays(*, timed: bool) -> Rays:
    from engine.operators.rays import Rays

    points = np.random.default_rng(0).uniform(-20, 20, (16, 3))
    ends = np.arange(16, dtype=np.int32).reshape(8, 2)
    return Rays(points, ends, np.ones(8, np.int16) if timed else None)

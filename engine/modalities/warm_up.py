"""Have the kernels ready before a reconstruction needs them.

A step compiles one kernel, or loads it from where it was kept: Numba's cache, or CuPy's. Steps call
the operators that a run calls, over next to nothing, so that the arguments are of the same types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.backend import Backend, cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins

if TYPE_CHECKING:
    from engine.data.response import ResponseMatrix
    from engine.operators.rays import Rays
    from engine.operators.xray import XrayTransform

TINY = ImageGrid((4, 4, 4), (2.0, 2.0, 2.0))
TALL, FLAT = (ImageGrid((n, 4, 4), (2.0, 2.0, 2.0)) for n in (16, 1))
SOME_BINS = TofBins(fwhm_ps=300, bin_ps=200, n_bins=3)
TILT = 0.1
FEW_POINTS = 512

Steps = Sequence[Callable[[], object]]


def warm_up(steps: Steps) -> Iterator[tuple[int, int]]:
    """Take steps; yields (done, in all) after each."""
    for number, step in enumerate(steps, 1):
        step()
        yield number, len(steps)


def of_events(
    on: Backend,
    grid: ImageGrid,
    tof: TofBins | None,
    *,
    reproducible: bool,
    mu_map: ImageGrid | None = None,
) -> Steps:
    """Return the steps that warm up list mode.

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
    """
    from engine.operators.rays import RayProjector

    def projector(grid: ImageGrid, tof: TofBins | None, exact: bool) -> RayProjector:
        rays = _few_rays(timed=tof is not None)
        return RayProjector(rays, grid, on=on, tof=tof, reproducible=exact)

    if on.is_cuda:
        scenes = {(grid, None, reproducible), (grid, tof, reproducible)}
        if mu_map is not None:
            scenes |= {(mu_map, None, exact) for exact in (True, reproducible)}
        return [partial(projector, *scene) for scene in scenes]
    A = projector(TINY, tof, reproducible)
    image, values = np.ones(A.in_shape, np.float32), np.ones(A.out_shape, np.float32)
    steps: list[Callable[[], object]] = [lambda: A.T(values), lambda: A.em_numerator(image)]
    if mu_map is not None:
        modes = {True, reproducible}
        steps += [partial(projector(TINY, None, exact), image) for exact in modes]
    return steps


def of_projections(A: XrayTransform, *, direct: bool) -> Steps:
    """Return the steps of X-rays; `direct` : of filtered back projection, not of iterations."""
    if direct:
        return [partial(A.compile, "back_project")]
    return [partial(A.compile, "forward"), partial(A.compile, "adjoint")]


def of_response(response: ResponseMatrix, *, on: Backend) -> Steps:
    """Return the steps that sort the rows of a stored response and project with them."""
    from engine.operators.matrix import MatrixProjector
    from engine.operators.matrix_device import DeviceResponse
    from engine.operators.matrix_rows import sorted_rows
    from engine.profiling import Profiler

    if on.gpu is not None:
        stored = partial(DeviceResponse, response, on.gpu, Profiler(on))
        return [stored, lambda: stored().grouped(np.arange(1))]
    A = MatrixProjector(response, on=on, orientations=np.arange(1))
    image, values = np.zeros(A.in_shape, np.float32), np.zeros(A.out_shape, np.float32)
    one = response.scanner.orientations.offsets[:1]
    return [
        lambda: sorted_rows(response, one, A.dtype), lambda: A(image), lambda: A.T(values)
    ]  # fmt: skip


def of_any_scan(on: Backend) -> Steps:
    """All kernels of the CPU."""
    of_mode = partial(of_events, on, TINY, SOME_BINS)
    events = [*of_mode(reproducible=False, mu_map=TINY), *of_mode(reproducible=True)]
    return [*events, *_of_any_xray(on), partial(_compute_and_project, on)]


def _of_any_xray(on: Backend) -> Steps:
    """Detectors that stand upright or not, and single slices."""
    from engine.geometry.orbits import circular_cone
    from engine.operators.xray import XrayTransform

    upright = circular_cone(
        np.arange(2.0), source_axis_mm=100, source_detector_mm=150, shape=(16, 16), pixel_mm=2
    )
    scenes = ((upright, TALL), (upright.rolled(TILT), TALL), (upright, FLAT))
    tall, rolled, flat = (XrayTransform(*scene, on=on) for scene in scenes)
    iterating = (step for A in (tall, rolled) for step in of_projections(A, direct=False))
    direct = (step for A in (tall, rolled, flat) for step in of_projections(A, direct=True))
    return [*iterating, *direct]


def _compute_and_project(on: Backend) -> None:
    """Compute a small response, and project with it."""
    from engine.geometry.dual_head import DualHead, DualHeadSettings
    from engine.modalities.dual_head_pet.response.building import build_analytic
    from engine.modalities.dual_head_pet.response.settings import AnalyticResponse

    panels = DualHeadSettings(
        name="few", n_rows=2, n_columns=2, pitch_mm=2, crystal_mm=2, thickness_mm=10,
        separation_mm=10, n_planes=2, plane_mm=2,
    )  # fmt: skip
    few = AnalyticResponse(n_points=FEW_POINTS)
    response = build_analytic(DualHead(panels), few, threads=on.threads)
    for step in of_response(response, on=on):
        step()


def _few_rays(*, timed: bool) -> Rays:
    from engine.operators.rays import Rays

    points = np.random.default_rng(0).uniform(-20, 20, (16, 3))
    ends = np.arange(16, dtype=np.int32).reshape(8, 2)
    return Rays(points, ends, np.ones(8, np.int16) if timed else None)


def main() -> None:
    """Warm the CPU up, with a line for each kernel."""
    import sys

    for done, total in warm_up(of_any_scan(cpu())):
        sys.stdout.write(f"warming up kernels: {done} of {total}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Have the kernels ready before the first reconstruction needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.backend import Backend, cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins

if TYPE_CHECKING:
    from engine.operators.rays import Rays

TINY = ImageGrid((4, 4, 4), (2.0, 2.0, 2.0))
SOME_BINS = TofBins(fwhm_ps=300, bin_ps=200, n_bins=3)

Steps = tuple[Callable[[], object], ...]


def warm_up(
    on: Backend | None = None,
    grid: ImageGrid = TINY,
    tof: TofBins | None = SOME_BINS,
    *,
    reproducible: bool = False,
) -> Iterator[tuple[int, int]]:
    """Load or compile kernels; yields (done, in all).

    On the CPU all of them, into Numba's cache. On a GPU those of this image and timing, in this
    mode, for their source depends on all three.
    """
    on = on or cpu()
    steps = _on_gpu(on, grid, tof, reproducible) if on.is_cuda else _on_cpu(on)
    for number, step in enumerate(steps, 1):
        step()
        yield number, len(steps)


def _on_cpu(on: Backend) -> Steps:
    """Run every kernel once on a few rays."""
    from engine.operators.rays import RayProjector

    rays = _few_rays(timed=True)
    image, values = np.ones(TINY.shape, np.float32), np.ones(8, np.float32)
    plain = RayProjector(rays, TINY, on=on, tof=SOME_BINS)
    exact = RayProjector(rays, TINY, on=on, tof=SOME_BINS, reproducible=True)
    return (
        lambda: plain(image),
        lambda: plain.T(values),
        lambda: plain.em_shares(image),
        lambda: exact(image),
        lambda: exact.T(values),
        lambda: exact.em_shares(image),
    )


def _on_gpu(on: Backend, grid: ImageGrid, tof: TofBins | None, reproducible: bool) -> Steps:
    """Compile for the events, and for the lines of the sensitivity, which know no time."""
    from engine.operators.rays import RayProjector

    def compile_for(tof: TofBins | None) -> object:
        rays = _few_rays(timed=tof is not None)
        return RayProjector(rays, grid, on=on, tof=tof, reproducible=reproducible)

    timings = (None,) if tof is None else (None, tof)
    return tuple(partial(compile_for, each) for each in timings)


def _few_rays(*, timed: bool) -> Rays:
    from engine.operators.rays import Rays

    points = np.random.default_rng(0).uniform(-20, 20, (16, 3))
    ends = np.arange(16, dtype=np.int32).reshape(8, 2)
    return Rays(points, ends, np.ones(8, np.int16) if timed else None)


def main() -> None:
    """Warm up with a line for each kernel."""
    import sys

    for done, total in warm_up():
        sys.stdout.write(f"warming up kernels: {done} of {total}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Compile the CPU kernels into their cache, so that the first reconstruction starts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from engine.backend import Backend, cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins

N_STEPS = 4


def warm_up(on: Backend | None = None) -> Iterator[tuple[int, int]]:
    """Run every kernel once on a few rays; yields (kernels done, kernels in all)."""
    from engine.operators.rays import RayProjector, Rays

    on = on or cpu()
    rng = np.random.default_rng(0)
    grid = ImageGrid((4, 4, 4), (2.0, 2.0, 2.0))
    points = rng.uniform(-20, 20, (16, 3))
    ends = np.arange(16, dtype=np.int32).reshape(8, 2)
    tof = TofBins(fwhm_ps=300, bin_ps=200, n_bins=3)
    bins = np.ones(8, np.int16)
    image = np.ones(grid.shape, np.float32)
    projector = RayProjector(Rays(points, ends, bins), grid, on=on, tof=tof)
    exact = RayProjector(Rays(points, ends, bins), grid, on=on, tof=tof, reproducible=True)
    steps: tuple[Callable[[], object], ...] = (
        lambda: projector(image),
        lambda: (projector.T(np.ones(8, np.float32)), exact.T(np.ones(8, np.float32))),
        lambda: projector.em_shares(image),
        lambda: exact.em_shares(image),
    )
    for number, step in enumerate(steps, 1):
        step()
        yield number, N_STEPS


def main() -> None:
    """Warm up with a line for each kernel."""
    import sys

    for done, total in warm_up():
        sys.stdout.write(f"warming up kernels: {done} of {total}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

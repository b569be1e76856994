"""Compile the kernels of scatter before a run needs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from engine.core.backend import Backend
from engine.geometry.tof import TofBins
from engine.modalities.kernel_steps import TINY


def of_scatter(
    on: Backend, tof: TofBins | None, scatter: bool, *, twice: bool = True
) -> list[Callable[[], object]]:
    """Return calls that compile the kernels of scatter.

    Parameters
    ----------
    on
        device
    tof
        time bins of the counts; None without time of flight
    scatter
        True if scatter is simulated; otherwise there is nothing to compile
    twice
        True to include double scatter
    """
    return [partial(_simulate_little, on, tof, twice)] if scatter else []


def _simulate_little(on: Backend, tof: TofBins | None, twice: bool) -> None:
    """Simulate the scatter of a tiny image, with two crystals for each sample."""
    from engine.corrections.scatter_estimation.cost import TYPICAL_WINDOW
    from engine.corrections.scatter_estimation.double_scatter import simulate_twice
    from engine.corrections.scatter_estimation.simulation import simulate_scatter
    from engine.data.volume import Volume
    from engine.geometry.ring import RingScanner, RingSettings

    settings = RingSettings(
        name="Tiny", n_rings=1, n_crystals_per_ring=16, radius_mm=100, ring_pitch_mm=4,
        # Small enough for milliseconds, large enough for samples that face each other.
        max_ring_difference=0, n_tangential=6, fov_mm=(60, 4),
    )  # fmt: skip
    ring = RingScanner(settings)
    ring.tof = tof
    water = Volume(np.full(TINY.shape, 0.0096, np.float32), TINY, "1/mm")
    timed = tof is not None
    table = simulate_scatter(
        water, water, ring, TYPICAL_WINDOW, with_tof=timed, n_points=2, seed=1, on=on
    )
    bins = np.zeros(1, np.int16) if timed else None
    table.of_lines(ring.positions_mm, np.array([[0, 8]], np.int32), bins)
    if twice:
        simulate_twice(
            water, water, ring, TYPICAL_WINDOW, samples=table.samples, n_points=2, seed=1, on=on
        )

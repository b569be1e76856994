"""What scatter points send to pairs of detector samples, summed by the processor or by a GPU.

Points are added in their order on both, so that sums have the same bits for any number of threads;
between devices they agree to the rounding of functions such as the exponential.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.backend import Backend
from engine.kernels import scatter as kernels
from engine.kernels.blocks import run_blocks
from engine.kernels.device_scatter import DeviceScatter, OnProgress, ScatterScene
from engine.scatter.samples import ScatterPoints

POINTS_AT_ONCE = 32
"""Scatter points whose paths are held at a time."""


def summed(
    scene: ScatterScene,
    points: ScatterPoints,
    *,
    on: Backend,
    on_progress: OnProgress | None = None,
) -> NDArray[np.float64]:
    """Return the single scatter (n, n, n_bins) of scatter points, each pair once."""
    places, weights = points.places_mm, points.weights_mm2
    if on.gpu is not None:
        return DeviceScatter(on.gpu).sums(scene, places, weights, POINTS_AT_ONCE, on_progress)
    n = len(scene.samples.places_mm)
    sums = np.zeros((n, n, scene.n_bins))
    for start in range(0, len(places), POINTS_AT_ONCE):
        rows = slice(start, start + POINTS_AT_ONCE)
        paths = traced(scene, places[rows], on.threads)
        _add(scene, weights[rows], paths, sums, on.threads)
        if on_progress is not None:
            on_progress(min(rows.stop, len(places)), len(places))
    return sums


def traced(scene: ScatterScene, places: Array, threads: int) -> kernels.Paths:
    """Return the paths from places (m, 3) [mm] to all samples, traced by the processor."""
    shape = len(places), len(scene.samples.places_mm)
    paths = kernels.Paths(
        np.empty((*shape, 3)),
        np.empty(shape),
        np.empty(shape),
        np.empty(shape),
        np.empty((*shape, scene.n_steps + 1), np.float32),
    )
    fields = scene.activity, scene.mu

    def work(_: int, start: int, stop: int) -> None:
        kernels.trace_paths(start, stop, places, scene.samples, *fields, scene.steps, paths)

    run_blocks(work, len(places), threads, smallest=1)
    return paths


def _add(
    scene: ScatterScene, weights: Array, paths: kernels.Paths, sums: Array, threads: int
) -> None:
    edges = scene.bins_mm, scene.stride

    def work(_: int, start: int, stop: int) -> None:
        kernels.add_pairs(
            start, stop, scene.partners, weights, paths, scene.angles, scene.steps, edges, sums
        )

    run_blocks(work, len(sums), threads, smallest=1)

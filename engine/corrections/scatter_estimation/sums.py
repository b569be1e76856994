"""Sum scatter from all points to pairs of detector samples, on CPU or GPU.

Both devices add points in the same order, so sums have the same bits for any number of threads.
Between devices they agree to the rounding of functions such as the exponential.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.corrections.scatter_estimation.samples import ScatterPoints
from engine.kernels.blocks import aligned_zeros, pad, run_blocks
from engine.kernels.processor import LANES
from engine.kernels.scatter import paths as scatter_paths
from engine.kernels.scatter import single_scatter as kernels
from engine.kernels.scatter import untimed_scatter as untimed
from engine.kernels.scatter.device_scatter import DeviceScatter, OnProgress, ScatterScene

POINTS_AT_ONCE, UNTIMED_AT_ONCE = 32, 128
"""Scatter points whose paths are in memory at a time; on the CPU without time of flight."""
OnPaths = Callable[[scatter_paths.Paths], None]
"""Called with the paths of the next scatter points to all samples."""
DEGREE = 9
"""Degree of the polynomial for the growth of attenuation; accurate to 1e-6 of the attenuation."""


def summed(
    scene: ScatterScene,
    points: ScatterPoints,
    *,
    on: Backend,
    on_progress: OnProgress | None = None,
    on_paths: OnPaths | None = None,
) -> NDArray[np.float64]:
    """Return the single scatter of scatter points for each pair of samples.

    Parameters
    ----------
    scene
        object and detector samples
    points
        scatter points
    on
        GPU, or CPU with its threads
    on_progress
        called with the number of scatter points done and in total; may raise to stop
    on_paths
        called with the paths of each batch of scatter points; a GPU does not call it

    Returns
    -------
    sums
        (n, n, n_bins), each pair once
    """
    places, weights = points.places_mm, points.weights_mm2
    if on.gpu is not None:
        return DeviceScatter(on.gpu).sums(scene, places, weights, POINTS_AT_ONCE, on_progress)
    n, at_once = len(scene.samples.places_mm), POINTS_AT_ONCE if scene.n_steps else UNTIMED_AT_ONCE
    sums = np.zeros((n, n, scene.n_bins))
    fields = _bordered(scene.activity), _bordered(scene.mu)
    # Without time of flight the sum over a path is known in advance, so a faster kernel suffices.
    quick = _quick(scene.angles) if scene.n_bins == 1 and not scene.n_steps else None
    for start in range(0, len(places), at_once):
        rows = slice(start, start + at_once)
        paths = _traced(scene, fields, places[rows], on.threads)
        if on_paths is not None:
            on_paths(paths)
        if quick is None:
            _add(scene, weights[rows], paths, sums, on.threads)
        else:
            _add_untimed(scene, quick, weights[rows], paths, sums[..., 0], on.threads)
        if on_progress is not None:
            on_progress(min(rows.stop, len(places)), len(places))
    return sums


def traced(scene: ScatterScene, places: Array, threads: int) -> scatter_paths.Paths:
    """Return the paths from points to all samples, traced on the CPU.

    Parameters
    ----------
    scene
        object and detector samples
    places
        (m, 3) points [mm]
    threads
        number of threads
    """
    fields = _bordered(scene.activity), _bordered(scene.mu)
    return _traced(scene, fields, places, threads)


def _traced(
    scene: ScatterScene,
    fields: tuple[scatter_paths.Field, scatter_paths.Field],
    places: Array,
    threads: int,
) -> scatter_paths.Paths:
    shape = n_points, n_samples = len(places), len(scene.samples.places_mm)
    n_edges = scene.n_steps + 1 if scene.n_steps else 0
    paths = scatter_paths.Paths(
        np.empty((n_points, 3, n_samples)),
        np.empty(shape),
        np.empty(shape),
        np.empty(shape),
        np.empty(shape),
        np.empty(shape),
        np.empty((*shape, n_edges), np.float32),
    )

    def work(_: int, start: int, stop: int) -> None:
        scatter_paths.trace_paths(start, stop, places, scene.samples, *fields, scene.steps, paths)

    run_blocks(work, len(places), threads, smallest=1)
    return paths


def _bordered(field: scatter_paths.Field) -> scatter_paths.Field:
    """Return the field with a border of one empty voxel, its map of empty parts and its faces."""
    # With the border, interpolation at the edge needs no test of its indices.
    values = pad(field.values, np.float32)
    is_clear, faces = scatter_paths.clear_blocks(values), scatter_paths.faces_of(values)
    return field._replace(values=values, is_clear=is_clear, faces=faces)


def _add(
    scene: ScatterScene, weights: Array, paths: scatter_paths.Paths, sums: Array, threads: int
) -> None:
    edges = scene.bins_mm, scene.stride

    def work(_: int, start: int, stop: int) -> None:
        kernels.add_pairs(
            start, stop, scene.partners, weights, paths, scene.angles, scene.steps, edges, sums
        )

    run_blocks(work, len(sums), threads, smallest=1)


def _add_untimed(
    scene: ScatterScene,
    angles: untimed.QuickTables,
    weights: Array,
    paths: scatter_paths.Paths,
    sums: Array,
    threads: int,
) -> None:
    n_points, _, n_samples = paths.directions.shape
    full, n_blocks = n_points // LANES, -(-n_points // LANES)
    rows = aligned_zeros((n_samples, n_blocks, untimed.N_ROWS, LANES))

    # The kernel reads a block of points of one sample at a time.
    def arrange(_: int, start: int, stop: int) -> None:
        some = slice(start, stop)
        directions = (paths.directions[:, axis] for axis in range(3))
        each = *directions, paths.reaching, paths.attenuation, paths.total
        for i, values in enumerate(each):
            own = values[:, some]
            in_blocks = own[: full * LANES].reshape(full, LANES, own.shape[1])
            rows[some, :full, i] = in_blocks.transpose(2, 0, 1)
            rows[some, full:, i, : n_points - full * LANES] = own[full * LANES :].T[:, None]

    run_blocks(arrange, n_samples, threads, smallest=32)

    def work(_: int, start: int, stop: int) -> None:
        untimed.add_untimed(start, stop, scene.partners, weights, rows, angles, sums)

    run_blocks(work, len(sums), threads, smallest=1)


def _quick(angles: kernels.AngleTables) -> untimed.QuickTables:
    """Return the tables in the layout of the kernel without time of flight."""
    cosine = np.linspace(angles.least, 1.0, angles.chance.size)
    # A polynomial of the growth costs less than a second table look-up.
    fitted = np.polynomial.Chebyshev.fit(1.0 - cosine, angles.growth, DEGREE)
    powers = fitted.convert(kind=np.polynomial.Polynomial).coef
    chance = angles.chance.astype(np.float32)
    return untimed.QuickTables(angles.least, chance, powers.astype(np.float32))

"""Memory and time that the scatter estimate of a run needs.

With P pairs of detector samples in G groups of time bins, n samples, T steps of time and M scatter
points in all rounds, the simulation takes

    M [n (L c_step + T² c_blur) + P/2 (c_pair + G c_bin)] / threads,

L the steps of half a voxel from a point through the μ-map, whose voxels are joined, and through the
coarse image. Beside it stand the updates of the coarse images, their sensitivity, and reading the
table at the events.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.backend.devices import DeviceInfo
from engine.corrections.scatter import Simulation
from engine.corrections.scatter_estimation.layout import TimeLayout
from engine.corrections.scatter_estimation.samples import n_samples
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner
from engine.kernels.scatter.device_scatter import batch_bytes, table_bytes
from engine.modalities.ring_scatter.effort import N_LINES, coarse_grid, map_edge_mm, n_points_of

BYTES_PER_PAIR, BYTES_PER_PAIR_AND_GROUP = 104, 24
"""Memory of a pair of samples: factors of its line; sums, their mirror, this table and the last."""
PATHS_AT_ONCE, UNTIMED_AT_ONCE = 32, 128
"""Scatter points whose paths are held, with time of flight and without."""
BYTES_PER_PATH, BYTES_PER_STEP = 112, 4
"""What a path and a step of its time take."""
BYTES_PER_LINE = 120
"""Memory of a line that stands for others, on its way from number to scatter."""
BYTES_PER_PART_ROW = 80
"""Memory of a row of the coarse images, an event or a bin."""
BYTES_PER_COARSE_VOXEL, SUM_BYTES = 160, 8
"""Memory of a voxel of the coarse image, and of the sums of a thread."""
BYTES_PER_MU_VOXEL, BYTES_PER_VOXEL_INSIDE = 64, 160
"""Memory of a voxel of the μ-map while its border is found, and where points are drawn from."""
STEPS_PER_SECOND, BLURS_PER_SECOND = 1.6e8, 1.3e9
"""Steps on a path, and products of the time blur, in a second of a thread."""
PAIRS_PER_SECOND, TIMED_PER_SECOND, BINS_PER_SECOND = 3.3e8, 2.5e7, 6.5e8
"""Pairs that a point sends to, without time of flight and with it, and groups of bins of them, in a
second of a thread."""
LINES_READ_PER_SECOND = 3e6
"""Lines whose efficiency, path and scatter are read in a second."""
GPU_THREADS = 20
"""Threads of a processor that a GPU simulates as fast as: assumed, for a small card; the window
corrects it by what it measures."""
CHORD = 0.7
"""Part of the width of a grid that paths cross, on average."""


@dataclass(frozen=True)
class ScatterAmounts:
    """Amount of work of a scatter estimate.

    Attributes
    ----------
    rows : events, or bins, whose scatter is expected
    part : those of the coarse images
    lines : lines of the scanner, or live bins of it
    listed : lines whose efficiency is looked up before the rounds
    traced : lines and rows through the coarse image, in all rounds
    row_bytes : memory of a row whose scatter is read, where the scan has no room for it
    """

    rows: int
    part: int
    lines: int
    listed: int
    traced: float
    row_bytes: int


@dataclass(frozen=True)
class ScatterNeeds:
    """Memory and time of a scatter estimate.

    Attributes
    ----------
    memory_bytes : memory of the machine, besides the counts
    seconds : seconds of the whole stage
    part_rows, coarse : rows and grid of the coarse images, which a GPU makes
    mu_map : the grid that lines are traced through
    gpu_bytes : gpu of a GPU that simulates
    """

    memory_bytes: int
    seconds: float
    part_rows: int
    coarse: ImageGrid
    mu_map: ImageGrid
    gpu_bytes: int


def needs_of(
    settings: Simulation,
    scanner: Scanner,
    mu_map: Volume,
    amounts: ScatterAmounts,
    *,
    is_timed: bool,
    on: DeviceInfo,
    slabs_per_second: float,
) -> ScatterNeeds:
    """Return what scatter takes that is simulated.

    Parameters
    ----------
    settings
        rounds and points
    scanner
        rings of crystals
    mu_map
        attenuation [1/mm]
    amounts
        amount of work for the scan
    is_timed
        True if time bins are told apart
    on
        makes the coarse images and simulates
    slabs_per_second
        slabs of a voxel that rays pass in the coarse images
    """
    coarse, n = coarse_grid(scanner), n_samples(scanner)
    layout = TimeLayout.of(scanner.tof if is_timed else None, coarse)
    memory = (
        _table_bytes(n, layout)
        + _mu_map_bytes(mu_map)
        + min(N_LINES, amounts.lines) * BYTES_PER_LINE
        + amounts.part * BYTES_PER_PART_ROW
        + amounts.rows * amounts.row_bytes
        + coarse.n_voxels * (BYTES_PER_COARSE_VOXEL + SUM_BYTES * max(on.threads, 1))
    )
    points = sum(n_points_of(settings, number) for number in range(settings.rounds))
    per_point = _point_seconds(n, layout, mu_map.grid, coarse)
    traced = CHORD * max(coarse.shape) * amounts.traced
    traced += CHORD * max(mu_map.grid.shape) * (2 * N_LINES + amounts.part)
    read = amounts.listed + settings.rounds * (amounts.part + N_LINES) + amounts.rows
    seconds = points * per_point / (GPU_THREADS if on.is_gpu else max(on.threads, 1))
    seconds += traced / slabs_per_second + read / LINES_READ_PER_SECOND
    fields = 4 * (coarse.n_voxels + mu_map.grid.n_voxels)
    gpu = table_bytes(n, layout.n_groups) + batch_bytes(n, layout.n_steps) + fields
    return ScatterNeeds(int(memory), float(seconds), amounts.part, coarse, mu_map.grid, gpu)


def _table_bytes(n: int, layout: TimeLayout) -> int:
    at_once = PATHS_AT_ONCE if layout.n_steps else UNTIMED_AT_ONCE
    paths = at_once * n * (BYTES_PER_PATH + BYTES_PER_STEP * (layout.n_steps + 1))
    return paths + n * n * (BYTES_PER_PAIR + BYTES_PER_PAIR_AND_GROUP * layout.n_groups)


def _mu_map_bytes(mu_map: Volume) -> int:
    """Finding its border comes before drawing points in it."""
    n, inside = mu_map.grid.n_voxels, int(np.count_nonzero(mu_map.values))
    return max(n * BYTES_PER_MU_VOXEL, n * 16 + inside * BYTES_PER_VOXEL_INSIDE)


def _point_seconds(n: int, layout: TimeLayout, mu_map: ImageGrid, coarse: ImageGrid) -> float:
    """Seconds of a thread for one scatter point."""
    joined = max(1, int(map_edge_mm(coarse) / min(mu_map.voxel_mm)))
    edges = (mu_map, joined * min(mu_map.voxel_mm)), (coarse, min(coarse.voxel_mm))
    steps = sum(max(grid.size_mm) * CHORD / edge for grid, edge in edges)
    path = steps / STEPS_PER_SECOND + layout.n_steps**2 / BLURS_PER_SECOND
    pair = 1 / PAIRS_PER_SECOND
    if layout.n_steps:
        pair = 1 / TIMED_PER_SECOND + layout.n_groups / BINS_PER_SECOND
    return n * path + n * n / 2 * pair

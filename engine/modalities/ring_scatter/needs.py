"""Memory and time that the scatter estimate of a run needs.

With P pairs of detector samples in G groups of time bins, n samples, T time steps and M scatter
points in all rounds, the simulation takes

    M [n (L c_step + T² c_blur) + P/2 (c_pair + G c_bin)] / threads,

where L is the number of half-voxel steps from a point through the joined voxels of the μ-map and
through the coarse image. The updates of the coarse images, their sensitivity, and reading the table
for the events take additional time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

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
"""Memory of a pair of samples, and of a pair and group of time bins [bytes].

It contains the line factor, the sums, their mirror image, and the tables of this and the previous
round.
"""
PATHS_AT_ONCE, UNTIMED_AT_ONCE = 32, 128
"""Number of scatter points whose paths are in memory, with and without time of flight."""
BYTES_PER_PATH, BYTES_PER_STEP = 112, 4
"""Memory of a path, and of each of its time steps [bytes]."""
BYTES_PER_LINE = 120
"""Memory of a sampled line, from its number to its scatter [bytes]."""
BYTES_PER_PART_ROW = 80
"""Memory of a row of the coarse images, an event or a bin [bytes]."""
BYTES_PER_COARSE_VOXEL, SUM_BYTES = 160, 8
"""Memory of a voxel of the coarse image, and of the sums of a thread [bytes]."""
BYTES_PER_MU_VOXEL, BYTES_PER_VOXEL_INSIDE = 64, 160
"""Memory of a voxel of the μ-map [bytes].

The first value applies while its border is found, the second to voxels from which points are drawn.
"""
BYTES_PER_FACE = 16
"""Memory of the four neighbours of a face, one for each voxel that paths are traced through."""
STEPS_PER_SECOND, BLURS_PER_SECOND = 1.6e8, 1.3e9
"""Path steps, and products of the time blur, per second and thread."""
PAIRS_PER_SECOND, TIMED_PER_SECOND, BINS_PER_SECOND = 3.3e8, 2.5e7, 6.5e8
"""Pairs per point without and with time of flight, and groups of bins, per second and thread."""
LINES_READ_PER_SECOND = 3e6
"""Lines whose efficiency, path and scatter are read per second."""
GPU_THREADS = 20
"""Number of CPU threads that a GPU replaces: an assumption for a small GPU.

The window corrects it by its measurements.
"""
CHORD = 0.7
"""Mean fraction of the width of a grid that paths cross."""


@dataclass(frozen=True)
class ScatterAmounts:
    """Amount of work of a scatter estimate.

    Attributes
    ----------
    rows : number of events or bins whose scatter is expected
    part : number of these used for the coarse images
    lines : number of lines of the scanner, or of its live bins
    listed : number of lines whose efficiency is read before the rounds
    traced : number of lines and rows through the coarse image, in all rounds
    row_bytes : memory of a row whose scatter is read, unless the scan contains a place for it
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
    memory_bytes : memory of the computer, in addition to the counts
    seconds : time of the whole stage [s]
    part_rows, coarse : rows and grid of the coarse images, which a GPU computes
    mu_map : grid that lines are traced through
    gpu_bytes : memory of a GPU for the simulation
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
    """Return memory and time of simulated scatter.

    Parameters
    ----------
    settings
        rounds and points
    scanner
        ring scanner
    mu_map
        attenuation [1/mm]
    amounts
        amount of work for the scan
    is_timed
        True if time bins are distinguished
    on
        device of the coarse images and the simulation
    slabs_per_second
        speed of the projector for the coarse images, in voxel slabs crossed by rays
    """
    coarse, n = coarse_grid(scanner), n_samples(scanner)
    layout = TimeLayout.of(scanner.tof if is_timed else None, coarse)
    # The largest arrays at the same time; those of earlier steps are already freed.
    memory = (
        _table_bytes(n, layout)
        + _mu_map_bytes(mu_map)
        + min(N_LINES, amounts.lines) * BYTES_PER_LINE
        + amounts.part * BYTES_PER_PART_ROW
        + amounts.rows * amounts.row_bytes
        + coarse.n_voxels * (BYTES_PER_COARSE_VOXEL + SUM_BYTES * max(on.threads, 1))
        + BYTES_PER_FACE * (coarse.n_voxels + _n_joined(mu_map.grid, coarse))
    )
    points = sum(n_points_of(settings, number) for number in range(settings.rounds))
    per_point = _point_seconds(n, layout, mu_map.grid, coarse)
    # Forward and back projection through the coarse image dominate the time of the updates.
    traced = CHORD * max(coarse.shape) * amounts.traced
    traced += CHORD * max(mu_map.grid.shape) * (2 * N_LINES + amounts.part)
    read = amounts.listed + settings.rounds * (amounts.part + N_LINES) + amounts.rows
    seconds = points * per_point / (GPU_THREADS if on.is_gpu else max(on.threads, 1))
    seconds += traced / slabs_per_second + read / LINES_READ_PER_SECOND
    # The GPU holds both fields at once, each in float32.
    fields = 4 * (coarse.n_voxels + mu_map.grid.n_voxels)
    gpu = table_bytes(n, layout.n_groups) + batch_bytes(n, layout.n_steps) + fields
    return ScatterNeeds(int(memory), float(seconds), amounts.part, coarse, mu_map.grid, gpu)


def _table_bytes(n: int, layout: TimeLayout) -> int:
    at_once = PATHS_AT_ONCE if layout.n_steps else UNTIMED_AT_ONCE
    paths = at_once * n * (BYTES_PER_PATH + BYTES_PER_STEP * (layout.n_steps + 1))
    return paths + n * n * (BYTES_PER_PAIR + BYTES_PER_PAIR_AND_GROUP * layout.n_groups)


def _mu_map_bytes(mu_map: Volume) -> int:
    """Return the memory for the μ-map; its border is found before points are drawn from it."""
    n, inside = mu_map.grid.n_voxels, int(np.count_nonzero(mu_map.values))
    return max(n * BYTES_PER_MU_VOXEL, n * 16 + inside * BYTES_PER_VOXEL_INSIDE)


def _n_joined(mu_map: ImageGrid, coarse: ImageGrid) -> int:
    """Return the number of voxels of the μ-map after `coarse_map` has joined them."""
    joined = [max(1, int(map_edge_mm(coarse) / edge_mm)) for edge_mm in reversed(mu_map.voxel_mm)]
    return prod(-(-n // k) for n, k in zip(mu_map.shape, joined, strict=True))


def _point_seconds(n: int, layout: TimeLayout, mu_map: ImageGrid, coarse: ImageGrid) -> float:
    """Return the time of a thread for one scatter point [s]."""
    joined = max(1, int(map_edge_mm(coarse) / min(mu_map.voxel_mm)))
    edges = (mu_map, joined * min(mu_map.voxel_mm)), (coarse, min(coarse.voxel_mm))
    # Both grids are crossed in steps of their own smallest voxel.
    steps = sum(max(grid.size_mm) * CHORD / edge for grid, edge in edges)
    path = steps / STEPS_PER_SECOND + layout.n_steps**2 / BLURS_PER_SECOND
    pair = 1 / PAIRS_PER_SECOND
    # Time of flight needs a blurred sum for each group of bins of each pair.
    if layout.n_steps:
        pair = 1 / TIMED_PER_SECOND + layout.n_groups / BINS_PER_SECOND
    return n * path + n * n / 2 * pair

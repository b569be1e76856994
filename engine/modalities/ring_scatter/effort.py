"""Effort of a scatter estimate: counts, voxels, updates and points of its rounds."""

from __future__ import annotations

from math import ceil

from engine.corrections.scatter import Simulation
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner
from engine.recon.algorithms import Osem
from engine.recon.algorithms.subsets import CountDemand, divisor_of

MOST_EVENTS = 2_000_000
"""Events that the coarse images are made of, and counts of the bins that they are made of."""
LEAST_BINS, MOST_BINS = 1_000_000, 16_000_000
"""Bins that the coarse images of sinograms are made of, where there are so many."""
VOXELS_ACROSS = 48
"""Voxels of the coarse image across the field of view."""
EXACT_BELOW = 4_000_000
"""Lines up to which the sensitivity of the coarse image of events takes them all."""
N_LINES = 200_000
"""Lines that stand for all: sums over them are known to about a thousandth."""
MAP_EDGE = 0.6
"""Voxels of the μ-map are joined up to this part of a voxel of the coarse image."""
SUBSETS, FIRST_PASSES = 8, 3
"""Subsets of enough counts, and passes of the first round; the others have one."""
FEWER_POINTS = 4
"""All rounds but the last take this part of the points."""


def part_step(n_events: int) -> int:
    """Return of how many events one goes into the coarse images."""
    return max(1, ceil(n_events / MOST_EVENTS))


def part_bins(n_bins: int, n_counts: float) -> int:
    """Return of how many of the live bins the coarse images are made."""
    wanted = n_bins * MOST_EVENTS / max(n_counts, 1.0)
    return min(n_bins, round(min(max(wanted, LEAST_BINS), MOST_BINS)))


def updates_of(number: int, demand: CountDemand | None = None) -> Osem:
    """Return the updates of the round of this number, in the subsets that the counts allow."""
    n_updates = SUBSETS * (1 if number else FIRST_PASSES)
    most = SUBSETS if demand is None else min(SUBSETS, demand.most_subsets)
    subsets = divisor_of(n_updates, most)
    return Osem(iterations=n_updates // subsets, subsets=subsets)


def n_points_of(settings: Simulation, number: int) -> int:
    """Return the scatter points of the round of this number."""
    is_last = number == settings.rounds - 1
    return settings.points // (1 if is_last else FEWER_POINTS)


def coarse_grid(scanner: Scanner) -> ImageGrid:
    """Return a coarse grid that holds the field of view."""
    x, y, z = scanner.default_size_mm
    low, high = scanner.axial_range_mm
    length = max(z, high - low)
    edge = max(x, y) / VOXELS_ACROSS
    counts = (ceil(length / edge), ceil(y / edge), ceil(x / edge))
    return ImageGrid(counts, (edge, edge, length / counts[0]))


def map_edge_mm(coarse: ImageGrid) -> float:
    """Return how long voxels of the μ-map that are joined may be [mm]."""
    return MAP_EDGE * min(coarse.voxel_mm)

"""Effort of a scatter estimate: counts, voxels, updates and points of its rounds."""

from __future__ import annotations

from math import ceil

from engine.corrections.scatter import Simulation
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner
from engine.recon.algorithms import Osem
from engine.recon.algorithms.subsets import CountDemand, divisor_of

MAX_EVENTS = 2_000_000
"""Largest number of events, or of counts in bins, for the coarse images."""
MIN_BINS, MAX_BINS = 1_000_000, 16_000_000
"""Smallest and largest number of bins for the coarse images of sinograms, if there are so many."""
VOXELS_ACROSS = 48
"""Number of voxels of the coarse image across the field of view."""
EXACT_BELOW = 4_000_000
"""Number of lines up to which the sensitivity of the coarse image of events uses all of them."""
N_LINES = 200_000
"""Number of lines that represent all; sums over them have an error of about 0.1 %."""
MAP_EDGE = 0.6
"""Largest edge of a joined voxel of the μ-map, as a fraction of a voxel of the coarse image."""
SUBSETS, FIRST_PASSES = 8, 3
"""Number of subsets if counts suffice, and of passes in the first round; later rounds have one."""
FEWER_POINTS = 4
"""Divisor of the number of scatter points in all rounds but the last."""


def part_step(n_events: int) -> int:
    """Return the step at which events are taken for the coarse images.

    Parameters
    ----------
    n_events
        number of events of the scan

    Returns
    -------
    part_step
        1 for all events, 2 for every second one, ...
    """
    # Scatter is smooth, so 2 million events suffice for its coarse image.
    return max(1, ceil(n_events / MAX_EVENTS))


def part_bins(n_bins: int, n_counts: float) -> int:
    """Return the number of live bins for the coarse images.

    Parameters
    ----------
    n_bins
        number of live bins
    n_counts
        counts in them
    """
    wanted = n_bins * MAX_EVENTS / max(n_counts, 1.0)
    return min(n_bins, round(min(max(wanted, MIN_BINS), MAX_BINS)))


def updates_of(number: int, demand: CountDemand | None = None) -> Osem:
    """Return the algorithm of a round.

    Parameters
    ----------
    number
        number of the round, from 0
    demand
        counts of the data, and counts that subsets need; None for enough counts
    """
    # The first round starts from a uniform image; later ones continue from the previous image.
    n_updates = SUBSETS * (1 if number else FIRST_PASSES)
    most = SUBSETS if demand is None else min(SUBSETS, demand.max_subsets)
    # Subsets must divide the number of updates, so that iterations are complete.
    subsets = divisor_of(n_updates, most)
    return Osem(iterations=n_updates // subsets, subsets=subsets)


def n_points_of(settings: Simulation, number: int) -> int:
    """Return the number of scatter points of a round.

    Parameters
    ----------
    settings
        settings of the simulation
    number
        number of the round, from 0
    """
    # Early rounds only correct the image roughly; the noise of few points averages out.
    is_last = number == settings.rounds - 1
    return settings.points // (1 if is_last else FEWER_POINTS)


def coarse_grid(scanner: Scanner) -> ImageGrid:
    """Return a coarse grid that covers the field of view.

    Parameters
    ----------
    scanner
        scanner with its default size
    """
    x, y, z = scanner.default_size_mm
    low, high = scanner.axial_range_mm
    # Rings can extend beyond the default image, and their lines need the activity there.
    length = max(z, high - low)
    edge = max(x, y) / VOXELS_ACROSS
    counts = (ceil(length / edge), ceil(y / edge), ceil(x / edge))
    return ImageGrid(counts, (edge, edge, length / counts[0]))


def map_edge_mm(coarse: ImageGrid) -> float:
    """Return the largest edge of joined voxels of the μ-map [mm].

    Parameters
    ----------
    coarse
        grid of the coarse images
    """
    return MAP_EDGE * min(coarse.voxel_mm)

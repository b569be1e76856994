"""How much the rounds of a scatter estimate take on: events, voxels, updates and points."""

from __future__ import annotations

from math import ceil

from engine.algorithms import Osem
from engine.corrections.scatter import Scatter
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner
from engine.modalities.listmode_pet.protocol import SensitivitySettings

MOST_EVENTS = 2_000_000
"""Events that the coarse images are made of."""
VOXELS_ACROSS = 48
"""Voxels of the coarse image across the field of view."""
EXACT_BELOW = 4_000_000
"""Lines up to which the sensitivity of the coarse image takes them all."""
N_LINES = 400_000
"""Lines that stand for all: sums over them are known to about a thousandth."""
COARSE = SensitivitySettings(method="sampled", error_percent=5.0)
FEWER_POINTS = 4
"""All rounds but the last take this part of the points."""


def part_step(n_events: int) -> int:
    """Return of how many events one goes into the coarse images."""
    return max(1, ceil(n_events / MOST_EVENTS))


def updates_of(number: int) -> Osem:
    """Return the updates of the round of this number."""
    return Osem(iterations=1 if number else 3, subsets=8)


def n_points_of(settings: Scatter, number: int) -> int:
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

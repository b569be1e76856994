"""Geometry that a file may state: numbers, in ranges that some device can have."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from engine.errors import FileFormatError, GeometryError
from engine.geometry.grid import ImageGrid

VOXEL_MM = (1e-5, 1000.0)
"""From nano-CT to one voxel for a whole body."""
FARTHEST_MM = 1e5
"""Distance of a volume's centre from the scanner's."""
UNITS = (
    *("", "1", "counts/mm", "counts", "decays", "1/mm", "1/cm", "1/pixel", "HU"),
    *("Bq/mL", "kBq/mL", "MBq/mL", "g/mL", "SUV", "%", "mm", "ps", "keV"),
)
"""Units that values of our own volumes may have."""


def stated_grid(
    path: Path, shape: tuple[int, ...], voxel_mm: Iterable[float], centre_mm: Iterable[float]
) -> ImageGrid:
    """Return the grid that a file states; refuse one that cannot be."""
    voxel = tuple(float(edge) for edge in voxel_mm)
    centre = tuple(float(place) for place in centre_mm)
    if len(shape) != 3 or len(voxel) != 3 or len(centre) != 3:
        raise FileFormatError(
            f"{path.name}: {len(shape)} axes, {len(voxel)} edges of a voxel and {len(centre)} "
            "numbers of the centre, want 3 of each; write the file again."
        )
    low, high = VOXEL_MM
    if not all(low <= edge <= high for edge in voxel):  # no number is in no range
        raise GeometryError(
            f"{path.name}: voxels of {_listed(voxel)} mm, want {low:g} to {high:g} mm; write the "
            "file again."
        )
    if not all(math.isfinite(place) and abs(place) <= FARTHEST_MM for place in centre):
        raise GeometryError(
            f"{path.name}: a centre of {_listed(centre)} mm, want at most {FARTHEST_MM:,.0f} mm "
            "from the scanner's; write the file again."
        )
    return ImageGrid(shape, voxel, centre)


def known_unit(path: Path, unit: str) -> str:
    """Return a unit that our volumes have; refuse any other."""
    if unit not in UNITS:
        known = ", ".join(filter(None, UNITS))
        raise FileFormatError(
            f"{path.name}: values in {unit[:40]!r}, known are {known}; write the file again."
        )
    return unit


def in_range(path: Path, name: str, value: float, limits: tuple[float, float]) -> float:
    """Return a number that a file states; refuse one outside its limits, and what is none."""
    low, high = limits
    if not low <= float(value) <= high:
        raise FileFormatError(
            f"{path.name}: {name} is {value:g}, want {low:g} to {high:g}; write the file again."
        )
    return float(value)


def _listed(numbers: Iterable[float]) -> str:
    return " × ".join(f"{number:g}" for number in numbers)

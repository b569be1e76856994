"""Check stated geometry: finite numbers within the ranges of real devices."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.errors import FileFormatError, GeometryError
from engine.geometry.grid import ImageGrid

if TYPE_CHECKING:
    from engine.geometry.xray import XrayGeometry

# The ranges are wide on purpose: they catch damaged numbers and wrong powers of ten, not
# unusual scanners.
VOXEL_MM = (1e-5, 1000.0)
"""From nano-CT to one voxel for a whole body."""
FARTHEST_MM = 1e5
"""Largest distance between the centres of a volume and of the scanner."""
PIXEL_MM = (1e-6, 100.0)
"""From nano-CT to a detector of one pixel."""
DISTANCE_MM = (1e-3, FARTHEST_MM)
"""Source to axis and detector: from nano-CT to a linear accelerator in its room."""
SEPARATION_MM = (1.0, 1000.0)
"""Distance between two panels of crystals."""
WHITE_LEVEL = (1e-6, 1e12)
"""Open beam, in counts of any detector."""
UNITS = (
    *("", "1", "counts/mm", "counts", "decays", "1/mm", "1/cm", "1/pixel", "HU"),
    *("Bq/mL", "kBq/mL", "MBq/mL", "g/mL", "g/mL{SUVlbm}", "cm2/mL", "SUV"),
    *("%", "mm", "ps", "keV"),
)
"""Units of values in our own volumes."""


def stated_grid(
    path: Path, shape: tuple[int, ...], voxel_mm: Iterable[float], centre_mm: Iterable[float]
) -> ImageGrid:
    """Return the grid that a file states; refuse an impossible one.

    Parameters
    ----------
    path
        file, for the message
    shape
        (n_z, n_y, n_x)
    voxel_mm
        (x, y, z) edges of a voxel
    centre_mm
        (x, y, z) centre of the grid

    Raises
    ------
    FileFormatError
        if one of them has not three numbers
    GeometryError
        if a number is outside the range of real devices
    """
    voxel = tuple(float(edge) for edge in np.ravel(np.asarray(voxel_mm)))
    centre = tuple(float(place) for place in np.ravel(np.asarray(centre_mm)))
    if len(shape) != 3 or len(voxel) != 3 or len(centre) != 3:
        raise FileFormatError(
            f"{path.name}: the numbers of axes, voxel edges and centre coordinates are "
            f"{len(shape)}, {len(voxel)} and {len(centre)}, expected 3 of each; write the file "
            "again."
        )
    low, high = VOXEL_MM
    if not all(low <= edge <= high for edge in voxel):  # also refuses NaN
        raise GeometryError(
            f"{path.name}: the voxel size is {_listed(voxel)} mm, expected {low:g} to {high:g} mm; "
            "write the file again."
        )
    if not all(math.isfinite(place) and abs(place) <= FARTHEST_MM for place in centre):
        raise GeometryError(
            f"{path.name}: the centre is at {_listed(centre)} mm, expected at most "
            f"{FARTHEST_MM:,.0f} mm from the scanner centre; write the file again."
        )
    return ImageGrid(shape, voxel, centre)


def known_unit(path: Path, unit: str) -> str:
    """Return a unit of our volumes; refuse any other."""
    if unit not in UNITS:
        known = ", ".join(filter(None, UNITS))
        raise FileFormatError(
            f"{path.name}: unknown unit {unit[:40]!r}, expected one of {known}; write the file "
            "again."
        )
    return unit


def in_range(path: Path, name: str, value: float, limits: tuple[float, float]) -> float:
    """Return a number that a file states; refuse one outside its limits, and NaN.

    Parameters
    ----------
    path
        file, for the message
    name
        quantity, for the message
    value
        number in the file
    limits
        (lowest, highest) allowed value

    Raises
    ------
    FileFormatError
        states the value and the limits
    """
    low, high = limits
    if not low <= float(value) <= high:
        raise FileFormatError(
            f"{path.name}: {name!r} is {value:g}, expected {low:g} to {high:g}; write the file "
            "again."
        )
    return float(value)


def refuse_impossible_beam(path: Path, geometry: XrayGeometry) -> None:
    """Refuse sources, detectors and pixels that no X-ray scanner can have.

    Parameters
    ----------
    path
        file, for the message
    geometry
        positions and steps of all views [mm]

    Raises
    ------
    GeometryError
        if a position is too far from the axis, a source is on the axis, or the pixel size is
        impossible
    """
    # A parallel beam has no source position: its `source_mm` is only a direction.
    places = (geometry.detector_mm, *((geometry.source_mm,) if geometry.beam == "cone" else ()))
    farthest = max(float(np.abs(each).max()) for each in places)
    if not farthest <= FARTHEST_MM:
        raise GeometryError(
            f"{path.name}: the source or detector is {farthest:.3g} mm from the axis, expected at "
            f"most {FARTHEST_MM:,.0f} mm; correct the distances (in mm)."
        )
    if geometry.beam == "cone":
        # A source on the axis would make the magnification infinite.
        nearest = float(np.linalg.norm(geometry.source_mm[:, :2], axis=1).min())
        if nearest < DISTANCE_MM[0]:
            raise GeometryError(
                f"{path.name}: the source is {nearest:.3g} mm from the axis, expected at least "
                f"{DISTANCE_MM[0]:g} mm; correct the distances (in mm)."
            )
    low, high = PIXEL_MM
    # All views, not only the first: free geometries can change the pixel size from view to view.
    edges = [np.linalg.norm(step, axis=1) for step in (geometry.u_mm, geometry.v_mm)]
    if not all(low <= float(edge.min()) and float(edge.max()) <= high for edge in edges):
        width, height = (float(edge[0]) for edge in edges)
        raise GeometryError(
            f"{path.name}: the pixel size is {width:.3g} x {height:.3g} mm, expected {low:g} to "
            f"{high:g} mm; correct the pixel size."
        )


def _listed(numbers: Iterable[float]) -> str:
    return " × ".join(f"{number:g}" for number in numbers)

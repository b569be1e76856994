"""Rotation and flips of planes on the screen, and slice indices, without Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.language.translation import tr
from engine.geometry import ImageGrid, Orientation, Point

POSITIONS = {
    "HFS": ("LPS", tr("Head first, supine")),
    "HFP": ("RAS", tr("Head first, prone")),
    "FFS": ("RPI", tr("Feet first, supine")),
    "FFP": ("LAI", tr("Feet first, prone")),
    "HFDR": ("PRS", tr("Head first, right side down")),
    "HFDL": ("ALS", tr("Head first, left side down")),
}
"""Patient position -> directions of x, y, z on a scanner with "LPS" for "HFS"; title."""


@dataclass(frozen=True)
class ViewTurn:
    """How the user has turned a plane: first mirrored, then rotated clockwise.

    Attributes
    ----------
    quarters : number of 90° rotations, 0 to 3
    mirrored : True if left and right are exchanged
    """

    quarters: int = 0
    mirrored: bool = False

    def of(self, orientation: Orientation) -> Orientation:
        """Return a plane turned in this way.

        Parameters
        ----------
        orientation
            the plane in its standard orientation
        """
        orientation = orientation.mirrored() if self.mirrored else orientation
        for _ in range(self.quarters % 4):
            orientation = orientation.turned()
        return orientation

    def turned(self, quarters: int = 1) -> ViewTurn:
        """Return this with additional rotations.

        Parameters
        ----------
        quarters
            number of 90° rotations clockwise
        """
        return ViewTurn((self.quarters + quarters) % 4, self.mirrored)

    def flipped(self, *, upright: bool) -> ViewTurn:
        """Return this with two sides of the screen exchanged.

        Parameters
        ----------
        upright
            True exchanges top and bottom, False left and right
        """
        # A mirror image reverses the sense of rotation, hence the minus sign.
        quarters = (2 if upright else 0) - self.quarters
        return ViewTurn(quarters % 4, not self.mirrored)

    def describe(self) -> str:
        """Describe the turn in words; empty if nothing is turned."""
        parts = [tr("mirrored")] if self.mirrored else []
        parts += [tr("rotated by {angle}°", angle=90 * self.quarters)] if self.quarters else []
        return ", ".join(parts)


def slice_index(grid: ImageGrid, axis: int, position_mm: float) -> int:
    """Return the index of the slice at a position.

    Parameters
    ----------
    grid
        grid of the volume
    axis
        axis across the slices: 0, 1, 2 for x, y, z
    position_mm
        position along the axis; outside, the nearest slice is returned
    """
    offset = (position_mm - float(grid.lower_mm[axis])) / grid.voxel_mm[axis]
    # Arrays are [z, y, x], so axis x is the last one.
    return int(min(max(offset, 0.0), grid.shape[2 - axis] - 1.0))


def slice_centre(grid: ImageGrid, axis: int, point_mm: Point) -> Point:
    """Move a point along an axis to the centre of its slice.

    Parameters
    ----------
    grid
        grid of the volume
    axis
        axis across the slices: 0, 1, 2 for x, y, z
    point_mm
        the point [mm]
    """
    moved = list(point_mm)
    moved[axis] = float(grid.centres_mm(axis)[slice_index(grid, axis, point_mm[axis])])
    return moved[0], moved[1], moved[2]


def clamp_to(grid: ImageGrid, point_mm: Point) -> Point:
    """Return the nearest point within the outermost voxel centres.

    Parameters
    ----------
    grid
        grid of the volume
    point_mm
        any point [mm]
    """
    # Voxel centres and not edges: every position then has a value and a slice.
    half = np.array(grid.voxel_mm) / 2
    x, y, z = np.clip(np.array(point_mm, float), grid.lower_mm + half, grid.upper_mm - half)
    return float(x), float(y), float(z)

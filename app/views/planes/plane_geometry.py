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
"""How a patient may lie -> where x, y and z lead of a scanner that has "LPS" for "HFS"; words."""


@dataclass(frozen=True)
class ViewTurn:
    """What a user does to a plane on the screen: quarters clockwise, after left and right changed.

    Attributes
    ----------
    quarters : 0 to 3
    mirrored : whether left and right are exchanged
    """

    quarters: int = 0
    mirrored: bool = False

    def of(self, orientation: Orientation) -> Orientation:
        """Return a plane turned so."""
        orientation = orientation.mirrored() if self.mirrored else orientation
        for _ in range(self.quarters % 4):
            orientation = orientation.turned()
        return orientation

    def turned(self, quarters: int = 1) -> ViewTurn:
        """Return it with more quarters."""
        return ViewTurn((self.quarters + quarters) % 4, self.mirrored)

    def flipped(self, *, upright: bool) -> ViewTurn:
        """Return it with left and right of the screen exchanged; `upright`: top and bottom."""
        quarters = (2 if upright else 0) - self.quarters
        return ViewTurn(quarters % 4, not self.mirrored)

    def describe(self) -> str:
        """Return it in words, empty if nothing is turned."""
        parts = [tr("mirrored")] if self.mirrored else []
        parts += [tr("rotated by {angle}°", angle=90 * self.quarters)] if self.quarters else []
        return ", ".join(parts)


def slice_index(grid: ImageGrid, axis: int, position_mm: float) -> int:
    """Index of the slice across `axis` that holds a position, the nearest one outside."""
    offset = (position_mm - float(grid.lower_mm[axis])) / grid.voxel_mm[axis]
    return int(np.clip(np.floor(offset), 0, grid.shape[2 - axis] - 1))


def slice_centre(grid: ImageGrid, axis: int, point_mm: Point) -> Point:
    """Return a point moved along `axis` to the middle of the slice that holds it [mm]."""
    moved = list(point_mm)
    moved[axis] = float(grid.centres_mm(axis)[slice_index(grid, axis, point_mm[axis])])
    return moved[0], moved[1], moved[2]


def clamp_to(grid: ImageGrid, point_mm: Point) -> Point:
    """The point of the box spanned by the voxel centres that is nearest to a point [mm]."""
    half = np.array(grid.voxel_mm) / 2
    x, y, z = np.clip(np.array(point_mm, float), grid.lower_mm + half, grid.upper_mm - half)
    return float(x), float(y), float(z)

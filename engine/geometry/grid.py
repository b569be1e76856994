"""The image grid: which point of space each voxel holds.

centre of voxel (i_z, i_y, i_x) = lower + (i + 1/2) · voxel, points (x, y, z) in mm, LPS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float, float]


@dataclass(frozen=True)
class ImageGrid:
    """Axis-aligned voxels.

    Attributes
    ----------
    shape : (n_z, n_y, n_x), as arrays are stored
    voxel_mm : (x, y, z) edge lengths [mm]
    centre_mm : (x, y, z) centre of the whole box [mm]

    Examples
    --------
    >>> import engine
    >>> grid = engine.ImageGrid(shape=(2, 3, 4), voxel_mm=(1.0, 1.0, 2.0))
    >>> grid.describe()
    '1 × 1 × 2 mm, 4 × 3 × 2'
    >>> grid.centres_mm(axis=2).tolist()
    [-1.0, 1.0]
    """

    shape: tuple[int, int, int]
    voxel_mm: Point
    centre_mm: Point = (0.0, 0.0, 0.0)

    @property
    def n_voxels(self) -> int:
        """Number of voxels."""
        n_z, n_y, n_x = self.shape
        return n_z * n_y * n_x

    @property
    def size_mm(self) -> NDArray[np.floating]:
        """(x, y, z) edge lengths of the box [mm]."""
        return np.array(self.shape[::-1]) * np.array(self.voxel_mm)

    @property
    def lower_mm(self) -> NDArray[np.floating]:
        """(x, y, z) corner of the box with the smallest coordinates [mm]."""
        return np.array(self.centre_mm) - self.size_mm / 2

    @property
    def upper_mm(self) -> NDArray[np.floating]:
        """(x, y, z) corner of the box with the largest coordinates [mm]."""
        return np.array(self.centre_mm) + self.size_mm / 2

    def centres_mm(self, axis: int) -> NDArray[np.floating]:
        """Voxel centres along one axis [mm]; axis 0, 1, 2 is x, y, z."""
        n = self.shape[2 - axis]
        return self.lower_mm[axis] + (np.arange(n) + 0.5) * self.voxel_mm[axis]

    def to_voxels(self, points_mm: NDArray[np.floating]) -> NDArray[np.floating]:
        """Points (..., 3) [mm] in voxel units from the lower corner, (x, y, z)."""
        scaled = (np.asarray(points_mm, float) - self.lower_mm) / np.array(self.voxel_mm)
        return np.asarray(scaled)

    def part(self, box: Sequence[tuple[int, int]]) -> ImageGrid:
        """Return some neighbouring voxels, where they are.

        box : first of them and one past the last, along z, y and x
        """
        ends = np.array(box)
        beside = (ends.sum(axis=1) - self.shape)[::-1] / 2 * np.array(self.voxel_mm)
        x, y, z = (np.array(self.centre_mm) + beside).tolist()
        n_z, n_y, n_x = (ends[:, 1] - ends[:, 0]).tolist()
        return ImageGrid((n_z, n_y, n_x), self.voxel_mm, (x, y, z))

    def index_of(self, point_mm: Point) -> tuple[int, int, int] | None:
        """(i_z, i_y, i_x) of the voxel that holds a point, None outside the box."""
        x, y, z = (int(np.floor(v)) for v in self.to_voxels(np.array(point_mm)))
        inside = all(0 <= i < n for i, n in zip((z, y, x), self.shape, strict=True))
        return (z, y, x) if inside else None

    def describe(self, unit: str = "mm") -> str:
        """Plain words: voxel size in a unit, named in the plural, and number of voxels."""
        n_z, n_y, n_x = self.shape
        x, y, z = (f"{edge:g}" for edge in self.voxel_mm)
        if x == y == z:
            one = unit.removesuffix("s") if x == "1" else unit
            return f"{x} {one}, {n_x} × {n_y} × {n_z}"
        return f"{x} × {y} × {z} {unit}, {n_x} × {n_y} × {n_z}"

"""The image grid: positions of the voxels.

Centre of voxel (i_z, i_y, i_x) = lower + (i + 1/2) · voxel; points are (x, y, z) in mm, LPS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.checked import checked_class

Point = tuple[float, float, float]


@checked_class(positive=("shape", "voxel_mm"), finite=("centre_mm",))
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
        """Edge lengths of the box (x, y, z) [mm]."""
        return np.array(self.shape[::-1]) * np.array(self.voxel_mm)

    @property
    def lower_mm(self) -> NDArray[np.floating]:
        """Corner of the box with the smallest coordinates (x, y, z) [mm]."""
        return np.array(self.centre_mm) - self.size_mm / 2

    @property
    def upper_mm(self) -> NDArray[np.floating]:
        """Corner of the box with the largest coordinates (x, y, z) [mm]."""
        return np.array(self.centre_mm) + self.size_mm / 2

    def centres_mm(self, axis: int) -> NDArray[np.floating]:
        """Return the voxel centres along one axis [mm].

        Parameters
        ----------
        axis
            0, 1, 2 for x, y, z
        """
        n = self.shape[2 - axis]
        return self.lower_mm[axis] + (np.arange(n) + 0.5) * self.voxel_mm[axis]

    def to_voxels(self, points_mm: NDArray[np.floating]) -> NDArray[np.floating]:
        """Convert points to voxel units, counted from the lower corner.

        Parameters
        ----------
        points_mm
            (..., 3) x, y, z

        Returns
        -------
        (..., 3) x, y, z; voxel i covers [i, i + 1)
        """
        scaled = (np.asarray(points_mm, float) - self.lower_mm) / np.array(self.voxel_mm)
        return np.asarray(scaled)

    def part(self, box: Sequence[tuple[int, int]]) -> ImageGrid:
        """Return a box of voxels as a grid at the same position.

        Parameters
        ----------
        box
            first voxel and one past the last along z, y and x
        """
        ends = np.array(box)
        # Shift of the centre: half the difference of voxels that are cut off at both ends.
        shift_mm = (ends.sum(axis=1) - self.shape)[::-1] / 2 * np.array(self.voxel_mm)
        x, y, z = (np.array(self.centre_mm) + shift_mm).tolist()
        n_z, n_y, n_x = (ends[:, 1] - ends[:, 0]).tolist()
        return ImageGrid((n_z, n_y, n_x), self.voxel_mm, (x, y, z))

    def index_of(self, point_mm: Point) -> tuple[int, int, int] | None:
        """Return the indices (i_z, i_y, i_x) of the voxel that contains a point.

        Parameters
        ----------
        point_mm
            x, y, z

        Returns
        -------
        the indices; None if the point is outside the box
        """
        # floor, not int: truncation would put points just below 0 into voxel 0.
        x, y, z = (int(np.floor(v)) for v in self.to_voxels(np.array(point_mm)))
        inside = all(0 <= i < n for i, n in zip((z, y, x), self.shape, strict=True))
        return (z, y, x) if inside else None

    def describe(self, unit: str = "mm") -> str:
        """Return voxel size and number of voxels as text.

        Parameters
        ----------
        unit
            unit of the voxel size; a plural "s" is removed for the number 1
        """
        n_z, n_y, n_x = self.shape
        x, y, z = (f"{edge:g}" for edge in self.voxel_mm)
        # Cubic voxels are the usual case and need only one number.
        if x == y == z:
            one = unit.removesuffix("s") if x == "1" else unit
            return f"{x} {one}, {n_x} × {n_y} × {n_z}"
        return f"{x} × {y} × {z} {unit}, {n_x} × {n_y} × {n_z}"

"""Oblique slices: a slice is a thin volume in its own axes, and the scan is moved instead.

    point = centre + x across + y down + z n, n = across × down

converts points from the axes of the slice to those of the scanner [mm].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.checked import checked_class
from engine.core.errors import GeometryError
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.xray import XrayGeometry

_SAME = 1e-6
_ROUNDING = 1e-12

UNTURNED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


@checked_class(
    positive=(
        "shape",
        "pixel_mm",
    )
)
@dataclass(frozen=True)
class Plane:
    """A slice, one pixel thick.

    Attributes
    ----------
    shape : (n_rows, n_columns)
    pixel_mm : edge of a pixel
    centre_mm : (x, y, z) centre of the slice
    across, down : unit vectors (x, y, z) in the direction of columns and rows
    """

    shape: tuple[int, int]
    pixel_mm: float
    centre_mm: Point = (0.0, 0.0, 0.0)
    across: Point = UNTURNED[0]
    down: Point = UNTURNED[1]

    def __post_init__(self) -> None:
        a, d = self.across, self.down
        # plain Python is faster here, and dragging with the mouse makes many slices
        if not all(abs(x) <= _SAME for x in (_dot(a, a) - 1, _dot(d, d) - 1, _dot(a, d))):
            raise GeometryError(
                f"the axes of a slice, across {self.across} and down {self.down}, must be two "
                "perpendicular unit vectors."
            )

    @property
    def grid(self) -> ImageGrid:
        """The slice as a thin volume in its own axes."""
        return ImageGrid((1, *self.shape), (self.pixel_mm,) * 3)

    @cached_property
    def turn(self) -> NDArray[np.float64]:
        """Matrix (3, 3) from the axes of the slice to the scanner: columns across, down and n."""
        (a_x, a_y, a_z), (d_x, d_y, d_z) = self.across, self.down
        # The cross product written out: numpy.cross takes several times longer for one pair.
        normal = a_y * d_z - a_z * d_y, a_z * d_x - a_x * d_z, a_x * d_y - a_y * d_x
        return np.array([self.across, self.down, normal], float).T

    @property
    def to_mm(self) -> NDArray[np.float64]:
        """Matrix (4, 4) from voxels, counted from the lower corner of `grid`, to points [mm]."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.turn * self.pixel_mm
        matrix[:3, 3] = np.array(self.centre_mm) + self.turn @ self.grid.lower_mm
        return matrix

    def through(self, point_mm: Point) -> Plane:
        """Return the slice moved along its normal until it contains a point.

        Parameters
        ----------
        point_mm
            x, y, z
        """
        normal = self.turn[:, 2]
        centre = np.array(self.centre_mm)
        centre = centre + normal * (normal @ (np.array(point_mm) - centre))
        return replace(self, centre_mm=_point(centre))

    def turned(self, axis: Point, angle_rad: float) -> Plane:
        """Return the slice rotated about an axis through its centre.

            v' = v cos θ + (k × v) sin θ + k (k · v) (1 − cos θ)        (Rodrigues)

        Parameters
        ----------
        axis
            (x, y, z), of any length
        angle_rad
            right-handed
        """
        k = np.array(axis, float) / np.linalg.norm(axis)
        # Both directions are rotated with one matrix operation; the normal follows from them.
        v = self.turn[:, :2].T
        v = (
            v * np.cos(angle_rad)
            + np.cross(k, v) * np.sin(angle_rad)
            + np.outer(v @ k, k) * (1 - np.cos(angle_rad))
        )
        v[np.abs(v) < _ROUNDING] = 0.0  # a slice that is rotated back is exactly upright again
        across = v[0] / np.linalg.norm(v[0])
        down = v[1] - (v[1] @ across) * across  # rounding accumulates over many rotations
        return replace(self, across=_point(across), down=_point(down / np.linalg.norm(down)))

    def seen(self, geometry: XrayGeometry) -> XrayGeometry:
        """Return the scan in the axes of the slice.

        Parameters
        ----------
        geometry
            source and detector in the axes of the scanner
        """
        # The inverse of a rotation is its transpose.
        back = self.turn.T
        return geometry.moved(back, -back @ np.array(self.centre_mm))


def _dot(a: Point, b: Point) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def orthogonal(
    shape: tuple[int, int], pixel_mm: float, centre_mm: Point = (0.0, 0.0, 0.0)
) -> tuple[Plane, Plane, Plane]:
    """Return the slices across z, y and x through a point.

    Parameters
    ----------
    shape
        (n_rows, n_columns) of each slice
    pixel_mm
        edge of a pixel
    centre_mm
        common centre (x, y, z)
    """
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    axial, coronal, sagittal = (
        Plane(shape, pixel_mm, centre_mm, across, down) for across, down in ((x, y), (x, z), (y, z))
    )
    return axial, coronal, sagittal


def first_planes(grid: ImageGrid) -> tuple[Plane, Plane, Plane]:
    """Return slices across z, y and x through the middle voxel of a grid that cover it completely.

    They are as large as its longest edge, and their pixels are at the centres of cubic voxels.

    Parameters
    ----------
    grid
        grid of the volume
    """
    # Square pixels of the smallest edge show each voxel without loss.
    pixel = float(min(grid.voxel_mm))
    most = int(np.ceil(max(grid.size_mm) / pixel))
    # the number of voxels plus an even number, so that pixels coincide with voxels
    n_z, n_y, n_x = (n + 2 * (max(most - n, 0) // 2) for n in grid.shape)
    middle = [float(grid.centres_mm(axis)[grid.shape[2 - axis] // 2]) for axis in range(3)]
    centre, point = grid.centre_mm, (middle[0], middle[1], middle[2])
    axial, coronal, sagittal = orthogonal((1, 1), pixel, centre)
    return (
        replace(axial, shape=(n_y, n_x)).through(point),
        replace(coronal, shape=(n_z, n_x)).through(point),
        replace(sagittal, shape=(n_z, n_y)).through(point),
    )


def _point(values: NDArray[np.float64]) -> Point:
    x, y, z = (float(value) for value in values)
    return x, y, z

"""Position of a volume relative to an image, as an affine map, without Qt.

A point p of the image [mm] corresponds to the point of the volume

    q = M p + t

M is the identity if both have one coordinate system. It is a rotation if the volume was registered,
and diag(1, 1, −1) if the z axis of one of two scanners points to the feet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.data import Volume
from engine.geometry import Direction, ImageGrid, Orientation, Point, Rect, RigidMotion

Matrix = NDArray[np.float64]
Rows = tuple[Point, Point, Point]
UNTURNED: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FEETWARDS: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))
STRAIGHT = 1e-9
NO_SIDES = "xyz"


@dataclass(frozen=True)
class VolumePlacing:
    """Maps points of an image to points of a volume.

    Attributes
    ----------
    rows : M, row by row
    shift_mm : t [mm]
    """

    rows: Rows = UNTURNED
    shift_mm: Point = (0.0, 0.0, 0.0)

    @classmethod
    def of(
        cls,
        volume: Volume,
        like: Volume,
        motion: RigidMotion | None = None,
        *,
        turns: bool = True,
    ) -> VolumePlacing:
        """Return the position of a volume relative to another one of the same patient.

        Parameters
        ----------
        volume
            the volume
        like
            the displayed image
        motion
            rigid motion that registers the volume; None for none
        turns
            False if both use the same axes, whatever their patient positions
        """
        # Without a patient position, a guess could exchange head and feet.
        known = NO_SIDES not in (volume.axes, like.axes)
        turns = turns and known and volume.head_sign != like.head_sign
        matrix, shift = np.array(FEETWARDS if turns else UNTURNED), np.zeros(3)
        if motion is not None:
            middle = volume.grid.centre_mm
            # `back` is affine, so its value at the origin is the shift t.
            shift = motion.back(np.zeros((1, 3)), middle)[0]
            matrix = motion.matrix.T @ matrix
        return cls(_rows(matrix), _point(shift))

    @cached_property
    def matrix(self) -> Matrix:
        """M, (3, 3)."""
        return np.array(self.rows)

    @cached_property
    def is_straight(self) -> bool:
        """True if the axes of image and volume are parallel or antiparallel."""
        # Each column then has one entry of ±1, so axes only change order or sign.
        return bool((np.abs(np.abs(self.matrix).max(axis=0) - 1) < STRAIGHT).all())

    def to_volume(self, points_mm: Matrix) -> Matrix:
        """Map points of the image to the volume.

        Parameters
        ----------
        points_mm
            (..., 3) [mm]
        """
        return np.asarray(points_mm @ self.matrix.T + np.array(self.shift_mm))

    def to_base(self, points_mm: Matrix) -> Matrix:
        """Map points of the volume to the image.

        Parameters
        ----------
        points_mm
            (..., 3) [mm]
        """
        return np.asarray((points_mm - np.array(self.shift_mm)) @ np.linalg.inv(self.matrix).T)

    def seen(self, orientation: Orientation) -> Orientation:
        """Return a plane of the image in the axes of a volume with parallel axes.

        Parameters
        ----------
        orientation
            plane of the image
        """
        return Orientation(
            self._along(orientation.normal, 1).axis,
            self._along(orientation.right.axis, orientation.right.sign),
            self._along(orientation.down.axis, orientation.down.sign),
        )

    def rect(self, orientation: Orientation, grid: ImageGrid) -> Rect:
        """Return the area of a plane of the image that the volume covers [mm].

        Parameters
        ----------
        orientation
            plane of the image
        grid
            grid of the volume
        """
        return _rect_of(self, orientation, grid)

    def _along(self, axis: int, sign: int) -> Direction:
        column = self.matrix[:, axis]
        own = int(np.abs(column).argmax())
        return Direction(own, sign if column[own] > 0 else -sign)


@lru_cache(maxsize=64)
def _rect_of(placing: VolumePlacing, orientation: Orientation, grid: ImageGrid) -> Rect:
    corners = np.array([grid.lower_mm, grid.upper_mm])
    # All eight corners, because a rotated box can reach further than its diagonal.
    every = np.array(np.meshgrid(*corners.T, indexing="ij")).reshape(3, -1).T
    uv = np.array([orientation.to_screen(_point(each)) for each in placing.to_base(every)])
    (left, top), (right, bottom) = uv.min(axis=0), uv.max(axis=0)
    return Rect(float(left), float(top), float(right - left), float(bottom - top))


def _rows(matrix: Matrix) -> Rows:
    first, second, third = (_point(row) for row in matrix)
    return first, second, third


def _point(values: Matrix) -> Point:
    x, y, z = (float(value) for value in values)
    return x, y, z

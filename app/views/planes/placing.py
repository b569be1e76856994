"""Places of a volume under the points of a picture: by an affine map, no Qt.

A point p of the picture [mm] is the point

    q = M p + t

of the volume. M is the unit matrix where both have one space, a turn where the volume was moved to
where it belongs, and diag(1, 1, −1) where one of two scanners counts z towards the feet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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
    """From points of a picture to those of a volume.

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
        """Return where a volume lies in the picture of another one of the same patient.

        `motion` takes the volume to where it belongs. Where one of the two does not say how a
        patient lay, or nothing `turns`, both are taken to count along the same axes.
        """
        known = NO_SIDES not in (volume.axes, like.axes)
        turns = turns and known and volume.head_sign != like.head_sign
        matrix, shift = np.array(FEETWARDS if turns else UNTURNED), np.zeros(3)
        if motion is not None:
            middle = volume.grid.centre_mm
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
        return bool((np.abs(np.abs(self.matrix).max(axis=0) - 1) < STRAIGHT).all())

    def to_volume(self, points_mm: Matrix) -> Matrix:
        """Return the points (..., 3) of the volume under points of the picture [mm]."""
        return np.asarray(points_mm @ self.matrix.T + np.array(self.shift_mm))

    def to_base(self, points_mm: Matrix) -> Matrix:
        """Return the points (..., 3) of the picture at points of the volume [mm]."""
        return np.asarray((points_mm - np.array(self.shift_mm)) @ np.linalg.inv(self.matrix).T)

    def seen(self, orientation: Orientation) -> Orientation:
        """Return how a plane of the picture lies in the axes of a volume that lies straight."""
        return Orientation(
            self._along(orientation.normal, 1).axis,
            self._along(orientation.right.axis, orientation.right.sign),
            self._along(orientation.down.axis, orientation.down.sign),
        )

    def rect(self, orientation: Orientation, grid: ImageGrid) -> Rect:
        """Return the area of a plane of the image that the volume covers [mm]."""
        corners = np.array([grid.lower_mm, grid.upper_mm])
        every = np.array(np.meshgrid(*corners.T, indexing="ij")).reshape(3, -1).T
        uv = np.array([orientation.to_screen(_point(each)) for each in self.to_base(every)])
        (left, top), (right, bottom) = uv.min(axis=0), uv.max(axis=0)
        return Rect(float(left), float(top), float(right - left), float(bottom - top))

    def _along(self, axis: int, sign: int) -> Direction:
        column = self.matrix[:, axis]
        own = int(np.abs(column).argmax())
        return Direction(own, sign if column[own] > 0 else -sign)


def _rows(matrix: Matrix) -> Rows:
    first, second, third = (_point(row) for row in matrix)
    return first, second, third


def _point(values: Matrix) -> Point:
    x, y, z = (float(value) for value in values)
    return x, y, z

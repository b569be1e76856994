"""Rigid motion: six numbers.

    q = R (p − c) + c + t,   R = Rz(γ) Ry(β) Rx(α)

maps a point p of a volume to its new position; c is the centre of the volume's grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.checked import checked_class
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.geometry.grid import Point

Matrix = NDArray[np.float64]
FARTHEST_MM, MAX_DEG = 5000.0, 180.0


@checked_class(
    finite=(
        "shift_mm",
        "turn_deg",
    )
)
@dataclass(frozen=True)
class RigidMotion:
    """Rotation of a volume about its centre, then a shift.

    Attributes
    ----------
    shift_mm : (x, y, z) shift of the centre [mm]
    turn_deg : rotation about the axes x, y and z through the centre, in this order [degrees]

    Examples
    --------
    >>> from engine.geometry import RigidMotion
    >>> RigidMotion((3.0, 0.0, 4.0), (0.0, 0.0, 2.0)).describe()
    'moved 5.0 mm, 2.0 degrees'
    """

    shift_mm: Point = (0.0, 0.0, 0.0)
    turn_deg: Point = (0.0, 0.0, 0.0)

    @property
    def matrix(self) -> Matrix:
        """Rotation matrix R, (3, 3)."""
        # Imported here: it takes a noticeable part of a second, and most runs move nothing.
        from scipy.spatial.transform import Rotation

        return np.asarray(Rotation.from_euler("xyz", self.turn_deg, degrees=True).as_matrix())

    @property
    def distance_mm(self) -> float:
        """Length of the shift [mm]."""
        return float(np.linalg.norm(self.shift_mm))

    @property
    def angle_deg(self) -> float:
        """Rotation angle, about any axis [degrees]."""
        cosine = (np.trace(self.matrix) - 1) / 2
        # Rounding can put the cosine just outside of −1 to 1.
        return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))

    def describe(self) -> str:
        """Return shift and rotation as text."""
        return f"moved {self.distance_mm:.1f} mm, {self.angle_deg:.1f} degrees"

    def record(self) -> Plain:
        """Return the six numbers for provenance."""
        return {"shift_mm": list(self.shift_mm), "turn_deg": list(self.turn_deg)}

    def back(self, points_mm: Matrix, middle_mm: Point) -> Matrix:
        """Return the points of the volume that a motion maps to given points.

        Parameters
        ----------
        points_mm
            (n, 3) points of the scan
        middle_mm
            centre c of the volume's grid

        Returns
        -------
        (n, 3) [mm]
        """
        middle = np.array(middle_mm)
        # Row vectors times R are Rᵀ times column vectors: the inverse rotation.
        return np.asarray((points_mm - middle - self.shift_mm) @ self.matrix + middle)


def motion_of(numbers: tuple[float, ...]) -> RigidMotion:
    """Return the motion of six numbers.

    Parameters
    ----------
    numbers
        x, y, z [mm] and the angles about these axes [degrees]

    Raises
    ------
    DataError
        if there are not six numbers, or one exceeds its limit or is NaN
    """
    limits = (*[FARTHEST_MM] * 3, *[MAX_DEG] * 3)
    # Tested before the comparison, because zip with strict=True raises another error.
    fits = len(numbers) == len(limits)
    if not fits or not all(abs(n) <= m for n, m in zip(numbers, limits, strict=True)):
        raise DataError(
            f"motion {', '.join(f'{n:g}' for n in numbers)}: expected six numbers (x, y and z "
            f"within ±{FARTHEST_MM:g} mm, and rotations about these axes within ±{MAX_DEG:g}°)."
        )
    x, y, z, a, b, c = numbers
    return RigidMotion((x, y, z), (a, b, c))

"""Solids of any direction: ellipsoids, cylinders and tubes, boxes.

For kernels, a solid is a row: its kind, its centre, the directions of its three axes (rows of a
rotation), its half sizes along them, and for tubes the inner radius relative to the outer one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.judge.compiled import inner
from tests.judge.streams import uniform

ELLIPSOID, CYLINDER, BOX = 0.0, 1.0, 2.0
ROW = 17

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Solid:
    """A solid in mm.

    Attributes
    ----------
    kind : ELLIPSOID, CYLINDER or BOX
    half_mm : half sizes along its own axes; the third axis of a cylinder is its length
    centre_mm : position of its centre
    axis : direction of its third axis
    inner : radius of the hole of a tube, relative to the outer radius
    """

    kind: float
    half_mm: Vector
    centre_mm: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    inner: float = 0.0

    @property
    def volume_mm3(self) -> float:
        """Return its volume."""
        a, b, c = self.half_mm
        shape = {ELLIPSOID: 4 / 3 * math.pi, CYLINDER: 2 * math.pi * (1 - self.inner**2), BOX: 8}
        return shape[self.kind] * a * b * c

    def row(self) -> NDArray[np.float64]:
        """Return the solid in the form for kernels."""
        frame = frame_of(self.axis).ravel()
        return np.array([self.kind, *self.centre_mm, *frame, *self.half_mm, self.inner])

    def reach_mm(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lower and upper corner of its bounding box."""
        half = np.abs(frame_of(self.axis)).T @ np.array(self.half_mm)
        return np.array(self.centre_mm) - half, np.array(self.centre_mm) + half


def ellipsoid(*half_mm: float, at: Vector = (0, 0, 0), axis: Vector = (0, 0, 1)) -> Solid:
    """Return an ellipsoid of three semi-axes."""
    a, b, c = half_mm
    return Solid(ELLIPSOID, (a, b, c), at, axis)


def sphere(radius_mm: float, at: Vector = (0, 0, 0)) -> Solid:
    """Return a sphere."""
    return ellipsoid(radius_mm, radius_mm, radius_mm, at=at)


def cylinder(
    radius_mm: float, length_mm: float, *, at: Vector = (0, 0, 0), axis: Vector = (0, 0, 1)
) -> Solid:
    """Return a round cylinder."""
    return tube(0.0, radius_mm, length_mm, at=at, axis=axis)


def tube(
    inner_mm: float,
    outer_mm: float,
    length_mm: float,
    *,
    at: Vector = (0, 0, 0),
    axis: Vector = (0, 0, 1),
) -> Solid:
    """Return a cylinder with a coaxial hole through it."""
    half = (outer_mm, outer_mm, length_mm / 2)
    return Solid(CYLINDER, half, at, axis, inner_mm / outer_mm)


def box(*size_mm: float, at: Vector = (0, 0, 0), axis: Vector = (0, 0, 1)) -> Solid:
    """Return a box with three edges."""
    a, b, c = size_mm
    return Solid(BOX, (a / 2, b / 2, c / 2), at, axis)


def frame_of(axis: Vector) -> NDArray[np.float64]:
    """Return three perpendicular directions as rows; the last one is that of `axis`."""
    third = np.array(axis, float) / math.hypot(*axis)
    helper = np.eye(3)[int(np.argmin(np.abs(third)))]
    first = np.cross(np.cross(third, helper), third)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(third, first), third])


@inner
def contains(row, x, y, z):
    """Return True if a point is in a solid."""
    x, y, z = x - row[1], y - row[2], z - row[3]
    a = (row[4] * x + row[5] * y + row[6] * z) / row[13]
    b = (row[7] * x + row[8] * y + row[9] * z) / row[14]
    c = (row[10] * x + row[11] * y + row[12] * z) / row[15]
    if row[0] == ELLIPSOID:
        return a * a + b * b + c * c <= 1.0
    if row[0] == CYLINDER:
        across = a * a + b * b
        return abs(c) <= 1.0 and row[16] * row[16] <= across <= 1.0
    return abs(a) <= 1.0 and abs(b) <= 1.0 and abs(c) <= 1.0


@inner
def draw_in(row, stream, point):
    """Set `point` to a random position, uniform in the volume of a solid."""
    a = 2.0 * uniform(stream) - 1.0
    b = 2.0 * uniform(stream) - 1.0
    c = 2.0 * uniform(stream) - 1.0
    if row[0] == ELLIPSOID:
        while a * a + b * b + c * c > 1.0:
            a = 2.0 * uniform(stream) - 1.0
            b = 2.0 * uniform(stream) - 1.0
            c = 2.0 * uniform(stream) - 1.0
    elif row[0] == CYLINDER:
        hole = row[16] * row[16]
        radius = math.sqrt(hole + (1.0 - hole) * 0.5 * (a + 1.0))
        a, b = radius * math.cos(math.pi * b), radius * math.sin(math.pi * b)
    a, b, c = a * row[13], b * row[14], c * row[15]
    for k in range(3):
        point[k] = row[1 + k] + a * row[4 + k] + b * row[7 + k] + c * row[10 + k]

"""Some slices together: moved along their normals, turned about the point that they share.

A slice moves alone. The point follows to where it and the others meet:

n_moved · δ = distance,   n_other · δ = 0

as long as they meet in one point. The middle of a slice is the foot of the box's middle on it, so
that it covers the box however it lies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Plane, Point

Array = NDArray[np.float64]
LEAST_VOLUME = 0.05
"""Volume that three normals span: below, they are too near to parallel to meet in a point."""


@dataclass(frozen=True)
class PlanePlacement:
    """Slices in a box.

    Attributes
    ----------
    planes : the slices
    point : (x, y, z) [mm] where they meet
    middle : (x, y, z) [mm] of the box
    size_mm : (x, y, z) of the box
    """

    planes: tuple[Plane, ...]
    point: Point
    middle: Point
    size_mm: Point

    @classmethod
    def of(cls, planes: tuple[Plane, ...], size_mm: Point | None = None) -> PlanePlacement:
        """Return slices through one middle, in a box as wide as the first of them."""
        first = planes[0]
        edge = first.pixel_mm * max(first.shape)
        return cls(planes, first.centre_mm, first.centre_mm, size_mm or (edge, edge, edge))

    def normal(self, index: int) -> Array:
        """(3,) unit normal of a slice."""
        return self.planes[index].turn[:, 2]

    def distance_mm(self, index: int) -> float:
        """How far a slice is from the middle of the box, along its normal."""
        offset = np.array(self.planes[index].centre_mm) - self.middle
        return float(self.normal(index) @ offset)

    def reach_mm(self, index: int) -> float:
        """How far the box reaches from its middle, along the normal of a slice."""
        return float(np.abs(self.normal(index)) @ np.array(self.size_mm)) / 2

    def through(self, point: Point) -> PlanePlacement:
        """Return all slices moved until they hold a point, at most to the end of the box."""
        half = np.array(self.size_mm) / 2
        x, y, z = np.clip(point, self.middle - half, self.middle + half)
        inside = (float(x), float(y), float(z))
        planes = tuple(plane.through(inside) for plane in self.planes)
        return replace(self, planes=planes, point=inside)

    def moved(self, index: int, mm: float) -> PlanePlacement:
        """Return one slice moved along its normal, at most to the end of the box."""
        at, reach = self.distance_mm(index), self.reach_mm(index)
        mm = float(np.clip(at + mm, -reach, reach)) - at
        normal = self.normal(index)
        centre = np.array(self.planes[index].centre_mm) + mm * normal
        moved = replace(self.planes[index], centre_mm=_point(centre))
        point = np.array(self.point) + self._step(index, mm)
        return replace(self, planes=self._with(index, moved), point=_point(point))

    def turned(self, index: int, axis: Point, angle_rad: float) -> PlanePlacement:
        """Return one slice turned about an axis (x, y, z) through the point."""
        turned = self.planes[index].turned(axis, angle_rad)
        turned = replace(turned, centre_mm=self.middle).through(self.point)
        return replace(self, planes=self._with(index, turned))

    def _step(self, index: int, mm: float) -> Array:
        """(3,) way of the point when a slice moves and the others stay."""
        normals = np.array([self.normal(k) for k in range(len(self.planes))])
        if len(normals) != 3 or abs(np.linalg.det(normals)) < LEAST_VOLUME:
            return np.asarray(mm * normals[index], np.float64)
        wanted = np.zeros(3)
        wanted[index] = mm
        step: Array = np.linalg.solve(normals, wanted)
        return step

    def _with(self, index: int, plane: Plane) -> tuple[Plane, ...]:
        return (*self.planes[:index], plane, *self.planes[index + 1 :])


def _point(values: Array) -> Point:
    x, y, z = (float(value) for value in values)
    return x, y, z

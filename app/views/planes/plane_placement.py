"""A set of slices, moved along their normals and rotated about their common point.

A slice moves alone. The point follows to the new intersection of all slices:

    n_moved · δ = distance,   n_other · δ = 0

as long as there is one intersection. The centre of a slice is the foot of the box centre on it, so
that the slice covers the box in any orientation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Plane, Point

Array = NDArray[np.float64]
MIN_VOLUME = 0.05
"""Volume spanned by three normals. Below it, they are too parallel for an intersection."""


@dataclass(frozen=True)
class PlanePlacement:
    """Slices in a box.

    Attributes
    ----------
    planes : the slices
    point : (x, y, z) of their intersection [mm]
    middle : (x, y, z) of the box centre [mm]
    size_mm : (x, y, z) size of the box
    """

    planes: tuple[Plane, ...]
    point: Point
    middle: Point
    size_mm: Point

    @classmethod
    def of(cls, planes: tuple[Plane, ...], size_mm: Point | None = None) -> PlanePlacement:
        """Return slices through one centre.

        Parameters
        ----------
        planes
            the slices
        size_mm
            size of the box; None for a cube as wide as the first slice
        """
        first = planes[0]
        edge = first.pixel_mm * max(first.shape)
        # The box is centred on the first slice, which is the centre of the volume at the start.
        return cls(planes, first.centre_mm, first.centre_mm, size_mm or (edge, edge, edge))

    def normal(self, index: int) -> Array:
        """Return the unit normal (3,) of a slice.

        Parameters
        ----------
        index
            number of the slice
        """
        return self.planes[index].turn[:, 2]

    def distance_mm(self, index: int) -> float:
        """Return the distance of a slice from the box centre, along its normal.

        Parameters
        ----------
        index
            number of the slice
        """
        offset = np.array(self.planes[index].centre_mm) - self.middle
        return float(self.normal(index) @ offset)

    def reach_mm(self, index: int) -> float:
        """Return how far the box extends from its centre, along the normal of a slice.

        Parameters
        ----------
        index
            number of the slice
        """
        # Support function of a box: half its extent along any direction.
        return float(np.abs(self.normal(index)) @ np.array(self.size_mm)) / 2

    def through(self, point: Point) -> PlanePlacement:
        """Return all slices moved to contain a point.

        Parameters
        ----------
        point
            (x, y, z) [mm]; outside the box, the nearest point of the box
        """
        half = np.array(self.size_mm) / 2
        x, y, z = np.clip(point, self.middle - half, self.middle + half)
        inside = (float(x), float(y), float(z))
        planes = tuple(plane.through(inside) for plane in self.planes)
        return replace(self, planes=planes, point=inside)

    def moved(self, index: int, mm: float) -> PlanePlacement:
        """Return the slices with one of them moved along its normal.

        Parameters
        ----------
        index
            number of the slice
        mm
            distance; the slice stays within the box
        """
        at, reach = self.distance_mm(index), self.reach_mm(index)
        # Limited before the point is moved, so that slice and point stay together.
        mm = float(np.clip(at + mm, -reach, reach)) - at
        normal = self.normal(index)
        centre = np.array(self.planes[index].centre_mm) + mm * normal
        moved = replace(self.planes[index], centre_mm=_point(centre))
        point = np.array(self.point) + self._point_shift(index, mm)
        return replace(self, planes=self._replace_plane(index, moved), point=_point(point))

    def turned(self, index: int, axis: Point, angle_rad: float) -> PlanePlacement:
        """Return the slices with one of them rotated.

        Parameters
        ----------
        index
            number of the slice
        axis
            rotation axis (x, y, z) through the common point
        angle_rad
            angle [rad]
        """
        turned = self.planes[index].turned(axis, angle_rad)
        # The centre returns to the foot of the box centre, or the slice would drift out of the box.
        turned = replace(turned, centre_mm=self.middle).through(self.point)
        return replace(self, planes=self._replace_plane(index, turned))

    def _point_shift(self, index: int, mm: float) -> Array:
        """Return the shift (3,) of the point when a slice moves and the others stay."""
        normals = np.array([self.normal(k) for k in range(len(self.planes))])
        if len(normals) != 3 or abs(np.linalg.det(normals)) < MIN_VOLUME:
            # Without a unique intersection the point moves along the normal.
            return np.asarray(mm * normals[index], np.float64)
        wanted = np.zeros(3)
        wanted[index] = mm
        step: Array = np.linalg.solve(normals, wanted)
        return step

    def _replace_plane(self, index: int, plane: Plane) -> tuple[Plane, ...]:
        return (*self.planes[:index], plane, *self.planes[index + 1 :])


def _point(values: Array) -> Point:
    x, y, z = (float(value) for value in values)
    return x, y, z

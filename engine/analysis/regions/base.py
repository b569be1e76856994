"""Base class of regions: bounds, move, resize, voxel coverage."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Self

from pydantic import Field

from engine.analysis.regions.coverage import RegionCoverage
from engine.core.settings import Settings
from engine.data.volume import Volume
from engine.geometry.grid import Point

FARTHEST_MM = 1e5
Place = Annotated[float, Field(ge=-FARTHEST_MM, le=FARTHEST_MM)]
"""A coordinate [mm]."""
Length = Annotated[float, Field(gt=0, le=FARTHEST_MM)]
"""A size [mm]."""
Places = tuple[Place, Place, Place]
Lengths = tuple[Length, Length, Length]
Bounds = tuple[Point, Point]
"""Lower and upper corner of an upright box [mm]."""


class RegionShape(Settings):
    """A region, in the coordinates of the images it was drawn on [mm]."""

    @property
    @abstractmethod
    def bounds_mm(self) -> Bounds:
        """The upright box that holds it."""

    @abstractmethod
    def moved(self, by_mm: Point) -> Self:
        """Return the same shape at another place."""

    @abstractmethod
    def fitted(self, bounds_mm: Bounds) -> Self:
        """Return the shape in another box; one that has no sizes is moved to its middle."""

    @abstractmethod
    def turned_over(self) -> Self:
        """Return the shape in coordinates whose z runs the other way."""

    @abstractmethod
    def coverage(self, volume: Volume) -> RegionCoverage:
        """Return the share of each voxel of an image inside; empty where it lies outside."""

    @property
    def has_size(self) -> bool:
        """True if it can be made larger and smaller."""
        return True

    @property
    def follows_image(self) -> bool:
        """True if it is another one in another image, as what lies above a threshold is."""
        return False


def middle_of(bounds_mm: Bounds) -> Point:
    """Return the middle of a box [mm]."""
    x, y, z = ((a + b) / 2 for a, b in zip(*bounds_mm, strict=True))
    return x, y, z


def size_of(bounds_mm: Bounds) -> Point:
    """Return the edges of a box [mm]."""
    x, y, z = (b - a for a, b in zip(*bounds_mm, strict=True))
    return x, y, z


def around(centre_mm: Point, size_mm: Point) -> Bounds:
    """Return the box of a middle and edges."""
    (x, y, z), (a, b, c) = centre_mm, (length / 2 for length in size_mm)
    return (x - a, y - b, z - c), (x + a, y + b, z + c)


def shifted(point_mm: Point, by_mm: Point) -> Point:
    """Return a point moved by a way."""
    (x, y, z), (a, b, c) = point_mm, by_mm
    return x + a, y + b, z + c


def shift_between(start_mm: Point, end_mm: Point) -> Point:
    """Return what leads from one point to another."""
    (x, y, z), (a, b, c) = start_mm, end_mm
    return a - x, b - y, c - z

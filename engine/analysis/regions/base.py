"""Base class of regions: bounds, move, resize, voxel coverage."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Self

from pydantic import Field

from engine.analysis.regions.coverage import RegionCoverage
from engine.core.settings import Settings
from engine.data.volume import Volume
from engine.geometry.grid import Point

# 100 m: larger numbers in a file are damage, and their squares would overflow float32 later.
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
    """Region in the coordinates of the image on which it was drawn [mm]."""

    @property
    @abstractmethod
    def bounds_mm(self) -> Bounds:
        """Bounding box along the axes."""

    @abstractmethod
    def moved(self, by_mm: Point) -> Self:
        """Return the same shape, moved.

        Parameters
        ----------
        by_mm
            shift (x, y, z) [mm]
        """

    @abstractmethod
    def fitted(self, bounds_mm: Bounds) -> Self:
        """Return the shape fitted to a box.

        Parameters
        ----------
        bounds_mm
            lower and upper corner (x, y, z) [mm]; shapes without sizes are only moved to its centre
        """

    @abstractmethod
    def turned_over(self) -> Self:
        """Return the shape in coordinates with reversed z."""

    @abstractmethod
    def coverage(self, volume: Volume) -> RegionCoverage:
        """Return the share of each voxel of an image inside the region.

        Parameters
        ----------
        volume
            image; only shapes with `follows_image` use its values

        Returns
        -------
        RegionCoverage
            box of voxels; empty if the region is outside the image
        """

    @property
    def has_size(self) -> bool:
        """True if the shape can be resized."""
        return True

    @property
    def follows_image(self) -> bool:
        """True if the shape depends on the values of the image, such as a threshold."""
        return False


def middle_of(bounds_mm: Bounds) -> Point:
    """Return the centre of a box [mm]."""
    x, y, z = ((a + b) / 2 for a, b in zip(*bounds_mm, strict=True))
    return x, y, z


def size_of(bounds_mm: Bounds) -> Point:
    """Return the edge lengths of a box [mm]."""
    x, y, z = (b - a for a, b in zip(*bounds_mm, strict=True))
    return x, y, z


def around(centre_mm: Point, size_mm: Point) -> Bounds:
    """Return the box with a centre and edge lengths [mm]."""
    (x, y, z), (a, b, c) = centre_mm, (length / 2 for length in size_mm)
    return (x - a, y - b, z - c), (x + a, y + b, z + c)


def shifted(point_mm: Point, by_mm: Point) -> Point:
    """Return a point moved by a vector [mm]."""
    (x, y, z), (a, b, c) = point_mm, by_mm
    return x + a, y + b, z + c


def shift_between(start_mm: Point, end_mm: Point) -> Point:
    """Return the vector from one point to another [mm]."""
    (x, y, z), (a, b, c) = start_mm, end_mm
    return a - x, b - y, c - z

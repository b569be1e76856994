"""Solids in closed form: sphere, ellipsoid, box, cylinder, and a polygon through slices."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from engine.analysis.regions import chords
from engine.analysis.regions.base import (
    Bounds,
    Length,
    Lengths,
    Place,
    Places,
    RegionShape,
    around,
    middle_of,
    shifted,
    size_of,
)
from engine.analysis.regions.coverage import RegionCoverage
from engine.core.arrays import Array
from engine.core.settings import setting
from engine.data.volume import Volume
from engine.geometry.grid import Point

MAX_CORNERS = 2_000


class _Middled(RegionShape):
    """A solid with a centre and three sizes."""

    centre_mm: Places = setting(..., "Centre (x, y, z)", unit="mm")

    def moved(self, by_mm: Point) -> Self:
        return self.model_copy(update={"centre_mm": shifted(self.centre_mm, by_mm)})

    def turned_over(self) -> Self:
        x, y, z = self.centre_mm
        return self.model_copy(update={"centre_mm": (x, y, -z)})


class SphereRegion(_Middled):
    """A sphere."""

    kind: Literal["sphere"] = "sphere"
    diameter_mm: Length = setting(..., "Diameter", unit="mm")

    @property
    def bounds_mm(self) -> Bounds:
        return around(self.centre_mm, (self.diameter_mm,) * 3)

    def fitted(self, bounds_mm: Bounds) -> Self:
        """Return the sphere fitted to a box.

        The diameter is the edge that changed most, so that dragging one handle resizes the sphere.
        """
        size = max(size_of(bounds_mm), key=lambda length: abs(length - self.diameter_mm))
        return self.model_copy(update={"centre_mm": middle_of(bounds_mm), "diameter_mm": size})

    def coverage(self, volume: Volume) -> RegionCoverage:
        return chords.ellipsoid(volume.grid, self.centre_mm, (self.diameter_mm / 2,) * 3)


class EllipsoidRegion(_Middled):
    """An ellipsoid whose axes are x, y and z."""

    kind: Literal["ellipsoid"] = "ellipsoid"
    size_mm: Lengths = setting(..., "Full axes (x, y, z)", unit="mm")

    @property
    def bounds_mm(self) -> Bounds:
        return around(self.centre_mm, self.size_mm)

    def fitted(self, bounds_mm: Bounds) -> Self:
        place = {"centre_mm": middle_of(bounds_mm), "size_mm": size_of(bounds_mm)}
        return self.model_copy(update=place)

    def coverage(self, volume: Volume) -> RegionCoverage:
        a, b, c = (length / 2 for length in self.size_mm)
        return chords.ellipsoid(volume.grid, self.centre_mm, (a, b, c))


class BoxRegion(_Middled):
    """An upright box."""

    kind: Literal["box"] = "box"
    size_mm: Lengths = setting(..., "Edge lengths (x, y, z)", unit="mm")

    @property
    def bounds_mm(self) -> Bounds:
        return around(self.centre_mm, self.size_mm)

    def fitted(self, bounds_mm: Bounds) -> Self:
        place = {"centre_mm": middle_of(bounds_mm), "size_mm": size_of(bounds_mm)}
        return self.model_copy(update=place)

    def coverage(self, volume: Volume) -> RegionCoverage:
        return chords.box(volume.grid, *self.bounds_mm)


class CylinderRegion(_Middled):
    """An elliptic cylinder along an axis."""

    kind: Literal["cylinder"] = "cylinder"
    size_mm: Lengths = setting(..., "Full sizes (x, y, z)", unit="mm")
    axis: Literal[0, 1, 2] = setting(2, "Axis of the solid: 0, 1, 2 for x, y, z")

    @classmethod
    def upright(cls, centre_mm: Point, diameter_mm: float, length_mm: float) -> Self:
        """Return a round cylinder along z.

        Parameters
        ----------
        centre_mm
            centre (x, y, z) [mm]
        diameter_mm, length_mm
            size [mm]
        """
        return cls(centre_mm=centre_mm, size_mm=(diameter_mm, diameter_mm, length_mm))

    @property
    def bounds_mm(self) -> Bounds:
        return around(self.centre_mm, self.size_mm)

    def fitted(self, bounds_mm: Bounds) -> Self:
        place = {"centre_mm": middle_of(bounds_mm), "size_mm": size_of(bounds_mm)}
        return self.model_copy(update=place)

    def coverage(self, volume: Volume) -> RegionCoverage:
        low, high = self.bounds_mm
        a, b, c = (length / 2 for length in self.size_mm)
        prism = chords.Prism(self.axis, low[self.axis], high[self.axis])
        return prism.of_ellipse(volume.grid, self.centre_mm, (a, b, c))


class PolygonRegion(RegionShape):
    """A polygon in a plane across an axis, through a range of slices.

    Corners are along the two other axes, in the order x, y, z. If edges cross, the inside follows
    the even-odd rule.
    """

    kind: Literal["polygon"] = "polygon"
    axis: Literal[0, 1, 2] = setting(2, "Axis perpendicular to the plane: 0, 1, 2 for x, y, z")
    corners_mm: tuple[tuple[Place, Place], ...] = setting(
        ..., "Corners in the plane", unit="mm", min_length=3, max_length=MAX_CORNERS
    )
    low_mm: Place = setting(..., "Lower end along the axis", unit="mm")
    high_mm: Place = setting(..., "Upper end along the axis", unit="mm")

    @model_validator(mode="after")
    def _refuse_flat(self) -> Self:
        if self.high_mm <= self.low_mm:
            raise ValueError(
                f"high_mm is {self.high_mm:g}, expected more than low_mm ({self.low_mm:g})"
            )
        # A polygon without area has no voxels, and `fitted` would divide by its width.
        if (self._corners.max(axis=0) <= self._corners.min(axis=0)).any():
            raise ValueError("all corners of the polygon are on one line, so it has no area")
        return self

    @property
    def _corners(self) -> Array:
        return np.array(self.corners_mm, float)

    @property
    def bounds_mm(self) -> Bounds:
        low, high = [0.0] * 3, [0.0] * 3
        low[self.axis], high[self.axis] = self.low_mm, self.high_mm
        for k, axis in enumerate(chords.PLANE_AXES[self.axis]):
            values = self._corners[:, k]
            low[axis], high[axis] = float(values.min()), float(values.max())
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    def moved(self, by_mm: Point) -> Self:
        low, high = self.bounds_mm
        return self.fitted((shifted(low, by_mm), shifted(high, by_mm)))

    def fitted(self, bounds_mm: Bounds) -> Self:
        before, corners = self.bounds_mm, self._corners
        for k, axis in enumerate(chords.PLANE_AXES[self.axis]):
            scale = (bounds_mm[1][axis] - bounds_mm[0][axis]) / (before[1][axis] - before[0][axis])
            corners[:, k] = bounds_mm[0][axis] + scale * (corners[:, k] - before[0][axis])
        places = tuple((float(u), float(v)) for u, v in corners)
        ends = {"low_mm": bounds_mm[0][self.axis], "high_mm": bounds_mm[1][self.axis]}
        return self.model_copy(update={"corners_mm": places, **ends})

    def turned_over(self) -> Self:
        if self.axis == 2:
            return self.model_copy(update={"low_mm": -self.high_mm, "high_mm": -self.low_mm})
        # Across x or y the second coordinate of a corner is z.
        return self.model_copy(update={"corners_mm": tuple((u, -v) for u, v in self.corners_mm)})

    def coverage(self, volume: Volume) -> RegionCoverage:
        prism = chords.Prism(self.axis, self.low_mm, self.high_mm)
        return prism.of_polygon(volume.grid, self._corners)


Solid = Annotated[
    SphereRegion | EllipsoidRegion | BoxRegion | CylinderRegion | PolygonRegion,
    Field(discriminator="kind"),
]
"""A shape that is the same in every image."""

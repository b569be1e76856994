"""Union, intersection and difference of regions.

    union = max(a, b)    intersection = min(a, b)    minus = a − min(a, b)

a and b are the shares of a voxel. Volumes add up: union plus intersection equals a plus b, and
difference plus intersection equals a. In a voxel crossed by two borders this assumes that both
borders run in the same direction.
"""

from __future__ import annotations

from functools import reduce
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from engine.analysis.regions.base import Bounds, RegionShape, middle_of, shift_between
from engine.analysis.regions.contour import ContourRegion
from engine.analysis.regions.coverage import RegionCoverage
from engine.analysis.regions.masks import MaskRegion
from engine.analysis.regions.planar import PlanarContours
from engine.analysis.regions.solids import (
    BoxRegion,
    CylinderRegion,
    EllipsoidRegion,
    PolygonRegion,
    SphereRegion,
)
from engine.core.settings import setting
from engine.data.volume import Volume
from engine.geometry.grid import Point

Operation = Literal["union", "intersection", "minus"]
MAX_DEPTH = 8


class CombinedRegion(RegionShape):
    """Combination of copies of two or more regions."""

    kind: Literal["combined"] = "combined"
    operation: Operation = setting(..., "How the regions are combined")
    parts: tuple[AnyShape, ...] = setting(..., "Regions in order", min_length=2, max_length=50)

    @model_validator(mode="after")
    def _refuse_deep(self) -> Self:
        # A file could nest combinations without limit, and `coverage` recurses over them.
        if self.depth > MAX_DEPTH:
            raise ValueError(
                f"the regions are nested {self.depth} levels deep, expected at most {MAX_DEPTH}"
            )
        return self

    @property
    def depth(self) -> int:
        """Number of nested combinations."""
        inner = [each.depth for each in self.parts if isinstance(each, CombinedRegion)]
        return 1 + max(inner, default=0)

    @property
    def bounds_mm(self) -> Bounds:
        # A difference never reaches beyond its first region.
        bounding = self.parts[:1] if self.operation == "minus" else self.parts
        ends = np.array([part.bounds_mm for part in bounding])
        low, high = ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    @property
    def has_size(self) -> bool:
        return False

    @property
    def follows_image(self) -> bool:
        return any(part.follows_image for part in self.parts)

    def moved(self, by_mm: Point) -> Self:
        return self.model_copy(update={"parts": tuple(part.moved(by_mm) for part in self.parts)})

    def fitted(self, bounds_mm: Bounds) -> Self:
        return self.moved(shift_between(middle_of(self.bounds_mm), middle_of(bounds_mm)))

    def turned_over(self) -> Self:
        return self.model_copy(update={"parts": tuple(part.turned_over() for part in self.parts)})

    def coverage(self, volume: Volume) -> RegionCoverage:
        found = [part.coverage(volume) for part in self.parts]
        first = found[0]
        if self.operation == "minus":
            # The others are cut to the box of the first region: outside of it nothing remains of
            # the result.
            rest = reduce(np.maximum, (each.within(first.box) for each in found[1:]))
            others = reduce(np.logical_or, (each.centres_within(first.box) for each in found[1:]))
            share = first.share - np.minimum(first.share, rest)
            return RegionCoverage(first.start, share, first.centres & ~others)
        if self.operation == "intersection":
            share = reduce(np.minimum, (e.within(first.box) for e in found))
            centres = reduce(np.logical_and, (e.centres_within(first.box) for e in found))
            return RegionCoverage(first.start, share, centres)
        # Regions outside the image have an empty box at an arbitrary place, which must not widen
        # the union.
        box = _bounding_box([each for each in found if each.share.size] or found)
        union = reduce(np.maximum, (each.within(box) for each in found))
        centres = reduce(np.logical_or, (each.centres_within(box) for each in found))
        return RegionCoverage((box[0].start, box[1].start, box[2].start), union, centres)


AnyShape = Annotated[
    SphereRegion
    | EllipsoidRegion
    | BoxRegion
    | CylinderRegion
    | PolygonRegion
    | MaskRegion
    | PlanarContours
    | ContourRegion
    | CombinedRegion,
    Field(discriminator="kind"),
]
"""A region of any kind."""
# `parts` refers to a union that includes this class, so pydantic resolves it only now.
CombinedRegion.model_rebuild()


def _bounding_box(found: list[RegionCoverage]) -> tuple[slice, slice, slice]:
    """Return the bounding box of all boxes."""
    z, y, x = (
        slice(min(e.box[k].start for e in found), max(e.box[k].stop for e in found))
        for k in range(3)
    )
    return z, y, x

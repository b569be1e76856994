"""Annotations of a slice: arrows, text, distances, angles and curves.

The angle at the corner v between the legs to a and b is

    arccos( (a − v) · (b − v) / (|a − v| |b − v|) )
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from engine.analysis.regions.base import Places, shifted
from engine.core.settings import Settings, setting
from engine.geometry.grid import Point

AnnotationKind = Literal["arrow", "text", "distance", "angle", "curve"]
N_POINTS: dict[AnnotationKind, int] = {"arrow": 2, "text": 1, "distance": 2, "angle": 3}
MIN_ON_CURVE, MAX_ON_CURVE = 2, 200
MAX_CHARACTERS = 120


class Annotation(Settings):
    """Arrow, text, distance, angle or curve, in scan coordinates.

    `points_mm` of an arrow are tail and tip. Those of an angle are the end of one leg, the corner,
    and the end of the other leg.
    """

    kind: AnnotationKind = setting(..., "Kind of annotation")
    axis: Annotated[int, Field(ge=0, le=2)] = setting(
        2, "Axis perpendicular to the slice: 0, 1, 2 for x, y, z"
    )
    points_mm: tuple[Places, ...] = setting(
        ..., "End points, or points of a curve (x, y, z)", unit="mm", max_length=MAX_ON_CURVE
    )
    text: str = setting("", "Text label", max_length=MAX_CHARACTERS)

    @field_validator("text")
    @classmethod
    def _refuse_signs(cls, text: str) -> str:
        # Control characters and direction marks would corrupt reports and DICOM texts.
        if not text.isprintable():
            raise ValueError("this text must not contain invisible characters")
        return text

    @model_validator(mode="after")
    def _refuse_numbers(self) -> Self:
        got = len(self.points_mm)
        wanted = max(got, MIN_ON_CURVE) if self.kind == "curve" else N_POINTS[self.kind]
        if got != wanted:
            raise ValueError(
                f"an annotation of kind {self.kind!r} has {got} points, expected {wanted}"
            )
        if self.kind == "text" and not self.text.strip():
            raise ValueError("an annotation of kind 'text' must contain text")
        return self

    @property
    def length_mm(self) -> float:
        """Length of the line through all points; 0 for a text."""
        pairs = zip(self.points_mm, self.points_mm[1:], strict=False)
        return sum(math.dist(a, b) for a, b in pairs)

    @property
    def angle_deg(self) -> float:
        """Angle at the corner; 0 if a leg has no length, and for other kinds."""
        if self.kind != "angle":
            return 0.0
        first, corner, last = (np.array(point) for point in self.points_mm[:3])
        legs = first - corner, last - corner
        lengths = math.prod(float(np.linalg.norm(leg)) for leg in legs)
        if lengths == 0:
            return 0.0
        # Rounding can give a cosine just above 1, for which acos raises an error.
        return math.degrees(math.acos(float(np.clip(legs[0] @ legs[1] / lengths, -1, 1))))

    def moved(self, by_mm: Point) -> Self:
        """Return the annotation moved.

        Parameters
        ----------
        by_mm
            shift (x, y, z) [mm]
        """
        points = tuple(shifted(point, by_mm) for point in self.points_mm)
        return self.model_copy(update={"points_mm": points})

    def with_point(self, which: int, point_mm: Point) -> Self:
        """Return the annotation with one point moved.

        Parameters
        ----------
        which
            index of the point
        point_mm
            new position (x, y, z) [mm]
        """
        points = (*self.points_mm[:which], point_mm, *self.points_mm[which + 1 :])
        return self.model_copy(update={"points_mm": points})

    def turned_over(self) -> Self:
        """Return the annotation in coordinates with reversed z."""
        points = tuple((x, y, -z) for x, y, z in self.points_mm)
        return self.model_copy(update={"points_mm": points})

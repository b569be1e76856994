"""Unsharp mask: x + amount (x − mean of the neighbours along x)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.settings import setting
from engine.geometry.grid import Point
from engine.recon.postprocess.base import Filter


class Unsharp(Filter):
    """Unsharp mask along rows."""

    title: ClassVar[str] = "Unsharp mask"
    kind: Literal["unsharp"] = "unsharp"
    amount: float = setting(1.0, "Amount of detail to add", label="Amount", gt=0, le=9)

    def apply(self, image: NDArray[Any], voxel_mm: Point) -> NDArray[Any]:
        roll = module_of(image).roll
        mean = (roll(image, 1, axis=2) + roll(image, -1, axis=2)) / 2
        return image + self.amount * (image - mean)

    def describe(self) -> str:
        return f"unsharp mask of {self.amount:g}"

"""Median of a cube of voxels: removes single hot voxels and keeps edges."""

from __future__ import annotations

from typing import ClassVar, Literal

from engine.arrays import Array, module_of
from engine.backend.filters import ndimage_of
from engine.geometry.grid import Point
from engine.postprocess.base import Filter
from engine.settings import setting


class Median(Filter):
    """Median over `size`³ voxels."""

    title: ClassVar[str] = "Median"
    kind: Literal["median"] = "median"
    size: Literal[3, 5, 7] = setting(3, "Edge of the cube", label="Cube edge", unit="voxels")

    def apply(self, image: Array, voxel_mm: Point) -> Array:
        out = module_of(image).empty_like(image)
        ndimage_of(image).median_filter(image, size=self.size, output=out, mode="nearest")
        return out

    def describe(self) -> str:
        return f"median {self.size}³ voxels"

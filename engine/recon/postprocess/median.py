"""Median of a cube of voxels: removes single hot voxels and keeps edges."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.backend.filters import ndimage_of
from engine.core.checked import checked
from engine.core.settings import setting
from engine.geometry.grid import Point
from engine.recon.postprocess.base import Filter

FAST = 3
"""Edge of the cube that has its own kernel."""


class Median(Filter):
    """Median over `size`³ voxels."""

    title: ClassVar[str] = "Median"
    kind: Literal["median"] = "median"
    size: Literal[3, 5, 7] = setting(3, "Edge length of the cube", label="Cube edge", unit="voxels")

    @checked(positive=("voxel_mm",))
    def apply(self, image: Array, voxel_mm: Point) -> Array:
        """Return the median of a cube about each voxel; edge voxels are repeated at the border.

        Parameters
        ----------
        image
            (n_z, n_y, n_x), NumPy or GPU array
        voxel_mm
            not used; the cube is defined in voxels
        """
        xp = module_of(image)
        if (
            self.size == FAST
            and xp is np
            and image.dtype in (np.float32, np.float64)
            and image.size
        ):
            from engine.core.backend import usable_cores
            from engine.kernels.smoothing.median import median_of_cubes

            return median_of_cubes(np.ascontiguousarray(image), threads=usable_cores())
        # An output array keeps the dtype, which SciPy would otherwise choose.
        out = xp.empty_like(image)
        ndimage_of(image).median_filter(image, size=self.size, output=out, mode="nearest")
        return out

    def describe(self) -> str:
        return f"median {self.size}³ voxels"

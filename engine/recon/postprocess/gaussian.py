"""Gaussian smoothing of a given full width at half maximum, the same in mm along every axis.

    g_i = sum_j [w(i - j) + w(i + j + 1) + ...] f_j,    w(k) ~ exp(-(k v)^2 / 2 s^2)

with s such that the weights have exactly the variance sigma^2, even for narrow filters. At a
border the image is mirrored. The weights that a voxel receives then sum to 1, and so do those it
gives away. A uniform object that extends beyond the grid, as patients do, stays uniform, and no
counts are lost.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from engine.core.arrays import Array
from engine.core.checked import checked
from engine.core.settings import setting
from engine.geometry.grid import Point
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.recon.postprocess.base import Filter

DEFAULT_VOXELS = 1.5
"""Default width in voxels: suppresses single voxels and preserves resolution."""


class Gaussian(Filter):
    """Isotropic Gaussian with mirrored borders."""

    title: ClassVar[str] = "Gaussian"
    kind: Literal["gaussian"] = "gaussian"
    fwhm_mm: float | None = setting(
        None,
        "Full width at half maximum. If empty, it is 1.5 voxels; in list-mode PET with a μ-map, "
        "it depends on the resolution, counts and timing resolution",
        label="Width (FWHM)",
        unit="mm",
        gt=0,
        le=50,
    )

    @property
    def is_open(self) -> bool:
        return self.fwhm_mm is None

    def width_mm(self, voxel_mm: Point) -> float:
        """Return the full width at half maximum for a voxel size [mm]."""
        # The coarsest axis decides: the filter is isotropic in mm.
        return self.fwhm_mm or DEFAULT_VOXELS * max(voxel_mm)

    def default_texts(self, voxel_mm: Point) -> dict[str, str]:
        return {"fwhm_mm": f"{DEFAULT_VOXELS * max(voxel_mm):.3g}, {DEFAULT_VOXELS:g} voxels"}

    @checked(positive=("voxel_mm",))
    def apply(self, image: Array, voxel_mm: Point) -> Array:
        from engine.operators.gaussian import smoothed  # settings must load without kernels

        # Arrays are [z, y, x], voxel sizes (x, y, z).
        sigma = [self.width_mm(voxel_mm) / FWHM_PER_SIGMA / v for v in voxel_mm[::-1]]
        return smoothed(image, tuple(sigma))

    def describe(self) -> str:
        return f"Gaussian {self.fwhm_mm:g} mm" if self.fwhm_mm else "Gaussian 1.5 voxels"

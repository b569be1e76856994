"""Gaussian smoothing of a given full width at half maximum, the same in mm along every axis.

    g_i = sum_j [w(i - j) + w(i + j + 1) + ...] f_j,    w(k) ~ exp(-(k v)^2 / 2 s^2)

with s such that the weights have the variance sigma^2, however narrow they are. At a border the
image goes on as its mirror image. The weights of each voxel then sum to 1 and so do those that it
gives away: a uniform object that goes on beyond the grid, as patients do, stays uniform, and no
counts are lost.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from engine.core.arrays import Array
from engine.core.settings import setting
from engine.geometry.grid import Point
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.recon.postprocess.base import Filter

DEFAULT_VOXELS = 1.5
"""Width in voxels where none is given: suppresses single voxels, keeps the resolution."""


class Gaussian(Filter):
    """Isotropic Gaussian with mirrored borders."""

    title: ClassVar[str] = "Gaussian"
    kind: Literal["gaussian"] = "gaussian"
    fwhm_mm: float | None = setting(
        None,
        "Full width at half maximum. If empty: list-mode PET with a μ-map chooses it "
        "from resolution, counts and timing; everything else uses 1.5 voxels",
        label="Width (FWHM)",
        unit="mm",
        gt=0,
        le=50,
    )

    def width_mm(self, voxel_mm: Point) -> float:
        """Full width at half maximum on voxels of this size [mm]."""
        return self.fwhm_mm or DEFAULT_VOXELS * max(voxel_mm)

    def usual(self, voxel_mm: Point) -> dict[str, str]:
        return {"fwhm_mm": f"{DEFAULT_VOXELS * max(voxel_mm):.3g}, {DEFAULT_VOXELS:g} voxels"}

    def apply(self, image: Array, voxel_mm: Point) -> Array:
        from engine.operators.gaussian import smoothed  # no settings wait for kernels

        sigma = [self.width_mm(voxel_mm) / FWHM_PER_SIGMA / v for v in voxel_mm[::-1]]
        return smoothed(image, tuple(sigma))

    def describe(self) -> str:
        return f"Gaussian {self.fwhm_mm:g} mm" if self.fwhm_mm else "Gaussian 1.5 voxels"

"""Gaussian smoothing of a given full width at half maximum, in mm along every axis."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from engine.geometry.grid import Point
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.postprocess.base import Filter
from engine.settings import setting


class Gaussian(Filter):
    """Isotropic Gaussian; outside the image counts as zero."""

    title: ClassVar[str] = "Gaussian"
    kind: Literal["gaussian"] = "gaussian"
    fwhm_mm: float = setting(
        5.0, "Full width at half maximum", label="Width (FWHM)", unit="mm", gt=0, le=50
    )

    def apply(self, image: NDArray[Any], voxel_mm: Point) -> NDArray[Any]:
        from scipy import ndimage

        sigma = [self.fwhm_mm / FWHM_PER_SIGMA / v for v in voxel_mm[::-1]]
        return ndimage.gaussian_filter(image, sigma, mode="constant", truncate=4.0)

    def describe(self) -> str:
        return f"Gaussian {self.fwhm_mm:g} mm"

"""Regions of interest: the share of each voxel inside a shape, and what the image holds there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.data.volume import Volume
from engine.errors import GeometryError
from engine.geometry.grid import ImageGrid, Point
from engine.simulate import shapes

Weights = NDArray[np.float32]
"""(n_z, n_y, n_x) share of each voxel inside the region, 0 to 1."""

_OVERSAMPLE = 5


@dataclass(frozen=True)
class RoiStatistics:
    """What an image holds in a region, in the unit of the image unless said otherwise.

    Attributes
    ----------
    mean, sd : weighted by the share of each voxel inside; sd of the voxels, not of the mean
    least, most : of the voxels at least half inside; of all it touches if there are none
    volume_mm3 : size of the region inside the image [mm³]
    """

    mean: float
    sd: float
    least: float
    most: float
    volume_mm3: float


def sphere(grid: ImageGrid, centre_mm: Point, diameter_mm: float) -> Weights:
    """Return a ball."""
    return shapes.sphere(centre_mm, diameter_mm).coverage(grid, _OVERSAMPLE)


def cylinder(grid: ImageGrid, centre_mm: Point, diameter_mm: float, length_mm: float) -> Weights:
    """Return a round cylinder along z."""
    return shapes.rod(centre_mm, diameter_mm, length_mm).coverage(grid, _OVERSAMPLE)


def box(grid: ImageGrid, centre_mm: Point, size_mm: Point) -> Weights:
    """Return an upright box with edges `size_mm` (x, y, z)."""
    x, y, z = size_mm
    return shapes.Box(centre_mm, (x / 2, y / 2, z / 2)).coverage(grid, _OVERSAMPLE)


def measure(volume: Volume, weights: Weights) -> RoiStatistics:
    """Measure an image in a region."""
    if weights.shape != volume.values.shape:
        raise GeometryError(
            f"the region has shape {weights.shape}, the image {volume.values.shape}; make the "
            "region on the image's grid."
        )
    touched = weights > 0
    if not touched.any():
        raise GeometryError("the region lies outside the image; move it inside.")
    values, share = volume.values[touched].astype(np.float64), weights[touched].astype(np.float64)
    core = values[share >= 0.5] if (share >= 0.5).any() else values
    mean = float(np.average(values, weights=share))
    sd = float(np.sqrt(np.average((values - mean) ** 2, weights=share)))
    volume_mm3 = float(share.sum() * np.prod(volume.grid.voxel_mm))
    return RoiStatistics(mean, sd, float(core.min()), float(core.max()), volume_mm3)


def mean(volume: Volume, weights: Weights) -> float:
    """Mean of an image in a region."""
    return measure(volume, weights).mean


def means(volume: Volume, regions: list[Weights]) -> Array:
    """Mean of an image in each region."""
    return np.array([mean(volume, weights) for weights in regions])

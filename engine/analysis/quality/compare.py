"""Compare two images, and find the offset between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.core.errors import DataError, GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import Point
from engine.geometry.tof import FWHM_PER_SIGMA


def rmse(image: Volume, truth: Volume) -> float:
    """Root mean square difference, in the unit of the images."""
    _same_grid(image, truth)
    difference = image.values.astype(np.float64) - truth.values
    return float(np.sqrt(np.mean(difference**2)))


def correlation(image: Volume, truth: Volume, *, fwhm_mm: float = 0.0) -> float:
    """Pearson correlation of the voxels of two images.

    Parameters
    ----------
    image, truth
        on the same grid; their units may differ
    fwhm_mm
        width of a Gaussian that smooths both before; 0: none [mm]

    Returns
    -------
    float
        −1 ... 1; 1 for images that are equal but for a positive factor and an offset

    Raises
    ------
    DataError
        if an image has the same value everywhere
    """
    _same_grid(image, truth)
    a, b = (smoothed(v, fwhm_mm).values.ravel().astype(np.float64) for v in (image, truth))
    if a.std() == 0 or b.std() == 0:
        raise DataError("an image without contrast has no correlation; choose another image.")
    return float(np.corrcoef(a, b)[0, 1])


def smoothed(volume: Volume, fwhm_mm: float) -> Volume:
    """Return the image after a Gaussian; as it is for a width of 0."""
    if not fwhm_mm:
        return volume
    from scipy import ndimage

    sigma = [fwhm_mm / FWHM_PER_SIGMA / edge for edge in volume.grid.voxel_mm[::-1]]
    return replace(volume, values=ndimage.gaussian_filter(volume.values, sigma, mode="constant"))


def centroid_mm(volume: Volume, *, threshold: float = 0.0) -> Point:
    """Centre of gravity (x, y, z) of the voxels above `threshold` times the maximum [mm]."""
    values = np.where(_above(volume, threshold), volume.values, 0).astype(np.float64)
    total = values.sum()
    x, y, z = (
        float(volume.grid.centres_mm(axis) @ values.sum(axis=_others(axis)) / total)
        for axis in range(3)
    )
    return x, y, z


def extent_mm(volume: Volume, *, threshold: float = 0.5) -> tuple[Point, Point]:
    """Corners (x, y, z) of the box round the voxels above `threshold` times the maximum [mm]."""
    above = _above(volume, threshold)
    low, high = [], []
    for axis in range(3):
        found = np.flatnonzero(above.any(axis=_others(axis)))
        edge, lower = volume.grid.voxel_mm[axis], float(volume.grid.lower_mm[axis])
        low.append(lower + edge * int(found[0]))
        high.append(lower + edge * (int(found[-1]) + 1))
    return (low[0], low[1], low[2]), (high[0], high[1], high[2])


def _above(volume: Volume, threshold: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    peak = float(volume.values.max())
    if not peak > 0:
        raise DataError("the image is empty: no voxel is above 0; choose another image.")
    return np.asarray(volume.values > threshold * peak)


def _others(axis: int) -> tuple[int, ...]:
    """Array axes across a space axis: 0, 1, 2 is x, y, z."""
    return tuple(k for k in range(3) if k != 2 - axis)


def _same_grid(one: Volume, other: Volume) -> None:
    if one.grid != other.grid:
        raise GeometryError(
            f"the images have different grids, {one.grid.describe()} and "
            f"{other.grid.describe()}, or different positions; resample both to one "
            "grid."
        )

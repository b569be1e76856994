"""Compare two images, and find the offset between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError, GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import Point
from engine.geometry.tof import FWHM_PER_SIGMA


def rmse(image: Volume, truth: Volume) -> float:
    """Return the root mean square difference of two images, in their unit.

    Parameters
    ----------
    image, truth
        images on the same grid, in the same unit

    Raises
    ------
    GeometryError
        if the grids differ
    """
    _same_grid(image, truth)
    # The sum of squares of a large float32 image loses digits, so it is formed in float64.
    difference = image.values.astype(np.float64) - truth.values
    return float(np.sqrt(np.mean(difference**2)))


def over_error(difference: Array, *deviations: Array) -> Array:
    """Return a difference of two images divided by its error.

    Parameters
    ----------
    difference
        first minus second image
    deviations
        standard deviation of the difference, or those of two images with independent noise, which
        are added in quadrature; of the shape of the difference

    Returns
    -------
    float32 of the same shape; NaN where the error is 0 or unknown
    """
    error = np.sqrt(sum(np.square(each, dtype=np.float64) for each in deviations))
    found = np.full(difference.shape, np.nan, np.float32)
    np.divide(difference, error, out=found, where=error > 0, casting="same_kind")
    return found


def correlation(image: Volume, truth: Volume, *, fwhm_mm: float = 0.0) -> float:
    """Pearson correlation of the voxels of two images.

    Parameters
    ----------
    image, truth
        images on the same grid; their units may differ
    fwhm_mm
        FWHM of a Gaussian that smooths both images first [mm]; 0: no smoothing

    Returns
    -------
    float
        −1 to 1; 1 if the images differ only by an offset and a positive factor

    Raises
    ------
    DataError
        if an image has the same value everywhere
    """
    _same_grid(image, truth)
    a, b = (smoothed(v, fwhm_mm).values.ravel().astype(np.float64) for v in (image, truth))
    if a.std() == 0 or b.std() == 0:
        raise DataError(
            "all values of one image are equal, so it cannot be correlated with the other; "
            "choose another image."
        )
    return float(np.corrcoef(a, b)[0, 1])


def smoothed(volume: Volume, fwhm_mm: float) -> Volume:
    """Return the image after a Gaussian filter.

    Parameters
    ----------
    volume
        image to smooth; voxels outside count as 0
    fwhm_mm
        full width at half maximum [mm]; 0 returns `volume` itself
    """
    if not fwhm_mm:
        return volume
    from scipy import ndimage

    # SciPy expects one sigma per array axis in voxels. Array axes are z, y, x; sizes are x, y, z.
    sigma = [fwhm_mm / FWHM_PER_SIGMA / edge for edge in volume.grid.voxel_mm[::-1]]
    return replace(volume, values=ndimage.gaussian_filter(volume.values, sigma, mode="constant"))


def centroid_mm(volume: Volume, *, threshold: float = 0.0) -> Point:
    """Return the centre of gravity (x, y, z) of the bright voxels [mm].

    Parameters
    ----------
    volume
        image with values above 0
    threshold
        fraction of the maximum; voxels at or below it do not count

    Raises
    ------
    DataError
        if no voxel is above 0
    """
    values = np.where(_above(volume, threshold), volume.values, 0).astype(np.float64)
    total = values.sum()
    x, y, z = (
        float(volume.grid.centres_mm(axis) @ values.sum(axis=_axes_across(axis)) / total)
        for axis in range(3)
    )
    return x, y, z


def extent_mm(volume: Volume, *, threshold: float = 0.5) -> tuple[Point, Point]:
    """Return the lower and upper corner (x, y, z) of the box around the bright voxels [mm].

    Parameters
    ----------
    volume
        image with values above 0
    threshold
        fraction of the maximum; voxels at or below it do not count

    Returns
    -------
    lower, upper
        faces of the outermost voxels, not their centres

    Raises
    ------
    DataError
        if no voxel is above 0
    """
    above = _above(volume, threshold)
    low, high = [], []
    for axis in range(3):
        found = np.flatnonzero(above.any(axis=_axes_across(axis)))
        edge, lower = volume.grid.voxel_mm[axis], float(volume.grid.lower_mm[axis])
        low.append(lower + edge * int(found[0]))
        high.append(lower + edge * (int(found[-1]) + 1))
    return (low[0], low[1], low[2]), (high[0], high[1], high[2])


def _above(volume: Volume, threshold: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    peak = float(volume.values.max())
    if not peak > 0:
        raise DataError("the image is empty (no voxel is above 0); choose another image.")
    return np.asarray(volume.values > threshold * peak)


def _axes_across(axis: int) -> tuple[int, ...]:
    """Return the two array axes across a space axis, where 0, 1, 2 is x, y, z."""
    return tuple(k for k in range(3) if k != 2 - axis)


def _same_grid(one: Volume, other: Volume) -> None:
    if one.grid != other.grid:
        raise GeometryError(
            "the images have different grids or positions (first image: "
            f"{one.grid.describe()}; second image: {other.grid.describe()}); resample both to the "
            "same grid."
        )

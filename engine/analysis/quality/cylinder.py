"""Find a uniform cylinder along z in an image, and measure its inside.

The image is smoothed first. The cylinder is the set of voxels above the level halfway between the
mean of the voxels above it and the mean of the voxels below it. The axis is their centre of
gravity. The radius is that of a disc of the same area. The ends are where the number of voxels per
slice falls below half of its typical value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.analysis.regions.contour import level_between
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point

MIN_MM = 2.0
SMOOTHING_VOXELS = 1.5
"""Standard deviation: the edge stays at half height, but single noisy voxels no longer count."""
MARGIN = 0.25
"""Fraction of the radius left out at the rim, and of the half length left out at each end."""
MIN_MARGIN_VOXELS = 2.0
BLOCKS = 12
"""Parts of a region; the standard error comes from their means, as adjacent voxels correlate."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class UprightCylinder:
    """A cylinder along z.

    Attributes
    ----------
    centre_mm : its middle (x, y, z) [mm]
    radius_mm, length_mm : its size [mm]
    """

    centre_mm: Point
    radius_mm: float
    length_mm: float

    def inner(self, grid: ImageGrid) -> UprightCylinder:
        """Return the part of the cylinder where partial volume at rim and ends is negligible.

        Parameters
        ----------
        grid
            grid of the image; the margin is at least `MIN_MARGIN_VOXELS` of its voxels
        """
        x, _, z = grid.voxel_mm
        rim = max(MARGIN * self.radius_mm, MIN_MARGIN_VOXELS * x)
        end = max(MARGIN * self.length_mm / 2, MIN_MARGIN_VOXELS * z)
        return UprightCylinder(self.centre_mm, self.radius_mm - rim, self.length_mm - 2 * end)

    def mask(self, grid: ImageGrid) -> Mask:
        """Return the voxels whose centres are inside the cylinder.

        Parameters
        ----------
        grid
            grid of the image

        Returns
        -------
        Mask
            (n_z, n_y, n_x)
        """
        z, y, x = (grid.centres_mm(axis) - self.centre_mm[axis] for axis in (2, 1, 0))
        disc = np.hypot(x[None, :], y[:, None]) <= self.radius_mm
        return np.asarray((np.abs(z) <= self.length_mm / 2)[:, None, None] & disc)

    def describe(self) -> str:
        """Return a text with size and position."""
        x, y, z = (round(c, 1) + 0.0 for c in self.centre_mm)  # no minus before a zero
        return (
            f"radius {self.radius_mm:.1f} mm, length {self.length_mm:.1f} mm, centre "
            f"at ({x:.1f}, {y:.1f}, {z:.1f}) mm"
        )


@dataclass(frozen=True)
class RegionMean:
    """Mean of an image in a region.

    Attributes
    ----------
    mean : value in the unit of the image
    error : standard error of the mean, from the means of parts of the region; adjacent parts of a
        filtered image correlate, so the true error is up to a quarter larger
    sd : standard deviation of the voxels
    n_voxels : number of voxels in the region
    """

    mean: float
    error: float
    sd: float
    n_voxels: int


def find_cylinder(volume: Volume) -> UprightCylinder:
    """Find the cylinder in an image that shows little else.

    Parameters
    ----------
    volume
        image of the cylinder; its axis must be along z

    Returns
    -------
    UprightCylinder
        position and size to about a voxel

    Raises
    ------
    DataError
        if the radius would be less than `MIN_MM`
    """
    from scipy import ndimage

    grid = volume.grid
    smooth = ndimage.gaussian_filter(np.asarray(volume.values, np.float32), SMOOTHING_VOXELS)
    above = smooth > level_between(smooth)
    counts = np.count_nonzero(above, axis=(1, 2))
    # Bright slices at the axial ends, where the sensitivity is low, can have more voxels than the
    # cylinder. The 90th percentile ignores them.
    typical_counts = float(np.percentile(counts, 90))
    slices = counts > typical_counts / 2
    pixel_mm2 = grid.voxel_mm[0] * grid.voxel_mm[1]
    # The area of a median slice gives the radius: noise at the rim averages out over all its
    # voxels.
    radius = (
        float(np.sqrt(np.median(counts[slices]) * pixel_mm2 / np.pi)) if typical_counts else 0.0
    )
    if radius < MIN_MM:
        raise DataError("no cylinder was found in the image; enter its position.")
    of_slices = above[slices]
    x, y = (
        float(grid.centres_mm(axis) @ of_slices.sum(axis=(0, 1 + axis)) / of_slices.sum())
        for axis in (0, 1)
    )
    z = grid.centres_mm(2)[slices]
    length = float(z[-1] - z[0]) + grid.voxel_mm[2]
    return UprightCylinder((x, y, float(z[0] + z[-1]) / 2), radius, length)


def mean_inside(volume: Volume, cylinder: UprightCylinder) -> RegionMean:
    """Return the mean in a cylinder, with its standard error.

    Parameters
    ----------
    volume
        image to measure
    cylinder
        region; voxels whose centres are inside count

    Raises
    ------
    DataError
        if the region has fewer than 24 voxels
    """
    mask = cylinder.mask(volume.grid)
    n = int(np.count_nonzero(mask))
    if n < 2 * BLOCKS:
        raise DataError(
            f"the region for the analysis ({cylinder.describe()}) has {n} voxels, expected at "
            f"least {2 * BLOCKS}; use a larger phantom or region."
        )
    inside = volume.values[mask].astype(np.float64)
    means = _part_means(volume, cylinder, mask)
    # NaN says that the error is unknown; 0 would look like a perfect measurement.
    error = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else float("nan")
    return RegionMean(float(inside.mean()), error, float(inside.std()), n)


def _part_means(volume: Volume, cylinder: UprightCylinder, mask: Mask) -> NDArray[np.float64]:
    """Return the means of 3 parts along z times 4 quarters of the turn."""
    z, y, x = np.nonzero(mask)
    from_middle = [volume.grid.centres_mm(k) - cylinder.centre_mm[k] for k in range(3)]
    along = from_middle[2][z] / cylinder.length_mm + 0.5
    third = np.clip((3 * along).astype(int), 0, 2)
    quarter = (from_middle[0][x] > 0).astype(int) + 2 * (from_middle[1][y] > 0)
    part = third * 4 + quarter
    sums = np.bincount(part, volume.values[mask].astype(np.float64), BLOCKS)
    sizes = np.bincount(part, minlength=BLOCKS)
    return np.asarray(sums[sizes > 0] / sizes[sizes > 0])

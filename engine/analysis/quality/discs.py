"""Means of small discs and cylinders across z, weighted by voxel overlap.

A disc has the thickness of the nearest slice. A cylinder consists of the slices whose centres are
inside. The overlap of a pixel is counted on 8 × 8 points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import Point

FINE = 8


@dataclass(frozen=True)
class RegionStats:
    """Statistics of an image in a region.

    Attributes
    ----------
    mean, sd : mean and sd of the voxels, weighted by their shares
    minimum, maximum : of the voxels that are at least half inside
    """

    mean: float
    sd: float
    minimum: float
    maximum: float


def disc(volume: Volume, centre_mm: Point, diameter_mm: float) -> RegionStats:
    """Measure a disc in the slice nearest to its centre.

    Parameters
    ----------
    volume
        image to measure
    centre_mm
        centre (x, y, z) [mm]
    diameter_mm
        diameter [mm]

    Raises
    ------
    DataError
        if the disc is outside the image
    """
    z = volume.grid.centres_mm(2)
    return _measured(
        volume, centre_mm, diameter_mm, np.array([np.argmin(np.abs(z - centre_mm[2]))])
    )


def rod(volume: Volume, centre_mm: Point, diameter_mm: float, length_mm: float) -> RegionStats:
    """Measure a cylinder along z.

    Parameters
    ----------
    volume
        image to measure
    centre_mm
        centre (x, y, z) [mm]
    diameter_mm, length_mm
        size [mm]; a cylinder shorter than a slice is measured in the nearest slice

    Raises
    ------
    DataError
        if the cylinder is outside the image
    """
    z = volume.grid.centres_mm(2)
    inside = np.flatnonzero(np.abs(z - centre_mm[2]) <= length_mm / 2)
    if not len(inside):
        inside = np.array([np.argmin(np.abs(z - centre_mm[2]))])
    return _measured(volume, centre_mm, diameter_mm, inside)


def _measured(volume: Volume, centre_mm: Point, diameter_mm: float, slices: Array) -> RegionStats:
    x, y, z = centre_mm
    lower, upper = volume.grid.lower_mm, volume.grid.upper_mm
    if not (lower[2] <= z <= upper[2]):
        raise _outside(centre_mm)
    (columns, across), (rows, along) = (
        _near(volume, 0, x, diameter_mm),
        _near(volume, 1, y, diameter_mm),
    )
    if not len(columns) or not len(rows):
        raise _outside(centre_mm)
    inside = np.hypot(across[None, :], along[:, None]) <= diameter_mm / 2
    share = inside.reshape(len(rows), FINE, len(columns), FINE).mean(axis=(1, 3))
    values = volume.values[np.ix_(slices, rows, columns)].astype(np.float64)
    weights = np.broadcast_to(share, values.shape)
    if not weights.any():
        raise _outside(centre_mm)
    mean = float(np.average(values, weights=weights))
    sd = float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
    # Voxels at the rim contain background, which would become the minimum of a hot region. A disc
    # smaller than a voxel may have none that is half inside.
    core = values[weights >= 0.5] if (weights >= 0.5).any() else values[weights > 0]
    return RegionStats(mean, sd, float(core.min()), float(core.max()))


def _near(volume: Volume, axis: int, middle: float, diameter_mm: float) -> tuple[Array, Array]:
    """Return voxels along an axis that a disc can touch, and their fine points relative to it."""
    centres, edge = volume.grid.centres_mm(axis), volume.grid.voxel_mm[axis]
    found = np.flatnonzero(np.abs(centres - middle) <= (diameter_mm + edge) / 2)
    fine = (np.arange(FINE) + 0.5) / FINE - 0.5
    return found, (centres[found][:, None] + edge * fine - middle).ravel()


def _outside(centre_mm: Point) -> DataError:
    x, y, z = centre_mm
    return DataError(
        f"a region at ({x:.1f}, {y:.1f}, {z:.1f}) mm is outside the image; enter the "
        "position of the phantom, or reconstruct a larger volume."
    )

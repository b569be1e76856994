"""Resolution from hot rods: the valley-to-peak ratio between neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.data.volume import Volume
from engine.simulate.phantoms import RodAxis, RodSector

RESOLVED_BELOW = 0.735
"""Valley-to-peak ratio at which two points are just resolved (Rayleigh criterion)."""


def valley_to_peak(
    volume: Volume, sector: RodSector, *, length_mm: float = 10.0, along: RodAxis = "z"
) -> float:
    """Return the mean halfway between neighbouring rods over the mean on the rods.

    Parameters
    ----------
    volume
        an image of the Derenzo phantom
    sector
        the rods of one diameter
    length_mm
        length in the middle of the rods over which the image is averaged [mm]
    along
        axis of the rods

    Returns
    -------
    float
        0 is perfect, 1 is no contrast; below `RESOLVED_BELOW` neighbouring rods are resolved

    Raises
    ------
    GeometryError
        if the sector has no two neighbouring rods
    """
    rods = np.array(sector.centres_mm)
    middles = _between_neighbours(rods, 2 * sector.diameter_mm)
    if len(middles) == 0:
        raise GeometryError(
            f"the sector with rods of {sector.diameter_mm:g} mm has {len(rods)} rods but no "
            "neighbouring pair, expected at least one; use a larger phantom."
        )
    axis = "xyz".index(along)
    away = np.abs(volume.grid.centres_mm(axis) - volume.grid.centre_mm[axis])
    # At least one slice is averaged, even if its voxels are longer than `length_mm`.
    near = np.flatnonzero(away <= max(length_mm, volume.grid.voxel_mm[axis]) / 2)
    plane = volume.values.take(near, axis=2 - axis).mean(axis=2 - axis)
    across = [other for other in (0, 1, 2) if other != axis]
    peak = _sampled(plane, rods, volume, across).mean()
    return float(_sampled(plane, middles, volume, across).mean() / peak)


def valleys(
    volume: Volume, sectors: Sequence[RodSector], *, along: RodAxis = "z"
) -> dict[float, float]:
    """Return the valley-to-peak ratio of each sector, by rod diameter [mm].

    Parameters
    ----------
    volume
        image of the Derenzo phantom
    sectors
        rods of one diameter each
    along
        axis of the rods

    Raises
    ------
    GeometryError
        if a sector has no two neighbouring rods
    """
    return {s.diameter_mm: valley_to_peak(volume, s, along=along) for s in sectors}


def _between_neighbours(rods: Array, pitch_mm: float) -> Array:
    """Return (m, 2) points halfway between rods that are one pitch apart."""
    i, j = np.triu_indices(len(rods), 1)
    distance = np.linalg.norm(rods[i] - rods[j], axis=1)
    # The tolerance covers rounded rod positions. The next distance of a hexagonal grid is 1.7
    # pitches.
    close = distance < 1.1 * pitch_mm
    return np.asarray((rods[i] + rods[j])[close] / 2)


def _sampled(plane: Array, points_mm: Array, volume: Volume, across: list[int]) -> Array:
    """Linear interpolation of a slice, x fastest, at points along the two axes `across`."""
    from scipy import ndimage

    lower, edge = volume.grid.lower_mm[across], np.array(volume.grid.voxel_mm)[across]
    x, y = ((points_mm - lower) / edge - 0.5).T
    return np.asarray(ndimage.map_coordinates(plane, [y, x], order=1, mode="nearest"))

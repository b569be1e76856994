"""Resolution from hot rods: how deep the valleys between neighbours are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.data.volume import Volume
from engine.errors import GeometryError
from engine.simulate.phantoms import RodSector

RESOLVED_BELOW = 0.735
"""Valley over peak at which two points are just told apart (Rayleigh's criterion)."""


def valley_to_peak(volume: Volume, sector: RodSector, *, length_mm: float = 10.0) -> float:
    """Mean image half-way between neighbouring rods over the mean on the rods.

    0 is perfect, 1 is no contrast at all. The image is averaged along the middle `length_mm` of z.
    """
    rods = np.array(sector.centres_mm)
    middles = _between_neighbours(rods, 2 * sector.diameter_mm)
    if len(middles) == 0:
        raise GeometryError(
            f"rods of {sector.diameter_mm:g} mm: {len(rods)} in the sector, need 2 neighbours; "
            "make the phantom larger."
        )
    z = volume.grid.centres_mm(2)
    near = np.abs(z - volume.grid.centre_mm[2]) <= max(length_mm, volume.grid.voxel_mm[2]) / 2
    plane = volume.values[near].mean(axis=0)
    peak = _sampled(plane, rods, volume).mean()
    return float(_sampled(plane, middles, volume).mean() / peak)


def _between_neighbours(rods: NDArray[Any], pitch_mm: float) -> NDArray[Any]:
    """(m, 2) points half-way between rods one pitch apart."""
    i, j = np.triu_indices(len(rods), 1)
    apart = np.linalg.norm(rods[i] - rods[j], axis=1)
    close = apart < 1.1 * pitch_mm
    return np.asarray((rods[i] + rods[j])[close] / 2)


def _sampled(plane: NDArray[Any], points_mm: NDArray[Any], volume: Volume) -> NDArray[Any]:
    """Linear interpolation of a slice (n_y, n_x) at points (x, y)."""
    from scipy import ndimage

    lower, edge = volume.grid.lower_mm[:2], np.array(volume.grid.voxel_mm[:2])
    x, y = ((points_mm - lower) / edge - 0.5).T
    return np.asarray(ndimage.map_coordinates(plane, [y, x], order=1, mode="nearest"))

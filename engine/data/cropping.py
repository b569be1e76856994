"""Crop a volume to its non-zero part, so that lines through the rest are skipped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.data.volume import Volume


def cropped(volume: Volume) -> Volume:
    """Return the smallest box of a volume that contains all non-zero voxels.

    Line integrals are equal to those of the whole volume, up to rounding. The box keeps its
    position.

    Parameters
    ----------
    volume
        the volume, on the host or on a device

    Returns
    -------
    the cropped volume; one voxel if all are 0
    """
    # Air around the patient is 0 in a μ-map, and most lines pass more air than tissue.
    box = extent(volume.values != 0) or [(0, 1)] * 3
    # the map can be on a device
    xp = module_of(volume.values)
    part = xp.ascontiguousarray(volume.values[tuple(slice(*ends) for ends in box)])
    cropped = replace(volume, values=part, grid=volume.grid.part(box))
    if volume.error is None:
        return cropped
    window = tuple(slice(*ends) for ends in box)
    return replace(cropped, error=volume.error.within(window).of_values(part))


def extent(inside: NDArray[np.bool_]) -> list[tuple[int, int]] | None:
    """Return the first and one past the last selected voxel along each axis.

    Parameters
    ----------
    inside
        (n_z, n_y, n_x)

    Returns
    -------
    three pairs in the order z, y, x; None if no voxel is selected
    """
    found = []
    for axis in range(3):
        others = tuple(a for a in range(3) if a != axis)
        at = module_of(inside).flatnonzero(inside.any(axis=others))
        if not len(at):
            return None
        found.append((int(at[0]), int(at[-1]) + 1))
    return found

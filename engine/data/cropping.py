"""Crop a volume to its non-zero part, so that lines through the rest are skipped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.data.volume import Volume


def cropped(volume: Volume) -> Volume:
    """Return the smallest box of voxels with all that are not 0, where it is in space.

    Integrals along lines are those of the whole to rounding. Of zeros one voxel is left.
    """
    box = extent(volume.values != 0) or [(0, 1)] * 3
    # a map may lie on a device
    xp = module_of(volume.values)
    part = xp.ascontiguousarray(volume.values[tuple(slice(*ends) for ends in box)])
    return replace(volume, values=part, grid=volume.grid.part(box))


def extent(inside: NDArray[np.bool_]) -> list[tuple[int, int]] | None:
    """First voxel and one past the last along each axis; None where there is none."""
    found = []
    for axis in range(3):
        others = tuple(a for a in range(3) if a != axis)
        at = module_of(inside).flatnonzero(inside.any(axis=others))
        if not len(at):
            return None
        found.append((int(at[0]), int(at[-1]) + 1))
    return found

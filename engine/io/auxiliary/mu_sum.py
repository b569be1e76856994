"""Add the attenuation maps of patient, bed and coils.

    μ(p) = Σ μ_i(p)

on the voxels of the first map, grown as far as the others attenuate; those are interpolated
linearly between their voxels, and are 0 outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.safety.budget import refuse_large_data

LEAST_PER_MM = 1e-5
"""Smallest relevant attenuation: one metre absorbs 1 % of the photons."""
TISSUES_PER_MM = {"air": 0.0, "lung": 0.00224, "fat": 0.00854, "soft": 0.01}
"""Classes of a Dixon segmentation at 511 keV, as Siemens' mMR gives them."""


def of_classes(volume: Volume, classes: Mapping[int, float], name: str) -> Volume:
    """Return the map of an image of classes, such as MR by Dixon.

    Parameters
    ----------
    volume
        whole numbers, one for each class
    classes
        number of the class -> its attenuation [1/mm]; 0 is air unless it is named
    name
        of the file, for sentences

    Raises
    ------
    DataError
        where a voxel is of no class
    """
    known = {0: 0.0, **classes}
    values = np.zeros_like(volume.values)
    left = np.ones(volume.values.shape, bool)
    for number, per_mm in known.items():
        where = volume.values == number
        values[where] = per_mm
        left &= ~where
    if left.any():
        other = np.unique(volume.values[left])
        listed = ", ".join(f"{value:g}" for value in other[:5])
        more = f" and {len(other) - 5:,} more" if len(other) > 5 else ""
        raise DataError(
            f"{name}: {np.count_nonzero(left):,} voxels belong to unnamed classes with the numbers "
            f"{listed}{more}; state their attenuation too, or use a segmented image."
        )
    note = f"{name}: classes were given " + ", ".join(f"{k}: {v:g}" for k, v in known.items())
    info = {**volume.info, "converted_from": "classes"}
    notes = (*volume.notes, f"{note} 1/mm.")
    return replace(volume, values=values, unit="1/mm", info=info, notes=notes)


def added(first: Volume, others: Sequence[Volume]) -> Volume:
    """Return the sum of maps in 1/mm, on the voxels of the first.

    Raises
    ------
    DataError
        where two of them name different patients
    """
    patients = {each.patient for each in (first, *others) if each.patient}
    if len(patients) > 1:
        raise DataError(
            "the files of these maps name different patients; add maps of one patient, bed and "
            "coils."
        )
    grid = _grown(first.grid, others)
    refuse_large_data(4 * grid.n_voxels, "the sum of the maps")
    total = _placed(first, grid)
    for each in others:
        total += _interpolated(each, grid)
    return replace(first, values=total, grid=grid, patient=next(iter(patients), ""))


def _grown(grid: ImageGrid, others: Sequence[Volume]) -> ImageGrid:
    """Return a grid with the same voxels, and more of them where others attenuate."""
    lower, upper = grid.lower_mm.copy(), grid.upper_mm.copy()
    for each in others:
        matter = each.values > LEAST_PER_MM
        if not matter.any():
            continue
        for axis in range(3):
            beside = tuple(k for k in range(3) if k != 2 - axis)
            places = np.flatnonzero(matter.any(axis=beside))
            centres, edge = each.grid.centres_mm(axis), each.grid.voxel_mm[axis]
            lower[axis] = min(lower[axis], centres[places[0]] - edge)
            upper[axis] = max(upper[axis], centres[places[-1]] + edge)
    voxel = np.array(grid.voxel_mm)
    before = np.ceil((grid.lower_mm - lower) / voxel - 1e-6).astype(int)
    after = np.ceil((upper - grid.upper_mm) / voxel - 1e-6).astype(int)
    n = np.array(grid.shape[::-1]) + before + after
    centre = grid.lower_mm - before * voxel + n * voxel / 2
    x, y, z = (float(place) for place in centre)
    return replace(grid, shape=(int(n[2]), int(n[1]), int(n[0])), centre_mm=(x, y, z))


def _placed(volume: Volume, grid: ImageGrid) -> NDArray[np.float32]:
    """Return values in a grid of the same voxels that is as large or larger."""
    start = np.rint((volume.grid.lower_mm - grid.lower_mm) / grid.voxel_mm).astype(int)[::-1]
    values = np.zeros(grid.shape, np.float32)
    slots = (slice(a, a + n) for a, n in zip(start, volume.values.shape, strict=True))
    values[tuple(slots)] = volume.values
    return values


def _interpolated(volume: Volume, grid: ImageGrid) -> NDArray[np.float32]:
    from scipy.ndimage import affine_transform

    steps = np.array(grid.voxel_mm) / volume.grid.voxel_mm
    first = [grid.centres_mm(axis)[0] for axis in range(3)]
    offset = volume.grid.to_voxels(np.array(first)) - 0.5
    return np.asarray(
        affine_transform(
            volume.values, steps[::-1], offset[::-1], grid.shape, order=1, mode="grid-constant"
        ),
        np.float32,
    )

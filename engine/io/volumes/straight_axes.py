"""Convert volumes of other programs to axes along LPS and values [z, y, x].

A file states the centre of voxel (i, j, k) by a matrix M: point = M (i, j, k, 1) [mm, LPS]. Axes
can have any order and direction. `engine.io.volumes.tilted_axes` resamples tilted ones.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import GeometryError
from engine.data.volume import Volume, to_patient
from engine.geometry.grid import ImageGrid
from engine.io.format_table import DICOM_SERIES
from engine.io.safety.ranges import stated_grid

MAX_TILT = 1e-3
"""Largest direction cosine off the axes: 0.06°, half a voxel over 500 voxels."""
NO_SIDES = "xyz"
"""Axes of a volume with unknown patient position."""
LPS_TO_RAS = np.diag([-1.0, -1.0, 1.0, 1.0])
"""Matrix between LPS and RAS, its own inverse; brain imaging files use RAS."""


def is_in_patient_axes(volume: Volume) -> bool:
    """Return True if a μ-map states its position in patient axes; others use scanner axes."""
    return volume.info.get("format") == DICOM_SERIES


def straightened(
    path: Path, values: NDArray[np.float32], affine: NDArray[np.float64]
) -> tuple[NDArray[np.float32], ImageGrid]:
    """Return [z, y, x] values with axes along LPS, and their grid.

    Parameters
    ----------
    path
        file, for error messages
    values
        (n_i, n_j, n_k)
    affine
        (4, 4) from voxel numbers to LPS [mm]

    Raises
    ------
    GeometryError
        if the matrix is singular, or an axis deviates by more than 0.06° from those of LPS
    """
    steps = np.where(np.isfinite(affine), affine, 0)[:3, :3]
    edges = np.linalg.norm(steps, axis=0)
    if not np.isfinite(affine).all() or (edges <= 0).any():
        raise GeometryError(
            f"{path.name}: its affine matrix is singular or contains NaN; export it again."
        )
    cosines = steps / edges
    world = np.abs(cosines).argmax(axis=0)
    tilt = np.abs(cosines).copy()
    # What remains are the components across the main axis of each direction.
    tilt[world, range(3)] = 0
    if tilt.max() > MAX_TILT or len(set(world)) < 3:
        raise GeometryError(
            f"{path.name}: its axes are tilted by {np.degrees(np.arcsin(min(tilt.max(), 1))):.2f}° "
            "relative to the scanner axes; resample it to the scanner axes."
        )
    # The centre does not change when axes are exchanged or reversed.
    centre = (affine @ [*((np.array(values.shape) - 1) / 2), 1])[:3]
    for axis in range(3):
        if steps[world[axis], axis] < 0:
            values = np.flip(values, axis)
    order = [int(np.flatnonzero(world == k)[0]) for k in (2, 1, 0)]
    values = np.ascontiguousarray(values.transpose(order), np.float32)
    voxel = tuple(float(edges[i]) for i in order[::-1])
    return values, stated_grid(path, values.shape, voxel, centre)


def in_own_axes(path: Path, volume: Volume) -> Volume:
    """Return a volume that was read in patient axes in its own axes (`Volume.sides`).

    Parameters
    ----------
    path
        its file, for error messages
    volume
        values along LPS; one with unknown position is returned unchanged
    """
    if volume.sides in (NO_SIDES, "LPS"):
        return volume
    x, y, z = (float(volume.grid.centres_mm(axis)[0]) for axis in range(3))
    affine = np.diag([*volume.grid.voxel_mm, 1.0])
    affine[:3, 3] = x, y, z
    # The matrix is orthogonal, so its transpose is the inverse.
    turned = to_patient(volume).T @ affine
    values, grid = straightened(path, volume.values.transpose(2, 1, 0), turned)
    return replace(volume, values=values, grid=grid)


def facing(volume: Volume, like: Volume) -> Volume:
    """Return a volume with z in the direction of another volume of the same patient.

    Parameters
    ----------
    volume
        with unknown patient position it already has scanner axes and is returned unchanged
    like
        the other volume
    """
    if volume.head_sign == like.head_sign or volume.axes == NO_SIDES:
        return volume
    turned = in_scanner_frame(volume)
    return replace(turned, info={**turned.info, "axes": like.axes})


def in_scanner_frame(volume: Volume) -> Volume:
    """Return a volume with z reversed.

    Parameters
    ----------
    volume
        in patient axes; the result has the z of a scanner that points to the feet, or the reverse
    """
    x, y, z = volume.grid.centre_mm
    grid = replace(volume.grid, centre_mm=(x, y, -z))
    return replace(volume, values=np.ascontiguousarray(volume.values[::-1]), grid=grid)

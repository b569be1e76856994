"""Save slices of any orientation as volumes that are one voxel thick.

A slice with rows and columns along the scanner axes is an ordinary volume. A rotated slice is a
volume in its own axes, and its frame states their directions:

point = centre + x across + y down + z n, n = across × down

NIfTI and MetaImage state the frame in their headers, TIFF in its description. Other formats cannot
store it and are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.data.volume import FRAME, Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.plane import Plane
from engine.io.formats import WRITERS, suffixes_of, writer_of
from engine.io.volumes.slice_frame import frame_of, refuse_turned

NAMES = ("axial", "coronal", "sagittal")


def slice_files(path: Path, names: Sequence[str] = NAMES) -> tuple[Path, ...]:
    """Return the output file of each slice: OUT-axial, OUT-coronal and OUT-sagittal for OUT.

    Parameters
    ----------
    path
        OUT, with a suffix of a volume format
    names
        name of each slice
    """
    known = [each for each in suffixes_of(WRITERS) if path.name.lower().endswith(each)]
    # The longest suffix wins: .nii.gz, not .gz.
    n = len(max(known, key=len)) if known else len(path.suffix)
    ending = path.name[len(path.name) - n :]
    stem = path.name.removesuffix(ending)
    return tuple(path.with_name(f"{stem}-{name}{ending}") for name in names)


def slice_names(planes: Sequence[Plane]) -> tuple[str, ...]:
    """Return a name for each slice.

    Parameters
    ----------
    planes
        planes of the slices

    Returns
    -------
    names
        orientations if all planes are straight and different, otherwise slice1, slice2, ...
    """
    normals = [int(np.argmax(np.abs(plane.turn[:, 2]))) for plane in planes]
    if all(is_straight(plane) for plane in planes) and len(set(normals)) == len(normals):
        return tuple(NAMES[2 - axis] for axis in normals)
    return tuple(f"slice{k + 1}" for k in range(len(planes)))


def is_straight(plane: Plane) -> bool:
    """Return True if rows and columns run along scanner axes, in their direction."""
    across_and_down = plane.turn[:, :2]
    # −1 is excluded: a reversed row is not stored like a volume.
    return bool(np.isin(across_and_down, (0.0, 1.0)).all())


def thin_volume(values: Array, plane: Plane, unit: str, info: Plain) -> Volume:
    """Return a slice as a volume one voxel thick.

    Parameters
    ----------
    values
        (n_rows, n_columns)
    plane
        position and orientation
    unit
        unit of the values
    info
        facts of the volume; a rotated slice adds its frame
    """
    if is_straight(plane):
        straight, grid = _straight(values, plane)
        return Volume(straight, grid, unit, info)
    frame = frame_of(plane)
    thin = np.ascontiguousarray(values[None], np.float32)
    return Volume(thin, plane.grid, unit, {**info, FRAME: frame})


def refuse_unplaced(path: Path, planes: Sequence[Plane]) -> None:
    """Refuse a format that cannot store the position of rotated slices.

    Parameters
    ----------
    path
        output file
    planes
        planes of the slices

    Raises
    ------
    UnknownFormatError
        if a plane is rotated and the format has no orientation
    """
    refuse_turned(path, writer_of(path), is_turned=not all(map(is_straight, planes)))


def _straight(values: Array, plane: Plane) -> tuple[NDArray[np.float32], ImageGrid]:
    """Return a slice along the axes as (n_z, n_y, n_x) values, and its grid."""
    along = [int(np.argmax(np.abs(direction))) for direction in (plane.down, plane.across)]
    missing = ({0, 1, 2} - set(along)).pop()
    rows_first = values if along[0] > along[1] else values.T  # the array is [z, y, x]
    # The thickness is the pixel size, so that voxels are cubes.
    thin = np.ascontiguousarray(np.expand_dims(rows_first, 2 - missing), np.float32)
    return thin, ImageGrid(thin.shape, (plane.pixel_mm,) * 3, plane.centre_mm)

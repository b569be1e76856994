"""Save slices of any orientation as volumes that are one voxel thick.

A slice whose rows and columns lie along the scanner's axes is a volume like others. A turned one is
a volume in its own axes, and its frame says where they lead:

point = centre + x across + y down + z n, n = across × down

NIfTI and MetaImage state it in their headers, TIFF in its description; other formats have no
place for it, and refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.plane import Plane
from engine.io.formats import WRITERS, suffixes_of, writer_of
from engine.io.volumes.slice_frame import FRAME, frame_of, refuse_turned

NAMES = ("axial", "coronal", "sagittal")


def slice_files(path: Path, names: Sequence[str] = NAMES) -> tuple[Path, ...]:
    """Return the file of each slice: OUT-axial, OUT-coronal, OUT-sagittal for OUT."""
    known = [each for each in suffixes_of(WRITERS) if path.name.lower().endswith(each)]
    n = len(max(known, key=len)) if known else len(path.suffix)
    ending = path.name[len(path.name) - n :]
    stem = path.name.removesuffix(ending)
    return tuple(path.with_name(f"{stem}-{name}{ending}") for name in names)


def slice_names(planes: Sequence[Plane]) -> tuple[str, ...]:
    """Return a name for each slice: its orientation, or its number where one is turned."""
    normals = [int(np.argmax(np.abs(plane.turn[:, 2]))) for plane in planes]
    if all(is_straight(plane) for plane in planes) and len(set(normals)) == len(normals):
        return tuple(NAMES[2 - axis] for axis in normals)
    return tuple(f"slice{k + 1}" for k in range(len(planes)))


def is_straight(plane: Plane) -> bool:
    """Return True if rows and columns lie along axes of the scanner, and are counted along them."""
    across_and_down = plane.turn[:, :2]
    return bool(np.isin(across_and_down, (0.0, 1.0)).all())


def thin_volume(values: Array, plane: Plane, unit: str, info: Plain) -> Volume:
    """Return a slice (n_rows, n_columns) as a volume one voxel thick."""
    if is_straight(plane):
        straight, grid = _straight(values, plane)
        return Volume(straight, grid, unit, info)
    frame = frame_of(plane)
    thin = np.ascontiguousarray(values[None], np.float32)
    return Volume(thin, plane.grid, unit, {**info, FRAME: frame})


def refuse_unplaced(path: Path, planes: Sequence[Plane]) -> None:
    """Refuse a format that cannot say where a turned slice lies."""
    refuse_turned(path, writer_of(path), is_turned=not all(map(is_straight, planes)))


def _straight(values: Array, plane: Plane) -> tuple[NDArray[np.float32], ImageGrid]:
    """(n_z, n_y, n_x) of a slice whose rows and columns lie along axes, and its grid."""
    along = [int(np.argmax(np.abs(direction))) for direction in (plane.down, plane.across)]
    missing = ({0, 1, 2} - set(along)).pop()
    rows_first = values if along[0] > along[1] else values.T  # the array is [z, y, x]
    thin = np.ascontiguousarray(np.expand_dims(rows_first, 2 - missing), np.float32)
    return thin, ImageGrid(thin.shape, (plane.pixel_mm,) * 3, plane.centre_mm)

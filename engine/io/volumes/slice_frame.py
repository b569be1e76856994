"""Store the position and orientation of a rotated slice in its file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import UnknownFormatError

if TYPE_CHECKING:
    from engine.core.json_types import Plain
    from engine.geometry.plane import Plane
    from engine.io.base import VolumeWriter


def frame_of(plane: Plane) -> Plain:
    """Return the frame of a slice as JSON values."""
    return {
        "centre_mm": list(plane.centre_mm),
        "across": list(plane.across),
        "down": list(plane.down),
    }


def described(plane: Plane) -> Plain:
    """Return position, orientation and size of a slice as JSON values.

    Parameters
    ----------
    plane
        plane of the slice

    Returns
    -------
    values
        the keys of `frame_of`, `shape` (rows, columns) and `pixel_mm`
    """
    return {**frame_of(plane), "shape": list(plane.shape), "pixel_mm": plane.pixel_mm}


def refuse_turned(path: Path, writer: type[VolumeWriter], *, is_turned: bool) -> None:
    """Refuse a format that cannot store the position of a rotated slice.

    Parameters
    ----------
    path
        output file, for the error message
    writer
        format of the output
    is_turned
        True if a slice is rotated

    Raises
    ------
    UnknownFormatError
        if the slice is rotated and the format has no orientation
    """
    # Otherwise the slice would appear at a wrong place in other programs.
    if is_turned and not writer.takes_turned:
        raise UnknownFormatError(
            f"{path.name}: this format cannot store the position of a rotated slice; choose "
            ".nii.gz, .mha or .tif, or reset the planes."
        )

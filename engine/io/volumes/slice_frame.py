"""Store the position and orientation of a rotated slice in its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import UnknownFormatError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.geometry.plane import Plane
from engine.io.base import VolumeWriter

FRAME = "slice_frame"
"""In `Volume.info`: where the volume's own axes lead."""


def frame_of(plane: Plane) -> Plain:
    """Return the frame of a slice as plain values."""
    return {
        "centre_mm": list(plane.centre_mm),
        "across": list(plane.across),
        "down": list(plane.down),
    }


def described(plane: Plane) -> Plain:
    """Return all of a slice as plain values."""
    return {**frame_of(plane), "shape": list(plane.shape), "pixel_mm": plane.pixel_mm}


def to_scanner(volume: Volume) -> NDArray[np.float64]:
    """(4, 4) from points of the volume's own axes to those of the scanner [mm].

    The same points, unless the volume is a turned slice.
    """
    matrix = np.eye(4)
    frame = volume.info.get(FRAME)
    if isinstance(frame, dict):
        across, down = (np.array(frame[key], float) for key in ("across", "down"))
        matrix[:3, :3] = np.stack([across, down, np.cross(across, down)], axis=1)
        matrix[:3, 3] = frame["centre_mm"]
    return matrix


def refuse_turned(path: Path, writer: type[VolumeWriter], *, is_turned: bool) -> None:
    """Refuse a format that cannot say where a turned slice lies."""
    if is_turned and not writer.takes_turned:
        raise UnknownFormatError(
            f"{path.name}: this format cannot store the position of a rotated slice; choose "
            ".nii.gz, .mha or .tif, or reset the planes."
        )

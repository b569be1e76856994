"""Option `--error` of verbs that write images: the standard deviation instead of the image."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.error_volume import deviations_of
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import QUANTITY, Volume


def add_error(parser: argparse.ArgumentParser) -> None:
    """Add `--error` to a verb.

    Parameters
    ----------
    parser
        parser of the verb
    """
    parser.add_argument(
        "--error",
        action="store_true",
        help="write the standard deviation of each voxel from the error map",
    )


def with_deviations(
    path: Path, volume: Volume, frames: tuple[FrameVolume, ...], info: Plain
) -> tuple[Volume, tuple[FrameVolume, ...], Plain]:
    """Return the standard deviations of an image and its frames, and a provenance that says so.

    Parameters
    ----------
    path
        file of the image, for messages
    volume, frames
        image, and its time frames if it has any
    info
        provenance to write

    Raises
    ------
    DataError
        if the image or a frame has no error map
    """
    if volume.error is None or any(each.volume.error is None for each in frames):
        raise DataError(
            f"{path.name}: the image has no error map. Reconstruct it with "
            "--set error_replicates=20, and save it as .h5."
        )
    of_frames = tuple(each._replace(volume=deviations_of(each.volume)) for each in frames)
    found = deviations_of(volume)
    return found, of_frames, {**info, QUANTITY: found.info[QUANTITY]}

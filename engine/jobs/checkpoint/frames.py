"""Store the finished frames of a dynamic job, so that a resumed run does not repeat them.

Each frame is a separate checkpoint file with its number as name. A resumed run uses the first
frames up to the first gap, so no frame may be removed, unlike iterates. The error of a frame is in
a volume file with the same number.
"""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import EngineError
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.jobs.checkpoint.images import Head, read_checkpoint, read_head, write_image

if TYPE_CHECKING:
    from engine.data.error_map import ErrorMap

log = logging.getLogger(__name__)


class FinishedFrames:
    """A folder of finished frames."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, volume: Volume, head: Head, place: int) -> None:
        """Save a finished frame.

        Parameters
        ----------
        volume
            image of the frame
        head
            description of the image for its checkpoint file
        place
            number of the frame, from 1
        """
        self.folder.mkdir(exist_ok=True)
        # Before the image: a frame that is found again then has its error.
        if volume.error is not None:
            from engine.io.hdf5.volume import VolumeHdf5Writer  # few runs have errors

            VolumeHdf5Writer.write(volume, self._error_path(place), {})
        write_image(volume, head, self._path(place))

    @property
    def head(self) -> Head | None:
        """Description of the first frame; None without one. No image is read."""
        return read_head(self._path(1))

    def read(self) -> list[tuple[Head, FrameVolume]]:
        """Return the frames before the first gap, all with the protocol and inputs of frame 1."""
        found: list[tuple[Head, FrameVolume]] = []
        for place in count(1):
            stored = read_checkpoint(self._path(place))
            # A damaged file counts as a gap: the run makes this frame and all later ones again
            if stored is None or stored[0].frame is None:
                return found
            head, volume = stored
            first = found[0][0] if found else head
            # An older attempt with other settings may have left later frames in the folder
            if (head.protocol, head.inputs) != (first.protocol, first.inputs):
                return found
            try:
                error = self._error(place)
                if error is not None:
                    volume = replace(volume, error=error.of_values(volume.values))
            except EngineError as e:
                log.warning("frame %d is computed again: %s", place, e)
                return found
            found.append((head, FrameVolume(stored[0].frame, volume)))
        return found

    def _error(self, place: int) -> ErrorMap | None:
        """Return the error of a frame; None if the run computes none."""
        path = self._error_path(place)
        if not path.exists():
            return None
        from engine.io import read_volume  # few runs have errors

        return read_volume(path).error

    def remove(self) -> None:
        """Delete all frames."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, place: int) -> Path:
        return self.folder / f"{place:04d}.bin"

    def _error_path(self, place: int) -> Path:
        return self.folder / f"{place:04d}.h5"

"""Store the finished frames of a dynamic job, so that a resumed run does not repeat them.

Each frame is a separate checkpoint file with its number as name. A resumed run uses the first
frames up to the first gap, so no frame may be removed, unlike iterates.
"""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.jobs.checkpoint.images import Head, read_checkpoint, write_image


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
        write_image(volume, head, self._path(place))

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
            found.append((head, FrameVolume(stored[0].frame, volume)))
        return found

    def remove(self) -> None:
        """Delete all frames."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, place: int) -> Path:
        return self.folder / f"{place:04d}.bin"

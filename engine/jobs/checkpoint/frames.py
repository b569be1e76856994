"""Finished frames of a job on disk: what a run in frames of time need not do again.

Each is a checkpoint file of its own, named by its place. Unlike iterates none may go: those that
are used are the first ones without a gap.
"""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.jobs.checkpoint.images import Head, read_checkpoint, write_image


class FinishedFrames:
    """A folder of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, volume: Volume, head: Head, place: int) -> None:
        """Keep the frame of a place, counted from 1."""
        self.folder.mkdir(exist_ok=True)
        write_image(volume, head, self._path(place))

    def read(self) -> list[tuple[Head, FrameVolume]]:
        """Return the first ones without a gap, all of the protocol and inputs of the first."""
        found: list[tuple[Head, FrameVolume]] = []
        for place in count(1):
            stored = read_checkpoint(self._path(place))
            if stored is None or stored[0].frame is None:
                return found
            head, volume = stored
            first = found[0][0] if found else head
            if (head.protocol, head.inputs) != (first.protocol, first.inputs):
                return found
            found.append((head, FrameVolume(stored[0].frame, volume)))
        return found

    def remove(self) -> None:
        """Delete all."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, place: int) -> Path:
        return self.folder / f"{place:04d}.bin"

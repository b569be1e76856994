"""Store the iterates of a job on disk, so that users can view them after an interruption.

Each iterate is a checkpoint from the end of an iteration. It gets a second name (a hard link)
before the next checkpoint replaces it, which costs neither time nor extra space. Iterations
without a checkpoint have no iterate. Above a size limit, every second older iterate is deleted.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from engine.core.errors import ResourceError
from engine.data.volume import Volume
from engine.jobs.checkpoint.images import read_checkpoint, read_head

LIMIT_BYTES = 1 << 30
"""Disk space for the iterates of one job."""


class StoredIterate(NamedTuple):
    """An image and the number of updates before it."""

    done: int
    volume: Volume


class Iterates:
    """A folder of iterates. Each file name is the number of updates."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self._limit_bytes = limit_bytes

    def add(self, checkpoint: Path, done: int) -> None:
        """Store a checkpoint as an iterate; does nothing if the file system has no hard links.

        Parameters
        ----------
        checkpoint
            checkpoint file from the end of an iteration
        done
            number of updates before its image
        """
        with suppress(OSError):
            self.folder.mkdir(exist_ok=True)
            for path in self._paths():
                if int(path.stem) >= done:  # from a run that was resumed at an earlier checkpoint
                    path.unlink()
            os.link(checkpoint, self.folder / f"{done:08d}.bin")
            self._thin()

    def make_space_for(self, write: Callable[[], None]) -> None:
        """Write a checkpoint; if the disk is full, delete the iterates and try again.

        Parameters
        ----------
        write
            writes the checkpoint

        Raises
        ------
        ResourceError
            if the disk is full even without iterates
        """
        try:
            write()
        # Continuing after an interruption is worth more than viewing old iterates
        except ResourceError:
            if not self.remove():
                raise
            write()

    def read(self) -> list[StoredIterate]:
        """Return the undamaged iterates of the newest protocol and inputs, in order."""
        return list(self._readable())

    def remove(self) -> bool:
        """Delete all iterates; return True if there were any."""
        there = bool(self._paths())
        shutil.rmtree(self.folder, ignore_errors=True)
        return there

    def _readable(self) -> Iterator[StoredIterate]:
        heads = [(path, head) for path in self._paths() if (head := read_head(path)) is not None]
        for path, head in heads:
            newest = heads[-1][1]
            # Iterates of an earlier run with other settings may still be in the folder
            is_of_run = (head.protocol, head.inputs) == (newest.protocol, newest.inputs)
            found = read_checkpoint(path) if is_of_run else None
            if found is not None:
                yield StoredIterate(head.done, found[1])

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("[0-9]*.bin"))

    def _thin(self) -> None:
        paths = self._paths()
        while len(paths) > 1 and sum(path.stat().st_size for path in paths) > self._limit_bytes:
            # The first and the newest stay, and the gaps between the others grow evenly
            for path in paths[:-1][1::2]:
                path.unlink()
            stored = self._paths()
            if len(stored) == len(paths):  # two large iterates are left
                stored[0].unlink()
                stored = stored[1:]
            paths = stored

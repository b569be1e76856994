"""The iterates of a job on disk, to look back on after an interruption.

Each is a checkpoint of the end of an iteration that got a second name before the next checkpoint
took its place: it costs no time, and no room that was not taken. So there are those iterates that
were saved, as the time for saving allows, and past a limit every other older one goes.
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
"""Room on disk for the iterates of one job."""


class StoredIterate(NamedTuple):
    """The image after so many updates."""

    done: int
    volume: Volume


class Iterates:
    """A folder of iterates, named by the updates behind them."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self._limit_bytes = limit_bytes

    def add(self, checkpoint: Path, done: int) -> None:
        """Keep a checkpoint; a disk that gives files no second name keeps none."""
        with suppress(OSError):
            self.folder.mkdir(exist_ok=True)
            for path in self._paths():
                if int(path.stem) >= done:  # of a run that was taken back to before it
                    path.unlink()
            os.link(checkpoint, self.folder / f"{done:08d}.bin")
            self._thin()

    def give_way_to(self, write: Callable[[], None]) -> None:
        """Write a checkpoint, if need be in the room of the iterates: to go on counts for more."""
        try:
            write()
        except ResourceError:
            if not self.remove():
                raise
            write()

    def read(self) -> list[StoredIterate]:
        """Return the whole ones in order, all of the protocol and the inputs of the newest."""
        return list(self._readable())

    def remove(self) -> bool:
        """Delete all; returns whether there were any."""
        there = bool(self._paths())
        shutil.rmtree(self.folder, ignore_errors=True)
        return there

    def _readable(self) -> Iterator[StoredIterate]:
        heads = [(path, head) for path in self._paths() if (head := read_head(path)) is not None]
        for path, head in heads:
            newest = heads[-1][1]
            is_of_run = (head.protocol, head.inputs) == (newest.protocol, newest.inputs)
            found = read_checkpoint(path) if is_of_run else None
            if found is not None:
                yield StoredIterate(head.done, found[1])

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("[0-9]*.bin"))

    def _thin(self) -> None:
        paths = self._paths()
        while len(paths) > 1 and sum(path.stat().st_size for path in paths) > self._limit_bytes:
            for path in paths[:-1][1::2]:
                path.unlink()
            kept = self._paths()
            if len(kept) == len(paths):  # two are left, each of them large
                kept[0].unlink()
                kept = kept[1:]
            paths = kept

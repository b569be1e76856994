"""Append whole records to the file of a recording.

The program itself writes them, so that large frames are copied once only. What it has written
survives its end. The process of the recording syncs the file, and appends to it once the program
cannot.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from engine.live.recording.records import MAGIC, Buffer, RecordingFile, pieces_of

MOST_PIECES = 512
"""Most pieces in one call of the system, which limits them to 1024."""
Waiting = tuple[int, int, Buffer, Buffer]
"""Kind, count, header and data of a record."""


class RecordAppender:
    """Appends records to an open file, each completely or not at all.

    Parameters
    ----------
    descriptor : file, open for reading and writing
    end : position after the last whole record
    """

    def __init__(self, descriptor: int, end: int) -> None:
        self._descriptor, self._end = descriptor, end
        os.lseek(descriptor, end, os.SEEK_SET)

    @classmethod
    def of_new(cls, path: Path) -> RecordAppender:
        """Return the appender of a new file.

        Raises
        ------
        OSError
            if the file exists, or cannot be made
        """
        # O_EXCL: an older recording is never replaced. Other users must not read a scan
        descriptor = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _write_all(descriptor, [memoryview(MAGIC)])
        except OSError:
            os.close(descriptor)
            path.unlink()
            raise
        return cls(descriptor, len(MAGIC))

    @classmethod
    def of_open(cls, path: Path) -> RecordAppender:
        """Return an appender that only syncs, until `take_over`, a file of another process.

        Raises
        ------
        OSError
            if the file cannot be opened
        """
        return cls(os.open(path, _FLAGS), 0)

    @property
    def is_empty(self) -> bool:
        """True before the first record."""
        return self._end <= len(MAGIC)

    def take_over(self, path: Path) -> None:
        """Cut the file after its last whole record, and append from there.

        Parameters
        ----------
        path
            the same file, to which no other process appends any more

        Raises
        ------
        OSError
            if the file cannot be cut
        """
        file = RecordingFile(path)
        for _ in file.records(with_data=False):
            pass
        # Part of a record would hide all records after it
        self._end = file.extent.end
        os.ftruncate(self._descriptor, self._end)
        os.lseek(self._descriptor, self._end, os.SEEK_SET)

    def append(self, records: Sequence[Waiting]) -> None:
        """Append all records, or none.

        Parameters
        ----------
        records
            records in order

        Raises
        ------
        OSError
            if the disk is full or fails
        """
        pieces = [memoryview(piece).cast("B") for each in records for piece in pieces_of(*each)]
        pieces = [piece for piece in pieces if piece.nbytes]
        n_bytes = sum(piece.nbytes for piece in pieces)
        try:
            _write_all(self._descriptor, pieces)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._end)
                os.lseek(self._descriptor, self._end, os.SEEK_SET)
            raise
        self._end += n_bytes

    def sync(self) -> None:
        """Write everything to the disk."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


_FLAGS = os.O_RDWR | getattr(os, "O_BINARY", 0)


def _write_all(descriptor: int, pieces: list[memoryview]) -> None:
    for some in _groups(pieces):
        _write_group(descriptor, some)


def _groups(views: list[memoryview]) -> Iterator[list[memoryview]]:
    for first in range(0, len(views), MOST_PIECES):
        yield views[first : first + MOST_PIECES]


def _write_group(descriptor: int, views: list[memoryview]) -> None:
    while views:
        n = (
            os.writev(descriptor, views)
            if hasattr(os, "writev")
            else os.write(descriptor, views[0])
        )
        while views and n >= views[0].nbytes:
            n -= views.pop(0).nbytes
        if n:
            views[0] = views[0][n:]

"""Append complete records to the file of a recording.

The program writes the records itself, so that large frames are copied only once. Written records
survive a crash of the program. The recording process syncs the file, and takes over writing if the
program cannot write.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from time import perf_counter

from engine.live.recording.direct import BLOCK, DirectFile, begins_block
from engine.live.recording.records import MAGIC, Buffer, RecordingFile, pieces_of

DIRECT_BYTES = 2**18
"""Minimum size for which a direct write is faster."""
ALIGNED_BYTES = 2**16
"""Minimum size of record data that are aligned to a block, with spaces before them."""
MAX_PIECES = 512
"""Maximum number of pieces in one system call; the limit of Linux is 1024."""
Waiting = tuple[int, int, Buffer, Buffer]
"""Kind, count, header and data of a record."""


class RecordAppender:
    """Appends records to an open file, each completely or not at all.

    Parameters
    ----------
    descriptor : file, open for reading and writing
    end : position after the last whole record
    direct : the same file for direct writes of large records; None: use only the page cache
    """

    def __init__(self, descriptor: int, end: int, direct: DirectFile | None = None) -> None:
        self._descriptor, self._end, self._direct = descriptor, end, direct
        self._tail: bytes | None = None
        self._rates = {
            True: inf,
            False: inf,
        }  # direct writes; page cache [bytes/s]
        os.lseek(descriptor, end, os.SEEK_SET)

    @classmethod
    def of_new(cls, path: Path) -> RecordAppender:
        """Return the appender of a new file.

        Raises
        ------
        OSError
            if the file exists, or cannot be created
        """
        # O_EXCL never replaces an older recording. Mode 0600: other users must not read a scan
        descriptor = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _write_all(descriptor, [memoryview(MAGIC)])
        except OSError:
            os.close(descriptor)
            path.unlink()
            raise
        return cls(descriptor, len(MAGIC), DirectFile.of_existing(path))

    @classmethod
    def of_open(cls, path: Path) -> RecordAppender:
        """Return an appender for a file of another process; until `take_over` it only syncs.

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
            the same file; no other process may append to it

        Raises
        ------
        OSError
            if the file cannot be cut
        """
        file = RecordingFile(path)
        for _ in file.records(with_data=False):
            pass
        # An incomplete record would make all later records unreadable
        self._end = file.extent.end
        os.ftruncate(self._descriptor, self._end)
        os.lseek(self._descriptor, self._end, os.SEEK_SET)

    def append(self, records: Sequence[Waiting], *, is_late: bool = False) -> None:
        """Append all records, or none.

        Parameters
        ----------
        records
            records in order
        is_late
            True if records wait too long: use the faster write, even if it needs more processor
            time

        Raises
        ------
        OSError
            if the disk is full or fails
        """
        pieces, n_bytes = self._pieces_of(records)
        begun_s = perf_counter()
        try:
            is_direct = self._write(pieces, n_bytes, is_late=is_late)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._end)
            raise
        self._end += n_bytes
        if n_bytes >= DIRECT_BYTES:
            self._rates[is_direct] = n_bytes / max(perf_counter() - begun_s, 1e-6)

    def sync(self) -> None:
        """Flush the file to the disk."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Close the file."""
        if self._direct is not None:
            self._direct.close()
        os.close(self._descriptor)

    def trim(self) -> None:
        """Remove the zeros after the last record; only if no other process has appended data."""
        with suppress(OSError):  # zeros do no harm
            os.ftruncate(self._descriptor, self._end)

    def _pieces_of(self, records: Sequence[Waiting]) -> tuple[list[memoryview], int]:
        """Return the pieces of records, and their size."""
        pieces, end = list[memoryview](), self._end
        for kind, count, header, data in records:
            flat = memoryview(data)
            flat = flat if (flat.ndim, flat.format) == (1, "B") else flat.cast("B")
            is_aligned = self._direct is not None and flat.nbytes >= ALIGNED_BYTES
            begin = end if is_aligned and begins_block(flat) else None
            for piece in pieces_of(kind, count, header, flat, begin):
                pieces.append(memoryview(piece))
                end += len(piece)
        return pieces, end - self._end

    def _write(self, pieces: list[memoryview], n_bytes: int, *, is_late: bool) -> bool:
        """Write pieces; return True if it was a direct write."""
        may = n_bytes >= DIRECT_BYTES and not (is_late and self._rates[True] < self._rates[False])
        if may and self._wrote_direct(pieces):
            return True
        self._tail = None
        os.lseek(self._descriptor, self._end, os.SEEK_SET)
        _write_all(self._descriptor, pieces)
        return False

    def _wrote_direct(self, pieces: list[memoryview]) -> bool:
        """Write directly; return False if the disk does not support it."""
        if self._direct is None:
            return False
        if self._tail is None:
            n_begun = self._end % BLOCK
            self._tail = os.pread(self._descriptor, n_begun, self._end - n_begun)
        try:
            self._tail = self._direct.write(self._end, self._tail, pieces)
        except OSError as e:
            if e.errno != errno.EINVAL:
                raise
            self._direct.close()
            self._direct = None
            return False
        return True


_FLAGS = os.O_RDWR | getattr(os, "O_BINARY", 0)


def _write_all(descriptor: int, pieces: list[memoryview]) -> None:
    for some in _groups(pieces):
        _write_group(descriptor, some)


def _groups(views: list[memoryview]) -> Iterator[list[memoryview]]:
    for first in range(0, len(views), MAX_PIECES):
        yield views[first : first + MAX_PIECES]


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

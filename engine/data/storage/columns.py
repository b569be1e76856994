"""Storage of event columns and projections, in memory or in memory-mapped temporary files.

Such a file has no name, so that it goes with its column, after a crash too, and nobody else can
change it. Its space is taken from the disk before anything is written: a disk that is full is told
then, in a sentence, and not by a signal in the middle of a run.
"""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.core.errors import ResourceError

ROWS = 1 << 19
"""Events that are worked on together."""
ZEROS = bytes(1 << 20)
UNABLE = (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)
"""Faults of disks that cannot take space ahead; it is written then."""


def pieces(n: int) -> Iterator[slice]:
    """Yield the rows of n events, some at a time."""
    return (slice(start, min(start + ROWS, n)) for start in range(0, n, ROWS))


class ColumnStorage:
    """Columns in memory."""

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return a column to be filled."""
        return np.empty(shape, dtype)

    def in_memory(self, column: Array) -> Array:
        """Return a contiguous copy of a part of a column; the part itself where it is one."""
        return np.ascontiguousarray(column)

    def rest(self) -> None:
        """Give the memory back that columns take while nobody looks at them."""

    def filled(self, n: int, dtype: DTypeLike, values: Callable[[slice], Array | float]) -> Array:
        """Return a column of n events whose rows are `values` of them."""
        column = self.empty(n, dtype)
        for rows in pieces(n):
            column[rows] = values(rows)
            self.rest()
        return column

    def every(self, column: Array, step: int) -> Array:
        """Return every so-manieth row of a column."""
        return column[::step]

    def select_where(
        self, column: Array, is_selected: Callable[[slice], Array], n_selected: int
    ) -> Array:
        """Return those rows of a column that are kept, whose number is known."""
        out, at = self.empty((n_selected, *column.shape[1:]), column.dtype), 0
        for rows in pieces(len(column)):
            part = column[rows][is_selected(rows)]
            out[at : at + len(part)] = part
            at += len(part)
            self.rest()
        return out


MEMORY = ColumnStorage()


@dataclass(frozen=True)
class Scratch(ColumnStorage):
    """Columns in unnamed files of a folder.

    Attributes
    ----------
    folder : where the files lie
    what : lies in them, for sentences
    """

    folder: Path
    what: str = "the events"
    _maps: weakref.WeakSet[mmap.mmap] = field(default_factory=weakref.WeakSet, repr=False)

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return a column to be filled; raises `ResourceError` where the disk has no room."""
        n_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        if not n_bytes:
            return np.empty(shape, dtype)
        try:
            if n_bytes > self.free_bytes:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            with tempfile.TemporaryFile(dir=self.folder) as file:
                take_space(file, n_bytes)
                allow_addresses(n_bytes)
                found = mmap.mmap(file.fileno(), n_bytes)
        except OSError as e:
            raise ResourceError(
                f"{self.folder}: {self.what} need {n_bytes / 2**30:.1f} GiB more on "
                f"this disk, {self.free_bytes / 2**30:.1f} GiB are free "
                f"({e.strerror or e}); free disk space, or set ISOCENTER_HOME to a "
                "folder on a larger disk."
            ) from e
        self._maps.add(found)
        return np.frombuffer(found, dtype).reshape(shape)

    @classmethod
    def behind(cls, values: Array, folder: Path, what: str) -> ColumnStorage:
        """Return the room whose only file an array lies in; memory where it lies in none."""
        base: object = values
        while isinstance(base, np.ndarray | memoryview):
            base = base.base if isinstance(base, np.ndarray) else base.obj
        if not isinstance(base, mmap.mmap):
            return MEMORY
        storage = cls(folder, what)
        storage._maps.add(base)
        return storage

    def in_memory(self, column: Array) -> Array:
        out = self.empty(column.shape, column.dtype)
        for rows in pieces(len(column)):
            out[rows] = column[rows]
            self.rest()
        return out

    def every(self, column: Array, step: int) -> Array:
        parts = []
        for rows in pieces(len(column)):
            parts.append(np.array(column[rows][-rows.start % step :: step]))
            self.rest()
        return np.concatenate(parts) if parts else column[:0]

    def rest(self) -> None:
        if hasattr(mmap, "MADV_DONTNEED"):  # elsewhere the system takes it when it is short
            for each in tuple(self._maps):
                each.madvise(mmap.MADV_DONTNEED)

    @property
    def free_bytes(self) -> int:
        """Free space on its disk."""
        return shutil.disk_usage(self.folder).free


def allow_addresses(n_bytes: int) -> None:
    """Let this process map so much of a file, where its addresses are limited as its memory is."""
    if sys.platform != "linux":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        more = soft + n_bytes
        most = more if hard == resource.RLIM_INFINITY else min(more, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def take_space(file: IO[bytes], n_bytes: int) -> None:
    """Take the space of a file from its disk, so that writing to it cannot fail for want of it."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        except OSError as e:
            if e.errno not in UNABLE:
                raise
        else:
            return
    for start in range(0, n_bytes, len(ZEROS)):
        file.write(ZEROS[: n_bytes - start])
    file.flush()

"""Storage of event columns and projections, in memory or in memory-mapped temporary files.

The files have no name. The system removes them with their column, even after a crash, and no other
process can change them. Their space is reserved before the first write. A full disk is then
reported as an error message, and not as a SIGBUS signal in the middle of a run.
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
"""Events that one step processes."""
ZEROS = bytes(1 << 20)
UNABLE = (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)
"""Errors of file systems that cannot reserve space; zeros are written instead."""


def pieces(n: int) -> Iterator[slice]:
    """Yield slices that cover n rows, `ROWS` at a time."""
    return (slice(start, min(start + ROWS, n)) for start in range(0, n, ROWS))


class ColumnStorage:
    """Columns in memory; the base class of columns in files."""

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return an uninitialised column.

        Parameters
        ----------
        shape
            number of rows, or a shape
        dtype
            type of the values

        Raises
        ------
        ResourceError
            if the disk is full (`Scratch` only)
        """
        return np.empty(shape, dtype)

    def in_memory(self, column: Array) -> Array:
        """Return a contiguous copy of part of a column; the part itself if it is contiguous."""
        return np.ascontiguousarray(column)

    def release_pages(self) -> None:
        """Release the memory pages of all columns; they are read again on access."""

    def filled(self, n: int, dtype: DTypeLike, values: Callable[[slice], Array | float]) -> Array:
        """Return a column that is computed piece by piece.

        Parameters
        ----------
        n
            number of rows
        dtype
            type of the values
        values
            called with a slice of rows, returns their values
        """
        column = self.empty(n, dtype)
        for rows in pieces(n):
            column[rows] = values(rows)
            self.release_pages()
        return column

    def every(self, column: Array, step: int) -> Array:
        """Return every n-th row of a column.

        Parameters
        ----------
        column
            (n, ...)
        step
            distance of the rows
        """
        return column[::step]

    def select_where(
        self, column: Array, is_selected: Callable[[slice], Array], n_selected: int
    ) -> Array:
        """Return the rows of a column that a mask selects.

        Parameters
        ----------
        column
            (n, ...)
        is_selected
            called with a slice of rows, returns their mask
        n_selected
            number of selected rows, needed to reserve the space
        """
        out, at = self.empty((n_selected, *column.shape[1:]), column.dtype), 0
        for rows in pieces(len(column)):
            part = column[rows][is_selected(rows)]
            out[at : at + len(part)] = part
            at += len(part)
            self.release_pages()
        return out


MEMORY = ColumnStorage()


@dataclass(frozen=True)
class Scratch(ColumnStorage):
    """Columns in unnamed files of a folder.

    Attributes
    ----------
    folder : folder of the files
    """

    folder: Path
    _maps: weakref.WeakSet[mmap.mmap] = field(
        default_factory=weakref.WeakSet, init=False, repr=False
    )

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return an uninitialised column in a new unnamed file.

        Parameters
        ----------
        shape
            number of rows, or a shape
        dtype
            type of the values

        Raises
        ------
        ResourceError
            if the disk has too little space
        """
        n_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        # mmap cannot map an empty file.
        if not n_bytes:
            return np.empty(shape, dtype)
        try:
            # Tested first, because writing zeros to a nearly full disk takes long and disturbs
            # other programs.
            if n_bytes > self.free_bytes:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            # TemporaryFile has no name on Linux (O_TMPFILE), and deletes itself on Windows.
            with tempfile.TemporaryFile(dir=self.folder) as file:
                take_space(file, n_bytes)
                allow_addresses(n_bytes)
                found = mmap.mmap(file.fileno(), n_bytes)
        except OSError as e:
            raise ResourceError(
                f"{self.folder}: the data need {n_bytes / 2**30:.1f} GiB more on this disk, "
                f"but {self.free_bytes / 2**30:.1f} GiB are free ({e.strerror or e}); free disk "
                "space, or set ISOCENTER_HOME to a folder on a larger disk."
            ) from e
        # Weak references: a column is unmapped, and its file removed, as soon as nobody uses it.
        self._maps.add(found)
        return np.frombuffer(found, dtype).reshape(shape)

    @classmethod
    def behind(cls, values: Array, folder: Path) -> ColumnStorage:
        """Return the storage of the file that an array is mapped from.

        Parameters
        ----------
        values
            any array
        folder
            folder for further columns

        Returns
        -------
        a storage that can release its memory; memory if the array is not mapped
        """
        base: object = values
        # Views keep a chain of bases; the mapping is at its end.
        while isinstance(base, np.ndarray | memoryview):
            base = base.base if isinstance(base, np.ndarray) else base.obj
        if not isinstance(base, mmap.mmap):
            return MEMORY
        storage = cls(folder)
        storage._maps.add(base)
        return storage

    def in_memory(self, column: Array) -> Array:
        """Copy part of a column to a new file, piece by piece."""
        out = self.empty(column.shape, column.dtype)
        for rows in pieces(len(column)):
            out[rows] = column[rows]
            self.release_pages()
        return out

    def every(self, column: Array, step: int) -> Array:
        """Copy every n-th row piece by piece.

        Parameters
        ----------
        column
            (n, ...)
        step
            distance of the rows
        """
        parts = []
        for rows in pieces(len(column)):
            # The first selected row of a piece: the smallest multiple of `step` at or after its
            # start.
            parts.append(np.array(column[rows][-rows.start % step :: step]))
            self.release_pages()
        return np.concatenate(parts) if parts else column[:0]

    def release_pages(self) -> None:
        if hasattr(mmap, "MADV_DONTNEED"):  # elsewhere the system releases it under memory pressure
            for each in tuple(self._maps):
                each.madvise(mmap.MADV_DONTNEED)

    @property
    def free_bytes(self) -> int:
        """Free space on the disk."""
        return shutil.disk_usage(self.folder).free


def allow_addresses(n_bytes: int) -> None:
    """Raise the address-space limit of this process (RLIMIT_AS) by the size of a mapping.

    Jobs limit their address space to limit their memory. A mapped file needs addresses, but not
    memory.

    Parameters
    ----------
    n_bytes
        size of the mapping
    """
    if sys.platform != "linux":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        more = soft + n_bytes
        # A soft limit above the hard one is refused by the system.
        most = more if hard == resource.RLIM_INFINITY else min(more, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def take_space(file: IO[bytes], n_bytes: int) -> None:
    """Reserve the space of a file on its disk, so that later writes cannot fail.

    Parameters
    ----------
    file
        open for writing
    n_bytes
        size

    Raises
    ------
    OSError
        if the disk is full
    """
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        except OSError as e:
            # Some file systems (network, FUSE) lack the call; all other errors are real, such as a
            # full disk.
            if e.errno not in UNABLE:
                raise
        else:
            return
    for start in range(0, n_bytes, len(ZEROS)):
        file.write(ZEROS[: n_bytes - start])
    file.flush()

"""Shared memory between the receiving process and the program, so that frames are copied once.

It is an anonymous file in memory (memfd, Linux only). Messages are written one after the other. The
program maps their pages, and returns them to the system when the message is no longer used. The
file cannot shrink, so mapped pages stay valid. While no frames arrive, the process allocates pages
in advance, because allocation takes several times as long as the copy.
"""

from __future__ import annotations

import mmap
import os
import sys
import weakref
from contextlib import suppress
from typing import Self

import numpy as np

from engine.core.arrays import Array
from engine.live.core.message import Buffer

SIZE = 2**46
"""Size of the file; pages use memory only after they are written."""
SEGMENT = 2**28
"""Bytes of one mapping. A mapping needs a descriptor, so several frames share one."""
PAGE = mmap.ALLOCATIONGRANULARITY
MAX_PREPARED = 3 * 2**27
"""Maximum amount of memory allocated in advance."""
STEP = 2**25
"""Memory allocated in one step; a message may have to wait for it."""
MADV_POPULATE_WRITE = 23
"""Advice to `madvise` since Linux 5.14; Python has no name for it."""


def new_memory() -> int | None:
    """Return the descriptor of new memory; None if the system does not support it."""
    if sys.platform != "linux" or not hasattr(mmap, "MADV_REMOVE"):
        return None
    import fcntl

    try:
        descriptor = os.memfd_create("isocenter-live", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except OSError:
        return None
    try:
        os.ftruncate(descriptor, SIZE)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


class MemoryWriter:
    """Writes messages into the memory.

    Parameters
    ----------
    descriptor : memory of `new_memory`
    max_prepared : maximum amount that `prepare` allocates in advance [bytes]
    """

    def __init__(self, descriptor: int, max_prepared: int = 0) -> None:
        self._descriptor, self._next = descriptor, 0
        self._max_prepared = min(max_prepared, MAX_PREPARED) // PAGE * PAGE
        self._ready = 0

    def prepare(self) -> bool:
        """Allocate some memory for the next messages.

        Returns
        -------
        has_prepared
            False if enough is allocated, or the system does not support it
        """
        begin = max(self._next, self._ready)
        n = min(self._next + self._max_prepared - begin, STEP)
        if n <= 0:
            return False
        try:
            with mmap.mmap(self._descriptor, n, offset=begin) as area:
                area.madvise(MADV_POPULATE_WRITE)
        except OSError:
            self._max_prepared = 0
            return False
        self._ready = begin + n
        return True

    def put(self, data: Buffer) -> int:
        """Write data, and return their offset.

        Parameters
        ----------
        data
            bytes of a message

        Raises
        ------
        OSError
            if there is no free memory
        """
        view = memoryview(data).cast("B")
        n, offset = view.nbytes, self._next
        # A message within one segment needs no mapping of its own
        if offset % SEGMENT + n > SEGMENT:
            offset = _rounded(offset, SEGMENT)
        self._next = _rounded(offset + n, SEGMENT if n > SEGMENT else PAGE)
        # `pwrite` causes no page faults, and does not clear full pages first
        while view.nbytes:
            written = os.pwrite(self._descriptor, view, offset + n - view.nbytes)
            view = view[written:]
        return offset


class MemoryReader:
    """Maps messages into the memory of the program.

    Parameters
    ----------
    descriptor : memory of `new_memory`
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._area: mmap.mmap | None = None
        self._start = -1
        self._end = 0

    def view(self, offset: int, n_bytes: int) -> memoryview:
        """Return the bytes of a message; its memory is freed with the last reference to them.

        Parameters
        ----------
        offset, n_bytes
            position in the memory

        Raises
        ------
        OSError
            if the memory cannot be mapped
        """
        if offset > self._end:
            self._return_pages(self._end, offset)  # a message did not fit there
        self._end = max(self._end, _rounded(offset + n_bytes, PAGE))
        start = offset - offset % SEGMENT
        length = _rounded(max(offset + n_bytes - start, SEGMENT), PAGE)
        area = self._area
        if area is None or start != self._start or len(area) < length:
            area = self._area = mmap.mmap(self._descriptor, length, offset=start)
            self._start = start
        values = np.frombuffer(area, np.uint8, n_bytes, offset - start)
        _USES.add(_Use(values, area, offset - start, _rounded(n_bytes, PAGE)))
        return memoryview(values.data).toreadonly()

    def close(self) -> None:
        """Close the descriptor, after the end of the process. Messages in use stay valid."""
        self._area = None
        # Unread messages and prepared pages would stay until the last message in use is freed
        self._return_rest()
        with suppress(OSError):
            os.close(self._descriptor)

    def _return_rest(self) -> None:
        """Return all pages after the last message that was read."""
        if sys.platform != "linux":
            return
        end = self._end
        with suppress(OSError):  # also raised if no page follows
            while end < SIZE:
                begin = os.lseek(self._descriptor, end, os.SEEK_DATA)
                end = os.lseek(self._descriptor, begin, os.SEEK_HOLE)
                self._return_pages(begin, end)

    def _return_pages(self, begin: int, end: int) -> None:
        """Return unused pages to the system."""
        start = begin - begin % SEGMENT
        if sys.platform == "linux":
            with (
                suppress(OSError, ValueError),
                mmap.mmap(self._descriptor, end - start, offset=start) as area,
            ):
                area.madvise(mmap.MADV_REMOVE, begin - start, end - begin)


class _Use(weakref.ref[Array]):
    """Weak reference to a message that frees its pages (faster than a finalizer)."""

    __slots__ = ("_area", "_n_bytes", "_start")

    def __new__(cls, values: Array, area: mmap.mmap, start: int, n_bytes: int) -> Self:
        return super().__new__(cls, values, _release)

    def __init__(self, values: Array, area: mmap.mmap, start: int, n_bytes: int) -> None:
        self._area, self._start, self._n_bytes = area, start, n_bytes

    # Arrays have no hash
    __hash__ = object.__hash__
    __eq__ = object.__eq__

    def release(self) -> None:
        """Return the pages to the system."""
        if sys.platform == "linux":
            with suppress(OSError, ValueError):
                self._area.madvise(mmap.MADV_REMOVE, self._start, self._n_bytes)


_USES: set[_Use] = set()


def _release(use: weakref.ref[Array]) -> None:
    if isinstance(use, _Use):
        _USES.discard(use)
        use.release()


def _rounded(n: int, unit: int) -> int:
    return -(-n // unit) * unit

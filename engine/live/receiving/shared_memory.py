"""Memory that the receiving process fills and the program maps, so that frames are copied once.

It is a file in memory without a name (memfd, Linux only). Each message is written behind the one
before it. The program maps the pages, and returns them to the system when nobody uses the message
any more. The file cannot shrink, so that a mapped page always exists. While no frames come, the
process prepares pages for the next ones, because new pages cost several times as much as the copy.
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
"""Size of the file; pages use memory only once they are written."""
SEGMENT = 2**28
"""Bytes in one mapping. Every mapping needs a descriptor, so frames share it."""
PAGE = mmap.ALLOCATIONGRANULARITY
MOST_PREPARED = 3 * 2**27
"""Most memory that is prepared."""
STEP = 2**25
"""Memory that is prepared at once; a message waits for it."""
MADV_POPULATE_WRITE = 23
"""Advice to `madvise` since Linux 5.14; Python has no name for it."""


def new_memory() -> int | None:
    """Return the descriptor of new memory; None if the system has none of this kind."""
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
    most_prepared : most memory that `prepare` makes ready [bytes]
    """

    def __init__(self, descriptor: int, most_prepared: int = 0) -> None:
        self._descriptor, self._next = descriptor, 0
        self._most_prepared = min(most_prepared, MOST_PREPARED) // PAGE * PAGE
        self._ready = 0

    def prepare(self) -> bool:
        """Prepare some memory for the next messages.

        Returns
        -------
        has_prepared
            False if enough is ready, or the system cannot do it
        """
        begin = max(self._next, self._ready)
        n = min(self._next + self._most_prepared - begin, STEP)
        if n <= 0:
            return False
        try:
            with mmap.mmap(self._descriptor, n, offset=begin) as area:
                area.madvise(MADV_POPULATE_WRITE)
        except OSError:
            self._most_prepared = 0
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
            if there is no memory
        """
        view = memoryview(data).cast("B")
        n, offset = view.nbytes, self._next
        # A message within one segment needs no mapping of its own
        if offset % SEGMENT + n > SEGMENT:
            offset = _rounded(offset, SEGMENT)
        self._next = _rounded(offset + n, SEGMENT if n > SEGMENT else PAGE)
        # Writing makes no page faults, and full pages are not cleared first
        while view.nbytes:
            written = os.pwrite(self._descriptor, view, offset + n - view.nbytes)
            view = view[written:]
        return offset


class MemoryReader:
    """Maps messages.

    Parameters
    ----------
    descriptor : memory of `new_memory`; it stays open as long as a message is used
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._area: mmap.mmap | None = None
        self._start = -1
        self._end = 0

    def view(self, offset: int, n_bytes: int) -> memoryview:
        """Return the bytes of a message; its memory is free once nobody refers to them.

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
        """Close the descriptor, after the end of the process. Messages in use stay."""
        self._area = None
        # Prepared pages would stay as long as any message
        self._return_pages(self._end, self._end + MOST_PREPARED + SEGMENT)
        with suppress(OSError):
            os.close(self._descriptor)

    def _return_pages(self, begin: int, end: int) -> None:
        """Return pages to the system that no message uses."""
        start = begin - begin % SEGMENT
        if sys.platform == "linux":
            with (
                suppress(OSError, ValueError),
                mmap.mmap(self._descriptor, end - start, offset=start) as area,
            ):
                area.madvise(mmap.MADV_REMOVE, begin - start, end - begin)


class _Use(weakref.ref[Array]):
    """The use of some pages, until nobody refers to their message (faster than a finalizer)."""

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

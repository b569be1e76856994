"""Write large data to a file without the page cache of Linux (O_DIRECT).

The system then copies nothing: a GiB needs 0.2 s of processor time instead of 0.4 to 3 s, so a
recording takes less from the reconstruction of the same scan. Such writes begin and end at a
multiple of `BLOCK`. The last block is therefore filled with zeros, and the next write repeats it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from mmap import mmap
from pathlib import Path

import numpy as np

BLOCK = 4096
"""Size and position of a direct write are multiples of it [bytes]."""
CHUNK = 2**22
"""Most bytes of one write."""


class DirectFile:
    """A file that is written past the page cache.

    Parameters
    ----------
    descriptor : file, open for writing with O_DIRECT
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._memory = mmap(-1, CHUNK)  # begins with a page, as the system wants
        self._bytes = np.frombuffer(self._memory, np.uint8)

    @classmethod
    def of_existing(cls, path: Path) -> DirectFile | None:
        """Return the file; None if the system or the disk has no direct writes."""
        flag = getattr(os, "O_DIRECT", 0)
        try:
            return cls(os.open(path, os.O_WRONLY | flag)) if flag else None
        except OSError:
            return None

    def write(self, end: int, tail: bytes, pieces: Sequence[memoryview]) -> bytes:
        """Write pieces one after the other, and zeros up to the end of the last block.

        Parameters
        ----------
        end
            position of the first piece in the file [bytes]
        tail
            bytes before it, from the start of its block
        pieces
            bytes

        Returns
        -------
        tail
            bytes of the last block that the pieces have begun and not filled

        Raises
        ------
        OSError
            if the disk is full or fails; EINVAL if it takes no direct writes
        """
        begin, n = end - len(tail), len(tail)
        self._bytes[:n] = np.frombuffer(tail, np.uint8)
        for piece in pieces:
            rest = np.frombuffer(piece, np.uint8)
            while rest.size:
                some = rest[: CHUNK - n]
                self._bytes[n : n + some.size] = some
                n, rest = n + some.size, rest[some.size :]
                if n == CHUNK:
                    self._write(begin, CHUNK)
                    begin, n = begin + CHUNK, 0
        whole, padded = n - n % BLOCK, n + -n % BLOCK
        self._bytes[n:padded] = 0
        self._write(begin, padded)
        return self._bytes[whole:n].tobytes()

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def _write(self, position: int, n_bytes: int) -> None:
        done = 0
        while done < n_bytes:
            n = os.pwrite(self._descriptor, memoryview(self._memory)[done:n_bytes], position + done)
            if n % BLOCK:  # only a disk that becomes full ends a write within a block
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            done += n

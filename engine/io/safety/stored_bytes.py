"""Count the bytes of a file that are stored on the disk, to recognise sparse files.

A sparse file has holes that read as zeros. It states any size, but needs no space and no time to
make. A scan has no such holes.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from engine.core.errors import FileFormatError
from engine.io.safety.budget import ALWAYS_UNPACKED, MAX_COMPRESSION

BLOCK_BYTES = 512
"""Unit of `st_blocks` on all systems (stat(2))."""
MAX_EXTENTS = 10_000
"""Maximum number of separate parts that are counted; a file with more of them counts as whole."""


def stored_bytes(descriptor: int) -> int:
    """Return the number of bytes of an open regular file that are not in holes.

    Parameters
    ----------
    descriptor
        descriptor of the file; its position changes

    Returns
    -------
    n_bytes
        the size of the file, if the system does not report holes
    """
    state = os.fstat(descriptor)
    n_blocks = getattr(state, "st_blocks", None)
    if n_blocks is None or n_blocks * BLOCK_BYTES >= state.st_size:
        return state.st_size
    # File systems that compress, and some network drives, report few blocks for complete files.
    # Only the list of holes is certain.
    try:
        return _in_extents(descriptor, state.st_size)
    except (OSError, AttributeError):
        return state.st_size


def _in_extents(descriptor: int, size: int) -> int:
    total = at = 0
    for _ in range(MAX_EXTENTS):
        try:
            start = os.lseek(descriptor, at, os.SEEK_DATA)
        except OSError as e:
            if e.errno == errno.ENXIO:  # only a hole follows
                return total
            raise
        at = os.lseek(descriptor, start, os.SEEK_HOLE)
        total += at - start
        if at >= size:
            return total
    return size


def stored_at(path: Path) -> int:
    """Return the stored bytes of a file, 0 for anything but a regular file that can be read."""
    try:
        state = path.stat()
        n_blocks = getattr(state, "st_blocks", None)
        if not stat.S_ISREG(state.st_mode):
            return 0
        if n_blocks is None or n_blocks * BLOCK_BYTES >= state.st_size:
            return state.st_size
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return 0
    try:
        return stored_bytes(descriptor)
    finally:
        os.close(descriptor)


def refuse_sparse(descriptor: int, name: str) -> None:
    """Refuse a large file that consists almost entirely of holes.

    Parameters
    ----------
    descriptor
        descriptor of the file; its position changes
    name
        file name for the message

    Raises
    ------
    FileFormatError
        if the size exceeds the stored bytes more than decompression may enlarge a scan
    """
    size = os.fstat(descriptor).st_size
    if size <= ALWAYS_UNPACKED:
        return
    stored = stored_bytes(descriptor)
    if size > max(ALWAYS_UNPACKED, MAX_COMPRESSION * stored):
        raise FileFormatError(
            f"{name}: has {size:,} bytes, but only {stored:,} of them are stored on the disk "
            f"(expected at least {size // MAX_COMPRESSION:,}), so the rest is empty; copy the file "
            "again."
        )

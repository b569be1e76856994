"""Read back written data from the disk or share, not from the cache in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from engine.core.errors import ResourceError

PIECE_BYTES = 16 * 2**20


def forget(descriptor: int) -> None:
    """Let the system drop its copy of a file that is on the disk, where it can be asked to."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def refuse_other_bytes(part: Path, pieces: Iterable[bytes | memoryview], path: Path) -> None:
    """Refuse a file that does not hold what was written to it.

    Parameters
    ----------
    part
        the file
    pieces
        what was written, one after the other
    path
        what it is to become, for the sentence
    """
    with part.open("rb") as file:
        for piece in pieces:
            for start in range(0, len(piece), PIECE_BYTES):
                wanted = piece[start : start + PIECE_BYTES]
                if file.read(len(wanted)) != wanted:
                    raise other_bytes(path)
        if file.read(1):
            raise other_bytes(path)


def other_bytes(path: Path) -> ResourceError:
    """Return the error for a disk or a share that keeps other bytes than it was given."""
    return ResourceError(
        f"{path.name}: data read back from {path.parent} differ from the written data; nothing was "
        "changed, so choose another folder and check this disk or share."
    )

"""Read back written data from the disk or share, not from the page cache."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from engine.core.errors import ResourceError

PIECE_BYTES = 16 * 2**20


def forget(descriptor: int) -> None:
    """Ask the system to drop its cached copy of a file, where that is possible."""
    # Only pages that are already on the disk are dropped, so call this after fsync
    # (posix_fadvise(2)).
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def refuse_other_bytes(part: Path, pieces: Iterable[bytes | memoryview], path: Path) -> None:
    """Refuse a file that does not contain the data that were written.

    Parameters
    ----------
    part
        file to read
    pieces
        the written data in order
    path
        final name, for the message

    Raises
    ------
    ResourceError
        if bytes differ, are missing, or follow the data
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
    """Return the error for a disk or share that returns other bytes than were written."""
    return ResourceError(
        f"{path.name}: data read back from {path.parent} differ from the written data; nothing was "
        "changed, so choose another folder and check this disk or share."
    )

"""Write a file piece by piece, completely or not at all, and read it back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from engine.io.safety.atomic_write import publishing
from engine.io.safety.open_input import open_input
from engine.io.safety.read_back import other_bytes


def write_pieces(
    path: Path,
    pieces: Iterable[bytes | memoryview],
    n_bytes: int,
    before: Callable[[str], None],
) -> None:
    """Write a file piece by piece, and compare the digest of the data on the disk.

    Parameters
    ----------
    path
        target; its folder must exist
    pieces
        the content in order
    n_bytes
        size of the content; refused at once if less is free
    before
        called with the SHA-256 of the data on the disk, just before they replace the target; an
        exception
        prevents that

    Raises
    ------
    ResourceError
        if the target cannot be written, or the data read back differ
    """
    # A digest instead of a second pass over the pieces, which can be an iterator or a computation.
    written = sha256()

    def check(part: Path) -> None:
        with open_input(part) as file:
            if file.sha256() != written.hexdigest():
                raise other_bytes(path)
        before(written.hexdigest())

    with publishing(path, n_bytes, check) as part, part.open("wb") as stream:
        for piece in pieces:
            written.update(piece)
            stream.write(piece)

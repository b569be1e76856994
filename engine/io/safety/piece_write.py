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
    """Write pieces to `path`; what the disk has kept is compared by its digest.

    Parameters
    ----------
    path
        target; its folder must exist
    pieces
        of the content, in order
    n_bytes
        refused at once where that much is not free
    before
        called with the SHA-256 of what is on the disk, just before it takes its place; may raise
    """
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

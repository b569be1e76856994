"""Write a folder of files so that it appears complete or not at all.

The files are written to a hidden `.part` folder next to the target and flushed to the disk. They
are
read back and compared, then the folder is renamed in one step. An existing folder is never
replaced:
no portable call exchanges two folders atomically, and the content of the old one would be lost.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import ResourceError
from engine.io.safety.atomic_write import (
    explained,
    file_to_disk,
    folder_to_disk,
    refuse_impossible,
    refuse_other_bytes,
)
from engine.io.safety.locks import locked_part, part_name, sweep_parts


def refuse_impossible_folder(path: Path, n_bytes: int = 0) -> None:
    """Refuse a target that exists or cannot be written, before any work is done.

    Parameters
    ----------
    path
        folder to create
    n_bytes
        size of its files, which must be free on the disk; 0 skips this check

    Raises
    ------
    ResourceError
        if the target exists, its parent is missing or read-only, or the disk is full
    """
    # `lexists` also finds a broken link, on which the final `rename` would fail.
    if os.path.lexists(path):
        raise ResourceError(
            f"{path.name}: a file or folder with this name already exists in {path.parent}; choose "
            "another name, or remove the existing one."
        )
    refuse_impossible(path, n_bytes)


@dataclass(frozen=True)
class NewFolder:
    """A folder that is being written.

    Attributes
    ----------
    part : temporary folder that receives the files
    path : final name
    """

    part: Path
    path: Path

    def add(self, name: str, content: bytes) -> None:
        """Write one file and flush it to the disk.

        Parameters
        ----------
        name
            relative name, "a" or "inner/a"
        content
            all bytes of the file

        Raises
        ------
        ResourceError
            if the bytes on the disk differ from those written
        """
        file = self.part / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file_to_disk(file)
        refuse_other_bytes(file, (content,), self.path)

    def put_in_place(self) -> None:
        """Flush the folders to the disk and give the new one its final name."""
        # A new file name is only safe after fsync of its folder (fsync(2)), the innermost first.
        for inner in (*self.part.rglob("*/"), self.part):
            if inner.is_dir():  # older Python versions also yield files
                folder_to_disk(inner)
        refuse_impossible_folder(self.path)  # another process can have created it meanwhile
        self.part.rename(self.path)
        folder_to_disk(self.path.parent)


@contextmanager
def new_folder(path: Path, n_bytes: int) -> Iterator[NewFolder]:
    """Open a new folder to fill; without `put_in_place` nothing of it remains.

    Parameters
    ----------
    path
        target; its parent folder must exist
    n_bytes
        size of all files; refused at once if less is free

    Yields
    ------
    folder
        its files go to a `.part` folder until `put_in_place` renames it

    Raises
    ------
    ResourceError
        if the folder cannot be written; the message states the reason
    """
    refuse_impossible_folder(path, n_bytes)
    part: Path | None = None
    try:
        sweep_parts(path.parent, path.name)
        part = path.with_name(part_name(path.name))
        part.mkdir()
        with locked_part(part):
            yield NewFolder(part, path)
    except OSError as e:
        raise explained(e, path, n_bytes) from e
    finally:
        # After `put_in_place` the part has its new name, so there is nothing to remove.
        if part is not None:
            with suppress(OSError):
                shutil.rmtree(part)

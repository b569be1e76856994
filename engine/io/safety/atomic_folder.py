"""Write a folder of files so that it appears complete or not at all.

The files go into a hidden `.part` folder beside it, reach the disk, are read back from there and
compared; then the folder takes its name in one step. A folder that exists is never replaced: no
system can exchange two in one step, and what lay in the old one would be lost.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import ResourceError
from engine.io.safety.atomic_write import explained, file_to_disk, folder_to_disk, refuse_impossible
from engine.io.safety.dead_parts import held, part_name, sweep_parts
from engine.io.safety.read_back import refuse_other_bytes


def refuse_impossible_folder(path: Path, n_bytes: int = 0) -> None:
    """Refuse a folder that can be seen not to take `n_bytes`, or that is there already."""
    if os.path.lexists(path):
        what = "folder" if path.is_dir() else "file"
        raise ResourceError(
            f"{path.name}: this {what} already exists in {path.parent}, and a folder never "
            "replaces it; choose another name, or remove it."
        )
    refuse_impossible(path, n_bytes)


@dataclass(frozen=True)
class NewFolder:
    """A folder on its way to its place.

    Attributes
    ----------
    part : where its files are written
    path : what it is to become
    """

    part: Path
    path: Path

    def add(self, name: str, content: bytes) -> None:
        """Write one file, "a" or "inner/a", and have it on the disk."""
        file = self.part / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file_to_disk(file)
        refuse_other_bytes(file, (content,), self.path)

    def put_in_place(self) -> None:
        """Give it its name, for certain."""
        for inner in (*self.part.rglob("*/"), self.part):
            if inner.is_dir():  # older Pythons list files, too
                folder_to_disk(inner)
        refuse_impossible_folder(self.path)  # another may have made one meanwhile
        self.part.rename(self.path)
        folder_to_disk(self.path.parent)


@contextmanager
def new_folder(path: Path, n_bytes: int) -> Iterator[NewFolder]:
    """Yield a folder to fill and to put in place; else nothing of it is left.

    Parameters
    ----------
    path
        target; the folder around it must exist
    n_bytes
        how much will be written; refused at once where that much is not free
    """
    refuse_impossible_folder(path, n_bytes)
    part: Path | None = None
    try:
        sweep_parts(path.parent, path.name)
        part = path.with_name(part_name(path.name))
        part.mkdir()
        with held(part):
            yield NewFolder(part, path)
    except OSError as e:
        raise explained(e, path, n_bytes) from e
    finally:
        if part is not None:
            with suppress(OSError):
                shutil.rmtree(part)

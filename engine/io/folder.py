"""What lies beside a file: listings, and the files that a settings file names.

Only names are followed, never paths: a file cannot lead out of its folder. Links on the disk are
followed, since archives and mounts keep their data behind them; where they lead to is opened like
any other file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import FileFormatError
from engine.io.open_input import InputFile, open_input, unreadable


def entries(folder: Path) -> list[Path]:
    """Return what lies in a folder, sorted by name."""
    try:
        return sorted(folder.iterdir())
    except OSError as e:
        raise unreadable(folder, e) from e


def beside(settings: Path, name: str) -> Path:
    """Return the path of this name in the folder of a settings file, and only there."""
    if not name or name in (".", "..") or any(sign in name for sign in "/\\:\0"):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}; for safety only a file in the same folder "
            "is opened, so put it there and correct the name."
        )
    return settings.parent / name


@contextmanager
def open_beside(settings: Path, name: str) -> Iterator[InputFile]:
    """Open the file of this name beside a settings file."""
    path = beside(settings, name)
    if not exists(path):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, and there is no such file beside it; copy "
            "it there or correct the name."
        )
    with open_input(path) as file:
        yield file


def exists(path: Path) -> bool:
    """Whether there is anything under a name; there is nothing under one that no system takes."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether a name is that of a folder."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether a name is that of a file, by a link too."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False

"""Access the folder of a file: listings, and files that a settings file names.

Only names are followed, and paths that go down: a file cannot lead out of its folder. Links on the
disk are followed, since archives and mounts keep their data behind them; where they lead to is
opened like any other file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile, open_input, unreadable

MOST_DEEP = 8
"""Folders, one in the other, that a name may go down."""


def entries(folder: Path) -> list[Path]:
    """Return what lies in a folder, sorted by name."""
    return [folder / name for name in sorted(names_in(folder))]  # paths compare slowly


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, in no order: one look, however many there are."""
    try:
        with os.scandir(folder) as found:
            return [entry.name for entry in found]
    except OSError as e:
        raise unreadable(folder, e) from e


def names_by_portions(folder: Path, most: int) -> Iterator[list[str]]:
    """Yield the names in a folder, in no order, so many at a time."""
    try:
        with os.scandir(folder) as found:
            while portion := [entry.name for entry in islice(found, most)]:
                yield portion
    except OSError as e:
        raise unreadable(folder, e) from e


def identity_of(folder: Path) -> int | None:
    """Return the number of a folder on its drive, None where there is none."""
    try:
        return folder.stat().st_ino
    except (OSError, ValueError):
        return None


def state_of(path: Path) -> tuple[int, int] | None:
    """Return size [bytes] and time of the last change [ns] of a file, None where there is none."""
    try:
        state = path.stat()
    except (OSError, ValueError):
        return None
    return state.st_size, state.st_mtime_ns


def beside(settings: Path, name: str) -> Path:
    """Return the path of this name in the folder of a settings file, and only there."""
    if not name or name in (".", "..") or any(sign in name for sign in "/\\:\0"):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, but for safety only files in the same "
            "folder are opened; move it there and correct the name."
        )
    return settings.parent / name


@contextmanager
def open_adjacent(settings: Path, name: str) -> Iterator[InputFile]:
    """Open the file of this name beside a settings file."""
    path = beside(settings, name)
    if not exists(path):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, but there is no such file next to it; copy "
            "it there or correct the name."
        )
    with open_input(path) as file:
        yield file


def below(settings: Path, name: str) -> Path:
    """Return the path of this name in the folder of a settings file, or in a folder inside it."""
    parts = name.split("/")
    if len(parts) > MOST_DEEP or any(
        part in ("", ".", "..") or any(sign in part for sign in "\\:\0") for part in parts
    ):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, but for safety only files in the same "
            "folder or below it are opened; move it there and correct the name."
        )
    return settings.parent.joinpath(*parts)


@contextmanager
def open_below(settings: Path, name: str) -> Iterator[InputFile]:
    """Open the file of this name beside a settings file, or in a folder inside its own."""
    path = below(settings, name)
    if not exists(path):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, but there is no such file next to it; copy "
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
    """Return True if a name is that of a folder."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Return True if a name is that of a file, by a link too."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder, but not in folders within it."""
    files = entries(path) if is_folder(path) else [path]
    try:
        return sum(file.stat().st_size for file in files)
    except OSError as e:
        raise unreadable(path, e) from e

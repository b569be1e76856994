"""Access the folder of a file: listings, and files that a settings file names.

Only names and paths to subfolders are followed, so a file cannot refer to anything outside its own
folder. Symbolic links are followed, because archives and network mounts use them. Their targets are
checked like any other file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PureWindowsPath

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile, open_input, unreadable

MAX_DEPTH = 8
"""Maximum number of nested folders in a name."""


def entries(folder: Path) -> list[Path]:
    """Return the paths in a folder, sorted by name."""
    # Sort strings, not paths: comparing paths is much slower in folders of thousands of images.
    return [folder / name for name in sorted(names_in(folder))]


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, unsorted.

    `os.scandir` reads the folder once, without a system call for each file.

    Raises
    ------
    ResourceError
        if the folder is missing or cannot be read
    """
    try:
        with os.scandir(folder) as found:
            return [entry.name for entry in found]
    except OSError as e:
        raise unreadable(folder, e) from e


def names_by_portions(folder: Path, max_names: int) -> Iterator[list[str]]:
    """Yield the names in a folder in unsorted lists, for folders with very many files.

    Parameters
    ----------
    folder
        folder to list
    max_names
        maximum number of names in a list

    Raises
    ------
    ResourceError
        if the folder is missing or cannot be read
    """
    try:
        with os.scandir(folder) as found:
            while portion := [entry.name for entry in islice(found, max_names)]:
                yield portion
    except OSError as e:
        raise unreadable(folder, e) from e


def identity_of(folder: Path) -> int | None:
    """Return the inode number of a folder, None if it does not exist."""
    try:
        return folder.stat().st_ino
    except (OSError, ValueError):
        return None


def state_of(path: Path) -> tuple[int, int] | None:
    """Return the size and the modification time of a file.

    Returns
    -------
    state
        (bytes, ns since 1970); None if there is no such file
    """
    try:
        state = path.stat()
    # ValueError: a name with a zero byte, which no file system accepts.
    except (OSError, ValueError):
        return None
    return state.st_size, state.st_mtime_ns


def path_next_to(settings: Path, name: str) -> Path:
    """Return the path of a file name in the folder of a settings file.

    Parameters
    ----------
    settings
        file that contains the name
    name
        name without folders

    Raises
    ------
    FileFormatError
        if the name contains a folder, a drive or a zero byte
    """
    # Both separators are refused on every system: a settings file from Windows must not gain
    # another meaning here. The colon would select a drive or an alternate data stream.
    if not name or name in (".", "..") or any(sign in name for sign in "/\\:\0"):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, but, for safety, only files in the same "
            "folder are opened; move it there and correct the name."
        )
    return settings.parent / name


@contextmanager
def open_adjacent(settings: Path, name: str) -> Iterator[InputFile]:
    """Open a file that a settings file names in its own folder.

    Parameters
    ----------
    settings
        file that contains the name
    name
        name without folders

    Raises
    ------
    FileFormatError
        if the name contains a folder, or no such file exists
    """
    path = path_next_to(settings, name)
    if not exists(path):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, which was not found in the same folder; "
            "copy it there or correct the name."
        )
    with open_input(path) as file:
        yield file


def below(settings: Path, name: str) -> Path:
    """Return the path of a file name in the folder of a settings file or a subfolder.

    Parameters
    ----------
    settings
        file that contains the name
    name
        relative name with "/" between folders

    Raises
    ------
    FileFormatError
        if the name leads out of the folder or is nested more than `MAX_DEPTH` folders
    """
    parts = name.split("/")
    if len(parts) > MAX_DEPTH or any(
        part in ("", ".", "..") or any(sign in part for sign in "\\:\0") for part in parts
    ):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, but, for safety, only files in the same "
            "folder or below it are opened; move it there and correct the name."
        )
    return settings.parent.joinpath(*parts)


@contextmanager
def open_below(settings: Path, name: str) -> Iterator[InputFile]:
    """Open a file that a settings file names in its own folder or a subfolder.

    Parameters
    ----------
    settings
        file that contains the name
    name
        relative name with "/" between folders

    Raises
    ------
    FileFormatError
        if the name leads out of the folder, or no such file exists
    """
    path = below(settings, name)
    if not exists(path):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, which was not found; add this file, or "
            "correct the name."
        )
    with open_input(path) as file:
        yield file


def linked_path(folder: Path, name: str) -> Path:
    """Return the path of a link within an HDF5 file.

    Parameters
    ----------
    folder
        folder of the file
    name
        name in the link, of any system; if it leads out of the folder, its last part counts
    """
    parts = PureWindowsPath(name).parts  # splits at / and at backslashes
    inside = parts and ".." not in parts and not PureWindowsPath(name).anchor
    return folder.joinpath(*parts) if inside else folder / (parts[-1] if parts else "")


def exists(path: Path) -> bool:
    """Return True if a path exists; a name that the file system cannot store does not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Return True if a path is a folder or a link to one."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Return True if a path is a regular file or a link to one."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def size_of(path: Path) -> int:
    """Return the size of a file, or of the files directly in a folder, in bytes."""
    files = entries(path) if is_folder(path) else [path]
    try:
        return sum(file.stat().st_size for file in files)
    except OSError as e:
        raise unreadable(path, e) from e

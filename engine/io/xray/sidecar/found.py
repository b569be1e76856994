"""Find the sidecar that names a raw file, an image or a folder, and all files it names."""

from __future__ import annotations

import re
from pathlib import Path

from engine.core.errors import EngineError, FileFormatError
from engine.io.folder import is_folder, names_in
from engine.io.safety.open_input import InputFile, open_input
from engine.io.text.toml_file import toml_of
from engine.io.xray.names import NUMBERED_IMAGE, SIGN
from engine.io.xray.sidecar import FORMAT

HIGHEST = 3
"""Number of folders that are searched for a sidecar, from that of the file upwards."""
MARK = re.compile(rf'^\s*format\s*=\s*["\']{FORMAT}["\']'.encode(), re.MULTILINE)
MAX_INSPECTED = 200
NAMING = ("file", "files", "flats", "darks")


def is_sidecar(file: InputFile) -> bool:
    """Return True if a file begins like a projections sidecar."""
    return MARK.search(file.head) is not None


def sidecar_of(path: Path) -> Path | None:
    """Return the sidecar that names a file, or files in a folder.

    Parameters
    ----------
    path
        file or folder; its own folder and the two above are searched

    Returns
    -------
    sidecar
        None if there is none

    Raises
    ------
    FileFormatError
        if several sidecars name it
    """
    path, is_whole = path.absolute(), is_folder(path)
    # The closest sidecar wins, so a scan can be moved with its folder.
    for folder in path.parents[:HIGHEST]:
        name = path.relative_to(folder).as_posix()
        found = [each for each in _tables(folder) if _names(each, name, is_whole=is_whole)]
        if len(found) > 1:
            raise FileFormatError(
                f"{path.name}: found {len(found)} matching sidecars "
                f"({', '.join(each.name for each in found[:4])}); choose one of these files."
            )
        if found:
            return found[0]
    return None


def _tables(folder: Path) -> list[Path]:
    try:
        # Only names are listed first: folders of a scan can contain thousands of images.
        found = sorted(name for name in names_in(folder) if name.endswith(".toml"))
        return [folder / name for name in found[:MAX_INSPECTED]]
    except EngineError:
        return []


def names_series(sidecar: Path, prefix: str) -> bool:
    """Return True if a sidecar names numbered images next to it, or images in a folder.

    Parameters
    ----------
    sidecar
        the sidecar
    prefix
        names of the images without their numbers and suffix
    """
    return _names(sidecar, f"{prefix}0.tif", is_whole=False)


def _names(sidecar: Path, name: str, *, is_whole: bool) -> bool:
    """Return True if a sidecar names this file, or projections in this folder."""
    try:
        with open_input(sidecar) as file:
            values = toml_of(file) if is_sidecar(file) else {}
    except EngineError:
        return False
    # Flats in a folder of their own do not make it the folder of the scan.
    if is_whole:
        inner = (*_list_of(values.get("file")), *_list_of(values.get("files")))
        return any(each.startswith(f"{name}/") for each in inner)
    named = (each for key in NAMING for each in _list_of(values.get(key)))
    return any(
        name in (each, each.partition(SIGN)[0]) or _is_of_stack(name, each) for each in named
    )


def _is_of_stack(name: str, stack: str) -> bool:
    """Return True if an image belongs to the named stack or folder."""
    *folders, last = name.split("/")
    number = NUMBERED_IMAGE.match(last)
    return number is not None and stack in (
        "/".join((*folders, number["prefix"])),
        "/".join((*folders, "")),
    )


def _list_of(value: object) -> tuple[str, ...]:
    named = value if isinstance(value, list) else [value]
    return tuple(each for each in named if isinstance(each, str))

"""Find the reader, and the file of a folder, if a file or the folder of a scan is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import EngineError, FileFormatError
from engine.io.first_bytes import TIFF
from engine.io.folder import entries, is_folder
from engine.io.format_list import Entry, FormatList
from engine.io.safety.open_input import open_input
from engine.io.xray.readers import PROJECTION_READERS

DESCRIBING = tuple(
    suffix for each in PROJECTION_READERS.entries if each.companions for suffix in each.suffixes
)
"""Suffixes of files that describe adjacent images."""
IMAGES = (".mha", ".ang")
LISTS = (".ang", "_ctdata.txt")
"""Endings of angle lists next to Nikon settings."""
SERIES = (".xim", ".hnd", ".his")
"""Suffixes of images that state their own settings."""
SIDECAR, *OTHERS = PROJECTION_READERS.entries
MAX_INSPECTED = 200

if TYPE_CHECKING:
    from engine.data.planned_scan import PlannedScan
    from engine.io.base import ProjectionsReader

    Reader = type[ProjectionsReader]
    Found = tuple[Reader, Path]


def find(path: Path) -> Found | None:
    """Return the reader and the file to read.

    Parameters
    ----------
    path
        file or folder; a folder, an image or a raw file stands for the settings next to it

    Returns
    -------
    found
        None if this is not an X-ray scan

    Raises
    ------
    FileFormatError
        if a folder contains several scans
    """
    if is_folder(path):
        found = _in_folder(path, PROJECTION_READERS.entries, str(path)) or _of_series(path)
        # A folder of images can be named by a sidecar in the parent folder.
        above = None if found else _sidecar_of(path)
        return (SIDECAR.format, above) if above else found
    with open_input(path) as file:
        reader = PROJECTION_READERS.accepting(file)
        if reader is not None:
            return reader, path
        is_image = file.head.startswith(TIFF) or path.suffix.lower() in IMAGES
    sidecar = _sidecar_of(path)
    if sidecar is not None:
        return SIDECAR.format, sidecar
    # Sidecars are excluded, because a sidecar names its images and none names this one.
    return _in_folder(path.parent, OTHERS, path.name) if is_image else None


def _sidecar_of(path: Path) -> Path | None:
    """Return the sidecar that names a file or folder; imported here, because few files need it."""
    from engine.io.xray.sidecar.found import sidecar_of

    return sidecar_of(path)


def planned_in(paths: Sequence[Path], shape: tuple[int, int]) -> tuple[Path, PlannedScan] | None:
    """Return the settings of a scan that is still being measured.

    Parameters
    ----------
    paths
        files of its folder
    shape
        rows and columns of its images

    Returns
    -------
    planned
        settings file and planned scan; None if no file states the settings

    Raises
    ------
    EngineError
        if the settings are incomplete, possibly still being written, or describe several scans
    """
    found = []
    # Each file is opened, and folders can contain thousands of images.
    for path in sorted(paths)[:MAX_INSPECTED]:
        for entry in _accepting(path, PROJECTION_READERS.entries):
            with open_input(path) as file:
                plan = entry.format.planned(file, shape)
            if plan is not None:
                found.append((path, plan))
    # The live view cannot know which of several scans is being measured.
    if len(found) > 1:
        names = ", ".join(path.name for path, _ in found[:4])
        raise FileFormatError(
            f"the folder contains the settings of {len(found)} scans ({names}); keep only one of "
            "these files."
        )
    return found[0] if found else None


def _in_folder(folder: Path, readers: Sequence[Entry], where: str) -> Found | None:
    """Return the only scan of a folder; an error about several begins with `where`."""
    described: dict[Entry, list[Path]] = {entry: [] for entry in readers}
    names = [path for path in entries(folder) if path.suffix.lower() in DESCRIBING]
    for path in names[:MAX_INSPECTED]:
        for entry in _accepting(path, readers):
            described[entry].append(path)
    # Readers are in order of preference, so a sidecar wins over other settings.
    for entry, paths in described.items():
        fits = entry.format.one_of_each(paths) if paths else []
        if len(fits) > 1:
            raise FileFormatError(
                f"{where}: found the settings of {len(fits)} scans "
                f"({', '.join(p.name for p in fits[:4])}); choose one of these files."
            )
        if fits:
            return entry.format, fits[0]
    return None


def _of_series(folder: Path) -> Found | None:
    """Return the first of the images that state their own settings."""
    names = entries(folder)
    for entry in OTHERS:
        own = [suffix for suffix in entry.companions if suffix in SERIES]
        first = next((path for path in names if path.suffix.lower() in own), None)
        if first:
            return entry.format, first
    return None


def _accepting(path: Path, readers: Sequence[Entry]) -> list[Entry]:
    try:
        with open_input(path) as file:
            return FormatList(readers).all_accepting(file)
    # Other files of the folder can be damaged; only the chosen one must be readable.
    except EngineError:
        return []

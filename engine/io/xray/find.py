"""Which reader, and which file of a folder, when a file or the whole folder of a scan is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.core.errors import EngineError, FileFormatError
from engine.data.planned_scan import PlannedScan
from engine.io.base import ProjectionsReader
from engine.io.folder import entries, is_folder
from engine.io.safety.open_input import open_input
from engine.io.xray.elekta.scan import Elekta
from engine.io.xray.readers import PROJECTION_READERS
from engine.io.xray.sidecar.found import sidecar_of
from engine.io.xray.sidecar.scan import RawSidecar
from engine.io.xray.tiff import is_tiff
from engine.io.xray.varian.scan import Varian
from engine.io.xray.varian.varian_obi import VarianObi

DESCRIBING = tuple(
    suffix for reader in PROJECTION_READERS if reader.companions for suffix in reader.suffixes
)
"""How the names of files end that describe the images beside them."""
IMAGES = (".mha", ".ang")
SERIES: tuple[type[ProjectionsReader], ...] = (Varian, VarianObi, Elekta)
"""Readers of images that each say what they are, or that a scan is of their kind."""
MAX_LOOKED_AT = 200

Reader = type[ProjectionsReader]
Found = tuple[Reader, Path]


def find(path: Path) -> Found | None:
    """Return the reader and the file to read, None if this is no X-ray scan.

    A folder, an image of a stack or a raw file stands for the settings beside it.
    """
    if is_folder(path):
        found = _in_folder(path, PROJECTION_READERS, f"{path}: ") or _of_series(path)
        above = None if found else sidecar_of(path)
        return (RawSidecar, above) if above else found
    with open_input(path) as file:
        for reader in PROJECTION_READERS:
            if reader.accepts(file):
                return reader, path
        is_image = is_tiff(file.head) or path.suffix.lower() in IMAGES
    sidecar = sidecar_of(path)
    if sidecar is not None:
        return RawSidecar, sidecar
    # a sidecar names its images, and none names this one
    others = [reader for reader in PROJECTION_READERS if reader is not RawSidecar]
    about = f"{path.name}: an image of which scan? "
    return _in_folder(path.parent, others, about) if is_image else None


def planned_in(paths: Sequence[Path], shape: tuple[int, int]) -> tuple[Path, PlannedScan] | None:
    """Return what the one file of settings among these says of a scan that is being measured.

    Raises
    ------
    EngineError
        for settings that cannot be used, or of several scans; they may be written to right now
    """
    found = []
    for path in sorted(paths)[:MAX_LOOKED_AT]:
        for reader in _accepting(path, PROJECTION_READERS):
            with open_input(path) as file:
                plan = reader.planned(file, shape)
            if plan is not None:
                found.append((path, plan))
    if len(found) > 1:
        names = ", ".join(path.name for path, _ in found[:4])
        raise FileFormatError(f"{len(found)} scans are described here ({names}); leave one.")
    return found[0] if found else None


def _in_folder(folder: Path, readers: Sequence[Reader], about: str) -> Found | None:
    """Return the one scan that a folder describes; the sentence on several begins with `about`."""
    described: dict[Reader, list[Path]] = {reader: [] for reader in readers}
    names = [path for path in entries(folder) if path.suffix.lower() in DESCRIBING]
    for path in names[:MAX_LOOKED_AT]:
        for reader in _accepting(path, readers):
            described[reader].append(path)
    for reader, paths in described.items():
        fits = reader.one_of_each(paths)
        if len(fits) > 1:
            raise FileFormatError(
                f"{about}{len(fits)} scans are described here "
                f"({', '.join(p.name for p in fits[:4])}); choose one of these files."
            )
        if fits:
            return reader, fits[0]
    return None


def _of_series(folder: Path) -> Found | None:
    """Return the first of the images that describe themselves, each with its own facts."""
    names = entries(folder)
    for reader in SERIES:
        first = next((path for path in names if path.suffix.lower() in reader.companions), None)
        if first:
            return reader, first
    return None


def _accepting(path: Path, readers: Sequence[Reader]) -> list[Reader]:
    try:
        with open_input(path) as file:
            return [reader for reader in readers if reader.accepts(file)]
    except EngineError:
        return []

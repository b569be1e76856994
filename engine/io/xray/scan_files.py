"""Which file of a folder describes a scan, and which files it may name."""

from __future__ import annotations

from pathlib import Path

import psutil

from engine.errors import FileFormatError, ResourceError
from engine.io.open_input import open_head

MEMORY_PART = 0.9
"""Part of the free memory that a scan may take."""


def beside(settings: Path, name: str) -> Path:
    """Return the file of this name in the folder of a settings file, and only there."""
    if not name or name in (".", "..") or any(sign in name for sign in "/\\:\0"):
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}; for safety only a file in the same folder "
            "is opened, so put it there and correct the name."
        )
    path = settings.parent / name
    refuse_outside(path, settings)
    return path


def named(settings: Path, name: str) -> Path:
    """Return the file of this name beside a settings file; it is there, readable and not empty."""
    path = beside(settings, name)
    if not path.exists():
        raise FileFormatError(
            f"{settings.name}: names the file {name!r}, and there is no such file beside it; copy "
            "it there or correct the name."
        )
    open_head(path)
    return path


def refuse_outside(path: Path, settings: Path) -> None:
    """Refuse a link that leads out of the folder of a settings file."""
    folder = settings.resolve().parent
    if not path.resolve().is_relative_to(folder):
        raise FileFormatError(
            f"{settings.name}: {path.name!r} lies outside the folder {folder.name!r}; for safety "
            "only files in the folder are opened, so copy it there."
        )


def refuse_too_large(n_values: int, path: Path) -> None:
    """Refuse projections that do not fit into the free memory, before taking it."""
    need = 4 * n_values
    free = psutil.virtual_memory().available
    if need > MEMORY_PART * free:
        raise ResourceError(
            f"{path.name}: the projections need {need / 2**30:.1f} GiB of memory and "
            f"{free / 2**30:.1f} GiB are free; bin or cut them, or close other programs."
        )

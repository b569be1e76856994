"""Which reader, and which file of a folder, when a file or the whole folder of a scan is named."""

from __future__ import annotations

from pathlib import Path

from engine.errors import EngineError, FileFormatError
from engine.io.base import ProjectionsReader
from engine.io.open_input import HEAD_BYTES, open_head, unreadable
from engine.io.xray.readers import PROJECTION_READERS
from engine.io.xray.sidecar import RawSidecar, sidecar_of
from engine.io.xray.stack import is_tiff

DESCRIBING = tuple(
    suffix for reader in PROJECTION_READERS if reader.companions for suffix in reader.suffixes
)
"""How the names of files end that describe the images beside them."""
IMAGES = (".mha", ".ang")
MAX_LOOKED_AT = 200

Found = tuple[type[ProjectionsReader], Path]


def find(path: Path) -> Found | None:
    """Return the reader and the file to read, None if this is no X-ray scan.

    A folder, an image of a stack or a raw file stands for the settings beside it.
    """
    if path.is_dir():
        return _in_folder(path)
    head = open_head(path)
    for reader in PROJECTION_READERS:
        if reader.accepts(path, head):
            return reader, path
    sidecar = sidecar_of(path)
    if sidecar is not None:
        return RawSidecar, sidecar
    if is_tiff(head) or path.suffix.lower() in IMAGES:
        return _in_folder(path.parent)
    return None


def _in_folder(folder: Path) -> Found | None:
    try:
        names = sorted(p for p in folder.iterdir() if p.suffix.lower() in DESCRIBING)
    except OSError as e:
        raise unreadable(folder, e) from e
    heads = {path: head for path in names[:MAX_LOOKED_AT] if (head := _head(path))}
    for reader in PROJECTION_READERS:
        fits = [path for path, head in heads.items() if reader.accepts(path, head)]
        if len(fits) > 1:
            raise FileFormatError(
                f"{folder}: {len(fits)} scans are described here "
                f"({', '.join(p.name for p in fits[:4])}); choose one of these files."
            )
        if fits:
            return reader, fits[0]
    return None


def _head(path: Path) -> bytes:
    try:
        return open_head(path)[:HEAD_BYTES]
    except EngineError:
        return b""

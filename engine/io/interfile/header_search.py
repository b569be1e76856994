"""Find the header of values, without loading the readers for files that are no values."""

from __future__ import annotations

from pathlib import Path

from engine.io import interfile
from engine.io.folder import is_folder

VALUES = (".s", ".v", ".img", ".mhdr")
"""Suffixes of values that have a header, and of the main header of Siemens."""


def header_for(path: Path) -> Path | None:
    """Return the header for data, or for a folder of one sinogram or image; None for others."""
    if is_folder(path) or path.suffix.lower() in VALUES:
        return interfile.header_of_values(path)
    return None

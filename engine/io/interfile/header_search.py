"""Find the header for a data file, without importing readers for files that are not data."""

from __future__ import annotations

from pathlib import Path

from engine.io import interfile
from engine.io.folder import is_folder

VALUES = (".s", ".v", ".img", ".mhdr")
"""Suffixes of data files with a header, and of the main header of Siemens."""


def header_for(path: Path) -> Path | None:
    """Return the header for a data file or a folder.

    Parameters
    ----------
    path
        data file, or folder of one sinogram or image

    Returns
    -------
    header
        None for any other path
    """
    if is_folder(path) or path.suffix.lower() in VALUES:
        # This call imports the readers of all Interfile variants.
        return interfile.header_of_values(path)
    return None

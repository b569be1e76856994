"""Check if an unreadable file or folder may contain projections, and offer an import."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import EngineError
from engine.io.folder import is_folder
from engine.io.hdf5.opening import format_of, is_hdf5
from engine.io.safety.open_input import open_input
from engine.io.xray.array_files import arrays_in, holds_arrays
from engine.io.xray.find import find
from engine.raw_import.files import RAW, is_tiff_name, material_of

OURS = "isocenter-"


def may_import(path: Path) -> bool:
    """Return True if an unreadable file or folder may contain projections without a description.

    Parameters
    ----------
    path
        file or folder that no reader accepted

    Returns
    -------
    may_import
        False if a sidecar exists, because opening it is better than importing again
    """
    try:
        if find(path) is not None:
            return False
        first = material_of(path).images[0] if is_folder(path) else path
        if is_tiff_name(first) or first.suffix.lower() in (*RAW, ".mrc"):
            return True
        return holds_arrays(first) and _has_images(first)
    except EngineError:
        return False


def _has_images(path: Path) -> bool:
    with open_input(path) as file:
        # Files of Isocenter are never raw projections, even if this version cannot read them.
        if is_hdf5(file.head) and (format_of(file) or "").startswith(OURS):
            return False
        shapes = (each.shape for each in arrays_in(file))
        return any(len(shape) in (2, 3) and min(shape) > 1 for shape in shapes)

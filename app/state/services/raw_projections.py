"""Files that no reader accepts, but that may be raw projections."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.language.translation import tr
from engine.core.errors import EngineError, FileFormatError, UnknownFormatError

if TYPE_CHECKING:  # the loader is not needed to open the window
    from engine.jobs import ForeignFiles

HDF5 = (".h5", ".hdf5", ".hdf", ".nxs")
OFFER = tr("The data may be X-ray projections. Import them and enter the missing information.")


class UndescribedError(EngineError):
    """The file may contain projections without a description."""


def undescribed(fault: EngineError, path: Path | None, files: ForeignFiles) -> EngineError:
    """Return the error for a rejected file, or an offer to import it.

    Parameters
    ----------
    fault
        reason of the rejection
    path
        file that was opened as a scan; None for any other file
    files
        reader of foreign files
    """
    if path is None or type(fault) not in (UnknownFormatError, FileFormatError):
        return fault
    try:
        if not files.may_import(path):
            return fault
    except EngineError:
        return fault
    is_listed = path.suffix.lower() in HDF5  # the error describes the content of the file
    return UndescribedError(f"{OFFER} {fault}" if is_listed else OFFER)

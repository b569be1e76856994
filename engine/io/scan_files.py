"""Find the file to open for a folder, a DICOMDIR or the data of a sinogram."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import FileFormatError, SeveralItemsError
from engine.io import dicom, siemens
from engine.io.folder import is_file, is_folder
from engine.io.interfile.header_search import header_for
from engine.io.safety.open_input import open_input
from engine.io.xray import find as _xray
from engine.io.xray.readers import PROJECTION_READERS

if TYPE_CHECKING:
    from engine.data.projections import Projections


def read_projections(path: Path | str) -> Projections:
    """Read X-ray projections.

    Parameters
    ----------
    path
        the scan's file, the settings next to its images, one of the images, or their folder

    Raises
    ------
    EngineError
        if this is no X-ray scan, or the scan is damaged
    """
    path = Path(path)
    found = _xray.find(path)
    # The scan can be in a subfolder, as in exports of a whole patient.
    if found is None and is_folder(path):
        return read_projections(file_to_open(path))
    if found is not None:
        reader, settings = found
        with open_input(settings) as file:
            return reader.read(file)
    with open_input(path) as file:
        from engine.io.unknown import unknown  # only this message compares all formats

        raise unknown(file, "X-ray scan", PROJECTION_READERS)


def scan_file(path: Path | str) -> Path:
    """Return the file to open for a path.

    A study stores this file, so its records do not depend on whether the user opened the folder or
    the
    file in it.

    Parameters
    ----------
    path
        a file, a folder, a DICOMDIR, or the data of a sinogram

    Returns
    -------
    file
        header or settings of the scan; the path itself if it needs no other file, or if a folder
        contains no scan

    Raises
    ------
    SeveralItemsError
        if a folder contains several scans or images
    """
    path = Path(path)
    if _is_directory_file(path):
        path = path.parent
    if not is_folder(path):
        return header_for(path) or path
    try:
        return _file_in(path)
    except FileFormatError as e:
        # The reader refused the folder as one scan. If it contains several, the user can choose
        # one.
        from engine.io.folder_contents import items_in

        items = items_in(path)
        if len(items) > 1:
            raise SeveralItemsError(str(e), items) from e
        raise


def _file_in(folder: Path) -> Path:
    """Return the file to open for a folder; the folder itself if it contains none."""
    from engine.io.folder_contents import only_item
    from engine.io.only_scan import only_scan
    from engine.io.volumes.ome_zarr_read import node_in

    # From the specific to the general: layouts that a format defines, then a single scan among
    # other files, and last a search of the subfolders.
    described = _xray.find(folder)
    if described is not None:
        return described[1]
    node = node_in(folder)
    if node is not None:
        return node
    found = (
        siemens.scan_in(folder)
        or dicom.series_file(folder)
        or header_for(folder)
        or only_scan(folder)
    )
    return found or only_item(folder) or folder


def file_to_open(path: Path | str) -> Path:
    """Return the file to open for a path, as `scan_file` does, but refuse an empty folder.

    Raises
    ------
    FileFormatError
        if a folder contains nothing to open
    SeveralItemsError
        if a folder contains several scans or images
    """
    found = scan_file(path)
    if is_folder(found):
        from engine.io.folder_contents import empty_folder_error

        raise empty_folder_error(found)
    return found


def _is_directory_file(path: Path) -> bool:
    """Return True if a file is the index of a DICOM folder (DICOMDIR, PS3.10 8.6)."""
    # By name first, so that not every file has to be opened, and DICOM is rarely imported.
    if path.name.upper() != "DICOMDIR" or not is_file(path):
        return False
    from engine.io.dicom.storage import DIRECTORY, storage_class

    with open_input(path) as file:
        return storage_class(file) == DIRECTORY

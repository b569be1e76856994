"""Find the file behind a path: a folder, a DICOMDIR or the bins of a sinogram name one."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import FileFormatError, SeveralItemsError
from engine.data.projections import Projections
from engine.io import dicom, siemens
from engine.io.dicom.storage import is_directory_file
from engine.io.folder import is_folder
from engine.io.interfile.header_search import header_for
from engine.io.safety.open_input import open_input
from engine.io.unknown import unknown
from engine.io.xray import find as _xray
from engine.io.xray.readers import PROJECTION_READERS


def read_projections(path: Path | str) -> Projections:
    """Read X-ray projections.

    Parameters
    ----------
    path
        the scan's file, the settings beside its images, one of the images, or their folder
    """
    path = Path(path)
    found = _xray.find(path)
    if found is None and is_folder(path):
        return read_projections(file_to_open(path))
    if found is not None:
        reader, settings = found
        with open_input(settings) as file:
            return reader.read(file)
    with open_input(path) as file:
        raise unknown(file, "X-ray scan", PROJECTION_READERS)


def scan_file(path: Path | str) -> Path:
    """Return the file that a folder, DICOMDIR or the bins of a sinogram stand for; else the path.

    A study names files: what is read, compared and written down is then the same whether the
    folder was named or the file in it.
    """
    path = Path(path)
    if is_directory_file(path):
        path = path.parent
    if not is_folder(path):
        return header_for(path) or path
    try:
        return _file_in(path)
    except FileFormatError as e:
        from engine.io.folder_contents import items_in

        items = items_in(path)
        if len(items) > 1:
            raise SeveralItemsError(str(e), items) from e
        raise


def _file_in(folder: Path) -> Path:
    """Return the file that a folder stands for; the folder itself if it holds none."""
    from engine.io.folder_contents import only_item
    from engine.io.only_scan import only_scan
    from engine.io.volumes.ome_zarr_read import node_in

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
    """Return the file that a path stands for, as `scan_file`; refuse a folder without one."""
    found = scan_file(path)
    if is_folder(found):
        from engine.io.folder_contents import nothing_in

        raise nothing_in(found)
    return found

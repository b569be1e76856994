"""List the scans and images in a folder and its subfolders, such as a patient's folder.

A DICOM series counts once. A header represents its data, and the settings of an X-ray scan
represent its images. Other files and the derivatives of a BIDS dataset are not listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.core.errors import EngineError, FileFormatError, FolderItem, SeveralItemsError
from engine.io.dicom.reader import DicomSeries, series_in
from engine.io.folder import entries, is_file, is_folder
from engine.io.formats import READERS
from engine.io.interfile.header_search import header_for
from engine.io.only_scan import MAX_FILES, data_of
from engine.io.safety.open_input import open_input
from engine.io.volumes.ome_zarr_read import node_in
from engine.io.xray.find import find

MAX_DEPTH = 4
"""Maximum depth of subfolders that are searched."""
MAX_ITEMS = 500
BIDS, DERIVATIVES = "dataset_description.json", "derivatives"
"""File that describes a BIDS dataset, and its folder of processed images."""
LISTED = 8
"""Maximum number of items in a message."""
RAW = (
    *(".tif", ".tiff", ".raw", ".img", ".bin", ".dat", ".h5", ".hdf5", ".hdf", ".nxs"),
    *(".npy", ".npz", ".mat", ".edf", ".his", ".mrc"),
)
"""Suffixes of files that can contain projections without a description."""


def items_in(folder: Path) -> tuple[FolderItem, ...]:
    """Return the scans and images in a folder and its subfolders.

    Parameters
    ----------
    folder
        folder to search, up to `MAX_DEPTH` levels below it

    Returns
    -------
    items
        at most `MAX_ITEMS`, files of a folder before those of its subfolders

    Raises
    ------
    ResourceError
        if a folder cannot be read
    """
    found: list[FolderItem] = []
    # Each file is opened to recognise it. The limit keeps a click on a network drive short.
    for item in _items(folder, 0):
        found.append(item)
        if len(found) >= MAX_ITEMS:
            break
    return tuple(found)


def only_item(folder: Path) -> Path | None:
    """Return the file of the only scan or image in a folder and its subfolders.

    Returns
    -------
    file
        None if the folder contains none

    Raises
    ------
    SeveralItemsError
        if there are several
    """
    found = items_in(folder)
    if len(found) > 1:
        raise SeveralItemsError(several(folder, found), found)
    return found[0].path if found else None


def several(folder: Path, items: tuple[FolderItem, ...]) -> str:
    """Return the message for a folder with several scans or images.

    Parameters
    ----------
    folder
        folder that was opened
    items
        its scans and images; the first `LISTED` are named
    """
    listed = "; ".join(f"{item.place(folder)} ({item.text})" for item in items[:LISTED])
    return f"{folder.name}: contains {len(items)} scans or images; open one, such as {listed}."


def empty_folder_error(folder: Path) -> FileFormatError:
    """Return the error for a folder that contains nothing to open, with the kinds of its files."""
    files = [each for each in entries(folder) if is_file(each)]
    kinds = sorted({each.suffix.lower() or "no ending" for each in files})
    # The suffixes show the user at once that it is the wrong folder.
    endings = ", ".join(kinds[:6]) or "none"
    raw = any(kind in RAW for kind in kinds)
    remedy = (
        "If they are projections, describe them with `isocenter import`."
        if raw
        else "Choose another folder."
    )
    return FileFormatError(
        f"{folder.name}: this folder contains no scan or image that can be opened directly "
        f"(number of files: {len(files):,}, endings: {endings}). {remedy}"
    )


def _items(folder: Path, deep: int) -> Iterator[FolderItem]:
    # An OME-Zarr image is a folder with thousands of small files, so do not search inside it.
    if node_in(folder) is not None:
        yield FolderItem(folder, "OME-Zarr")
        return
    try:
        found = find(folder)
    except EngineError:
        found = None  # several scans, which are listed by their files
    if found is not None:
        yield FolderItem(found[1], found[0].name)
        return
    # Hidden folders belong to other programs, such as version control or thumbnails.
    inside = entries(folder)
    yield from _files(folder, [each for each in inside if is_file(each)])
    # The image of a BIDS dataset is a raw image; errors and other derivatives belong to it.
    skipped = DERIVATIVES if any(each.name == BIDS for each in inside) else ""
    for each in inside:
        is_hidden = each.name.startswith(".") or each.name == skipped
        if deep < MAX_DEPTH and is_folder(each) and not is_hidden:
            yield from _items(each, deep + 1)


def _files(folder: Path, files: list[Path]) -> Iterator[FolderItem]:
    """Yield the series and other files of one folder."""
    # DICOM first: one pass over the headers groups thousands of slices, which would otherwise be
    # opened one by one below.
    slices: set[Path] = set()
    for headers in series_in(folder).values():
        slices |= {header.path for header in headers}
        n = len({header.path for header in headers})
        text = f"DICOM series {headers[0].describe()}, {n:,} {'file' if n == 1 else 'files'}"
        yield FolderItem(headers[0].path, text)
    others = [each for each in files if each not in slices]
    # So many files are raw images or data of another program. Opening each would take minutes.
    if len(others) > MAX_FILES:
        return
    formats = {path: name for path in others if (name := _format_of(path))}
    # A header and its data are one item, and the header is the one to open.
    behind = {data for path in formats if (data := data_of(path)) is not None and data != path}
    for path, name in formats.items():
        if path not in behind and header_for(path) is None:
            yield FolderItem(path, name)


def _format_of(path: Path) -> str:
    """Return the format of a scan or image, empty for any other file."""
    try:
        with open_input(path) as file:
            reader = READERS.accepting(file)
            is_other = reader is None or reader is DicomSeries  # of no series of images
            return "" if reader is None or is_other else reader.format_of(file)
    except EngineError:
        return ""

"""List the scans and images in a folder and its subfolders, such as a patient's folder.

A DICOM series counts once, a header stands for its data, and the settings of an X-ray scan for its
images. Pictures, texts and files beside a scan are not listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.core.errors import EngineError, FileFormatError, FolderItem, SeveralItemsError
from engine.io.dicom.reader import DicomSeries, series_in
from engine.io.folder import entries, is_file, is_folder
from engine.io.formats import READERS, reader_of
from engine.io.interfile.header_search import header_for
from engine.io.only_scan import MOST_FILES, data_of
from engine.io.safety.open_input import open_input
from engine.io.volumes.ome_zarr_read import node_in
from engine.io.xray.find import find

MOST_DEEP = 4
"""Subfolders, one in the other, that are looked into."""
MOST_ITEMS = 500
LISTED = 8
"""Items that a sentence names."""
RAW = (
    *(".tif", ".tiff", ".raw", ".img", ".bin", ".dat", ".h5", ".hdf5", ".hdf", ".nxs"),
    *(".npy", ".npz", ".mat", ".edf", ".his", ".mrc"),
)
"""Endings of files that may hold projections which do not describe themselves."""


def items_in(folder: Path) -> tuple[FolderItem, ...]:
    """Return the scans and images in a folder and its subfolders, by their places."""
    found: list[FolderItem] = []
    for item in _items(folder, 0):
        found.append(item)
        if len(found) >= MOST_ITEMS:
            break
    return tuple(found)


def only_item(folder: Path) -> Path | None:
    """Return the file of the one scan or image in a folder and its subfolders.

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
    """Return the sentence on a folder of several scans or images."""
    listed = "; ".join(f"{item.place(folder)} ({item.text})" for item in items[:LISTED])
    more = f"; and {len(items) - LISTED} more" if len(items) > LISTED else ""
    return (
        f"{folder.name}: contains {len(items)} scans or images: {listed}{more}. Open one of them."
    )


def nothing_in(folder: Path) -> FileFormatError:
    """Return the fault of a folder that holds nothing to open."""
    files = [each for each in entries(folder) if is_file(each)]
    kinds = sorted({each.suffix.lower() or "no ending" for each in files})
    what = f"{len(files):,} files: {', '.join(kinds[:6])}" if files else "no files"
    raw = any(kind in RAW for kind in kinds)
    remedy = (
        "if they are projections, describe them with `isocenter import`"
        if raw
        else "choose another folder"
    )
    return FileFormatError(
        f"{folder.name}: this folder contains no scan or image that can be opened directly "
        f"({what}); {remedy}."
    )


def _items(folder: Path, deep: int) -> Iterator[FolderItem]:
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
    inside = entries(folder)
    yield from _files(folder, [each for each in inside if is_file(each)])
    for each in inside:
        if deep < MOST_DEEP and is_folder(each) and not each.name.startswith("."):
            yield from _items(each, deep + 1)


def _files(folder: Path, files: list[Path]) -> Iterator[FolderItem]:
    """Yield the series and other files of one folder."""
    slices: set[Path] = set()
    for headers in series_in(folder).values():
        slices |= {header.path for header in headers}
        n = len({header.path for header in headers})
        text = f"DICOM series {headers[0].describe()}, {n:,} {'file' if n == 1 else 'files'}"
        yield FolderItem(headers[0].path, text)
    others = [each for each in files if each not in slices]
    if len(others) > MOST_FILES:
        return
    formats = {path: name for path in others if (name := _format_of(path))}
    behind = {data for path in formats if (data := data_of(path)) is not None and data != path}
    for path, name in formats.items():
        if path not in behind and header_for(path) is None:
            yield FolderItem(path, name)


def _format_of(path: Path) -> str:
    """Return the format of a scan or image, empty for any other file."""
    try:
        with open_input(path) as file:
            reader = reader_of(READERS, file)
            is_other = reader is None or reader is DicomSeries  # of no series of images
            return "" if reader is None or is_other else reader.format_of(file)
    except EngineError:
        return ""

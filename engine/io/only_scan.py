"""Find the single scan in a folder, so that the folder itself can be opened."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import EngineError, FolderItem, SeveralItemsError
from engine.io.castor import header as castor
from engine.io.castor.normalisation import is_normalisation
from engine.io.folder import entries, is_file
from engine.io.formats import SCAN_READERS
from engine.io.interfile.header import is_interfile, read_header
from engine.io.safety.open_input import InputFile, open_input

MAX_FILES = 200
"""Folders with more files are not searched: such a folder is not one scan."""


def only_scan(folder: Path) -> Path | None:
    """Return the file of the only scan in a folder.

    A header represents its data. A header without its data does not count. Images, maps and other
    files
    next to a scan are ignored.

    Parameters
    ----------
    folder
        folder to search, without its subfolders

    Returns
    -------
    file
        None if the folder contains no scan, or more than `MAX_FILES` files

    Raises
    ------
    SeveralItemsError
        if it contains several scans
    """
    inside = [each for each in entries(folder) if is_file(each)]
    if len(inside) > MAX_FILES:
        return None
    data = {path: of for path in inside if (of := _what_it_is(path)) is not None}
    # Some data files are accepted as scans themselves (.l, .cdf), which would count the scan twice.
    named = {of for header, of in data.items() if of != header}
    # Normalisation of CASToR has the suffixes of a scan, but is not one.
    named |= {of for path in inside if (of := _data_of_normalisation(path)) is not None}
    found = [path for path, of in data.items() if path not in named and is_file(of)]
    if len(found) > 1:
        names = ", ".join([each.name for each in found[:4]] + ["..."] * (len(found) > 4))
        raise SeveralItemsError(
            f"{folder.name}: contains {len(found)} scans ({names}); choose one of these files.",
            tuple(FolderItem(each, _format_of(each)) for each in found),
        )
    return found[0] if found else None


def _what_it_is(path: Path) -> Path | None:
    """Return the data file of a scan, None if the file is not a scan."""
    try:
        with open_input(path) as file:
            if SCAN_READERS.accepting(file) is None:
                return None
            return _data_of(file)
    except EngineError:
        return None


def data_of(path: Path) -> Path | None:
    """Return the data file of a scan or image; None if its header is damaged."""
    try:
        with open_input(path) as file:
            return _data_of(file)
    except EngineError:
        return None


def _format_of(path: Path) -> str:
    with open_input(path) as file:
        return SCAN_READERS.format_of(file)


def _data_of(file: InputFile) -> Path:
    if castor.is_header(file.head):
        return castor.read_header(file).data_file
    return read_header(file).data_file if is_interfile(file.head) else file.path


def _data_of_normalisation(path: Path) -> Path | None:
    """Return the data file of a CASToR normalisation, which has the suffix of a scan."""
    try:
        with open_input(path) as file:
            return castor.read_header(file).data_file if is_normalisation(file.head) else None
    except EngineError:
        return None

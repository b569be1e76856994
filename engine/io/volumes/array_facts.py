"""Read small facts (numbers and texts) stored with the arrays of an .npz or .mat file.

Only variables that are requested by name are unpacked, however large the arrays are.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from tokenize import TokenError
from zipfile import ZipFile

import numpy as np

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile
from engine.io.volumes.npz import DAMAGE
from engine.io.xray import matlab
from engine.io.xray.hdf5.opening import open_tree
from engine.io.xray.hdf5.values import attribute

ZIP = b"PK\x03\x04"
NAME_AT, NAME_LENGTH = 30, slice(26, 28)
"""Offset of the first file name in a ZIP archive, and position of its length."""
MEMBER = ".npy"
MOST_BYTES = 4096
"""Size limit of a fact; larger variables are arrays."""


def is_npz(head: bytes) -> bool:
    """Return True if a file begins like a ZIP archive whose first file is a NumPy array."""
    if not head.startswith(ZIP) or len(head) < NAME_AT:
        return False
    (length,) = struct.unpack("<H", head[NAME_LENGTH])
    # Any ZIP starts with PK: OME-Zarr, Office files and others must not be opened as arrays.
    return head[NAME_AT : NAME_AT + length].endswith(MEMBER.encode())


def is_array_file(file: InputFile) -> bool:
    """Return True if the content is that of a NumPy or MATLAB file.

    Parameters
    ----------
    file
        .npy, .npz, .mat (version 5 or 7.3) or another; the ending is ignored
    """
    marks = (np.lib.format.MAGIC_PREFIX, matlab.MARK, matlab.MARK_OF_HDF5)
    return file.head.startswith(marks) or is_npz(file.head)


def facts_in(file: InputFile, names: Sequence[str]) -> dict[str, object]:
    """Return the requested variables of an array file.

    Parameters
    ----------
    file
        .npz or .mat; others give {}
    names
        variables; missing ones, and those above 4096 bytes, are left out

    Returns
    -------
    facts
        name -> NumPy array, or text

    Raises
    ------
    FileFormatError
        if the file is damaged
    """
    if file.head.startswith(matlab.MARK_OF_HDF5):
        return _in_hdf5(file, names)
    try:
        if file.head.startswith(matlab.MARK):
            return _in_matlab(file, names)
        return _in_npz(file, names) if is_npz(file.head) else {}
    except (*DAMAGE, TokenError, struct.error, zlib.error) as e:
        reason = " ".join(str(e).split()) or type(e).__name__
        raise FileFormatError(
            f"{file.name}: damaged or truncated array file ({reason}); copy it again."
        ) from e


def _in_npz(file: InputFile, names: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    with ZipFile(file.stream()) as archive:
        for each in archive.infolist():
            name = each.filename.removesuffix(MEMBER)
            if name in names and each.file_size <= MOST_BYTES:
                with archive.open(each) as stream:
                    # A pickle in a file from elsewhere could run any code.
                    found[name] = np.lib.format.read_array(stream, allow_pickle=False)
    return found


def _in_matlab(file: InputFile, names: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    head = file.read(matlab.HEADER_BYTES)
    for entry in matlab.entries(file.read, file.size):
        if entry.name in names and entry.n_bytes <= MOST_BYTES:
            # The parser needs the file header for the byte order.
            content = memoryview(head + file.read(entry.n_bytes, entry.start))
            found.update(matlab.variables(content, MOST_BYTES))
    return found


def _in_hdf5(file: InputFile, names: Sequence[str]) -> dict[str, object]:
    """Return variables of MATLAB 7.3, which stores texts as character codes."""
    found: dict[str, object] = {}
    with open_tree(file) as tree:
        for name in names:
            item = tree.dataset(f"/{name}")
            if item is None or item.nbytes > MOST_BYTES or attribute(item, "MATLAB_empty"):
                continue
            # MATLAB stores columns first, so the axes in HDF5 are reversed.
            stored = np.asarray(item[()]).T
            is_text = attribute(item, "MATLAB_class") == "char" and stored.dtype.kind == "u"
            found[name] = "".join(chr(letter) for letter in stored.ravel()) if is_text else stored
    return found

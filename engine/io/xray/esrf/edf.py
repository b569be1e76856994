"""Read ESRF data files (`.edf`): a header of `key = value ;` in braces, then the image values.

The header is padded with blanks to whole blocks of 512 bytes, and ends with `}` and a line feed.
Dim_1 is the number of columns. Format of the ESRF (and of `fabio`, its reader). Compressed values
and several images in a file are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile

BLOCK_BYTES = 512
MAX_HEADER_BYTES = 1 << 16
PAIR = re.compile(r"([^\s=;{}][^=;{}]*?)\s*=\s*([^;]*);")
KINDS: Mapping[str, str] = {
    **dict.fromkeys(("signedbyte", "signed8"), "i1"),
    **dict.fromkeys(("unsignedbyte", "unsigned8"), "u1"),
    **dict.fromkeys(("signedshort", "signed16"), "i2"),
    **dict.fromkeys(("unsignedshort", "unsigned16", "unsignedshortinteger"), "u2"),
    **dict.fromkeys(("signedinteger", "signedlong", "signed32"), "i4"),
    **dict.fromkeys(("unsignedinteger", "unsignedlong", "unsigned32"), "u4"),
    **dict.fromkeys(("signed64",), "i8"),
    **dict.fromkeys(("unsigned64",), "u8"),
    **dict.fromkeys(("floatvalue", "float", "float32", "floatieee32"), "f4"),
    **dict.fromkeys(("doublevalue", "double", "floatieee64", "doubleieee64"), "f8"),
}
"""Type names of ESRF programs, in lower case -> NumPy type."""
ORDERS = {"lowbytefirst": "<", "highbytefirst": ">"}
UNPACKED = "", "none"


def is_edf(file: InputFile) -> bool:
    """Return True if a file begins like an ESRF data file."""
    head = file.head.lstrip()
    return head.startswith(b"{") and b"Dim_1" in head and b"DataType" in head


def read_edf(file: InputFile) -> tuple[NDArray[np.generic], dict[str, str]]:
    """Read an image and its header.

    Parameters
    ----------
    file
        `.edf` file

    Returns
    -------
    values
        (rows, columns)
    header
        lower-case key -> text

    Raises
    ------
    FileFormatError
        if the file is damaged, compressed, or contains several images
    """
    header, start = _header(file)
    kind = KINDS.get(header.get("datatype", "").lower())
    order = ORDERS.get(header.get("byteorder", "LowByteFirst").lower())
    if kind is None or order is None:
        raise FileFormatError(
            f"{file.name}: the data type {header.get('datatype', '')[:30]!r} with byte order "
            f"{header.get('byteorder', '')[:20]!r} is not supported; save the image as "
            "UnsignedShort or FloatValue."
        )
    if header.get("compression", "").lower() not in UNPACKED or header.get("dim_3", "1") != "1":
        raise FileFormatError(
            f"{file.name}: contains compressed data or several images, expected a single "
            "uncompressed image; save each image uncompressed in its own file."
        )
    rows, columns = (_size(file, header, name) for name in ("dim_2", "dim_1"))
    dtype = np.dtype(f"{order}{kind}")
    end = start + rows * columns * dtype.itemsize
    if file.size < end:
        raise FileFormatError(
            f"{file.name}: the file has {file.size:,} bytes, expected {end:,} for {rows:,} x "
            f"{columns:,} pixels (rows x columns); copy it again."
        )
    # A second image begins with a header in braces; padding may come before it.
    if file.read(BLOCK_BYTES, end).lstrip(b"\0\r\n ").startswith(b"{"):
        raise FileFormatError(
            f"{file.name}: contains several images, expected one; save each image in its own file."
        )
    values: NDArray[np.generic] = file.array(dtype, (rows, columns), start)
    return values, header


def _header(file: InputFile) -> tuple[dict[str, str], int]:
    """Return the header, and the byte offset of the values."""
    head = file.read(MAX_HEADER_BYTES) if is_edf(file) else b""
    ends = [match.end() for match in re.finditer(rb"\}\r?\n", head)]
    if not ends:
        raise FileFormatError(f"{file.name}: incomplete EDF header; copy it again.")
    # Values can contain the bytes of a header end. The true end is at a block boundary, except in
    # files of some other programs.
    start = next((end for end in ends if end % BLOCK_BYTES == 0), ends[0])
    text = head[:start].decode("latin-1")
    return {name.lower(): value.strip() for name, value in PAIR.findall(text)}, start


def _size(file: InputFile, header: dict[str, str], name: str) -> int:
    stated = header.get(name, "")
    # `isdigit` alone accepts superscripts, on which `int` fails.
    if not (stated.isascii() and stated.isdigit() and int(stated[:9]) > 0 and len(stated) < 9):
        raise FileFormatError(
            f"{file.name}: {name} is {stated[:20]!r}, expected a number of pixels; copy it again."
        )
    return int(stated)

"""Heimann `.his`: one frame of a PerkinElmer panel, 16-bit numbers after a header of 68 bytes.

Byte 0 0x7000, 2 the size of the header, 10 bytes of a second header before the values, 12 … 18 the
first and last column and row, 20 the number of frames, 32 the type of numbers (4: 16 bits without
a sign), all 16-bit, little-endian. As the maker of the panel and the RTK project document it.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile

MARK = b"\0\x70\x44\0"
HEADER_BYTES = 68
UNSIGNED_16 = 4


def is_his(file: InputFile) -> bool:
    """Return True if a file begins like a frame."""
    return file.head.startswith(MARK)


def read_his(file: InputFile) -> NDArray[np.uint16]:
    """Return the values (rows, columns) of a frame.

    Raises
    ------
    FileFormatError
        for other numbers, more than one frame, or a file of another size than its header says
    """
    if len(file.head) < HEADER_BYTES or not is_his(file):
        raise FileFormatError(
            f"{file.name}: not a HIS frame, or truncated in its header; copy it again."
        )
    more, left, top, right, bottom, n_frames = struct.unpack_from("<6H", file.head, 10)
    (kind,) = struct.unpack_from("<H", file.head, 32)
    rows, columns = bottom - top + 1, right - left + 1
    if kind != UNSIGNED_16 or n_frames != 1 or min(rows, columns) < 1:
        raise FileFormatError(
            f"{file.name}: {n_frames} frames of {rows} x {columns} numbers of type {kind}, "
            f"expected one of type {UNSIGNED_16}; export it again."
        )
    start = HEADER_BYTES + more
    wanted = start + 2 * rows * columns
    if file.size < wanted:
        raise FileFormatError(
            f"{file.name}: {file.size:,} bytes, expected {wanted:,} for {rows:,} x {columns:,} "
            "pixels (rows x columns); copy it again."
        )
    values: NDArray[np.uint16] = file.array(np.dtype("<u2"), (rows, columns), start)
    return values

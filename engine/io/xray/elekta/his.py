"""Read Heimann `.his`: one frame of a PerkinElmer panel, 16-bit values after a header of 68 bytes.

Byte 0: 0x7000; 2: size of the header; 10: size of a second header before the values; 12 … 18: first
and last column and row; 20: number of frames; 32: type of the values (4: unsigned 16 bits). All are
16-bit little-endian. As documented by the manufacturer of the panel and the RTK project.
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

    Parameters
    ----------
    file
        `.his` file

    Raises
    ------
    FileFormatError
        if values are not unsigned 16-bit, there are several frames, or the file is truncated
    """
    if len(file.head) < HEADER_BYTES or not is_his(file):
        raise FileFormatError(
            f"{file.name}: not a HIS frame, or its header is truncated; copy it again."
        )
    # First and last column and row are inclusive, hence + 1 below.
    more, left, top, right, bottom, n_frames = struct.unpack_from("<6H", file.head, 10)
    (kind,) = struct.unpack_from("<H", file.head, 32)
    rows, columns = bottom - top + 1, right - left + 1
    if kind != UNSIGNED_16 or n_frames != 1 or min(rows, columns) < 1:
        raise FileFormatError(
            f"{file.name}: contains {n_frames} frames of {rows} x {columns} pixels with data type "
            f"{kind}, expected one frame with data type {UNSIGNED_16}; export it again."
        )
    start = HEADER_BYTES + more
    wanted = start + 2 * rows * columns
    # Longer files are accepted, because the header states where the values end.
    if file.size < wanted:
        raise FileFormatError(
            f"{file.name}: the file has {file.size:,} bytes, expected {wanted:,} for {rows:,} x "
            f"{columns:,} pixels (rows x columns); copy it again."
        )
    values: NDArray[np.uint16] = file.array(np.dtype("<u2"), (rows, columns), start)
    return values

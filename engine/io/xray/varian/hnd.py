"""Read Varian `.hnd`: one projection of an on-board imager before TrueBeam, and its header.

The header has 1,024 bytes; the RTK project publishes its layout. The table of widths follows, with
two bits for each pixel below the first row, then the values, compressed as in `.xim`, to the end.
"""

from __future__ import annotations

import struct

import numpy as np

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile
from engine.io.xray.varian.xim import BYTES, MOST_PIXELS, UNKNOWN, ImageBytes, Xim, from_differences

MARK = b"VARIAN_VA_INTERNAL"
HEADER_BYTES = 1024
TEXTS = "<32s4x4s4x8s8s16s4x16s4x16s4x"
"""Type, checksum, date, time and names, each followed by a number that is skipped."""
SIZES_AT = struct.calcsize(TEXTS)
DOUBLES_AT = SIZES_AT + 8 + 8 + 16 + 12 + 4
"""Offset after columns, rows, slice position, modality, window, level, offset and type."""
DOUBLES = (
    *("GantryRtn", "SAD", "SFD", "CollX1", "CollX2", "CollY1", "CollY2", "CollRtn"),
    *("FieldX", "FieldY", "BladeX1", "BladeX2", "BladeY1", "BladeY2"),
    *("IDUPosLng", "IDUPosLat", "IDUPosVrt", "IDUPosRtn", "PatientSupportAngle"),
    *("TableTopEccentricAngle", "CouchVrt", "CouchLng", "CouchLat"),
    *("IDUResolutionX", "IDUResolutionY", "ImageResolutionX", "ImageResolutionY"),
    *("Energy", "DoseRate", "XRayKV", "XRayMA", "MetersetExposure", "AcqAdjustment"),
    *("CTProjectionAngle", "CTNormChamber"),
)


def read_hnd(file: InputFile) -> Xim:
    """Return image and facts of a `.hnd` file.

    Parameters
    ----------
    file
        `.hnd` file

    Raises
    ------
    FileFormatError
        if the file is damaged
    """
    left = ImageBytes(file.path, file.read())
    head = left.take(HEADER_BYTES)
    columns, rows = struct.unpack_from("<2I", head, SIZES_AT)
    if not (1 < columns <= MOST_PIXELS and 1 < rows <= MOST_PIXELS):
        raise FileFormatError(
            f"{file.name}: the image size is {rows:,} x {columns:,} pixels (rows x columns), "
            f"expected 2 to {MOST_PIXELS:,} for both; copy it again."
        )
    numbers = struct.unpack_from(f"<{len(DOUBLES)}d", head, DOUBLES_AT)
    table = left.take(-(-(rows - 1) * columns // 4))
    n = (rows - 1) * columns - 1
    pairs = np.frombuffer(table, np.uint8)[:, None] >> np.array([0, 2, 4, 6], np.uint8)
    # The header states no size of the compressed values, but the table determines it.
    n_bytes = 4 * (columns + 1) + int(BYTES[(pairs & 3).reshape(-1)[:n]].sum())
    values = from_differences(left, table, left.take(n_bytes), (rows, columns))
    # Values that the machine does not know are stored as the largest float.
    known = {k: n for k, n in zip(DOUBLES, numbers, strict=True) if abs(n) < UNKNOWN}
    return Xim(values, known, {})

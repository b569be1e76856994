"""Read volumes from MRC or CCP4 maps (.mrc, .map, .rec): cells in ångström, header as in mrcfile.

The header states which axis of space is the fastest in the file (mapc, mapr, maps). The format has
no patient. Programs use the origin fields in different ways, so the volume is centred at 0.
"""

from __future__ import annotations

from math import prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.data.volume import Volume
from engine.io.base import VolumeReader
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import stated_grid

MARK, MARK_AT, STAMP_AT = b"MAP ", 208, 212
MODES = {0: "i1", 1: "i2", 2: "f4", 6: "u2", 12: "f2"}
HEADER_BYTES, EXTENDED = 1024, slice(92, 96)
ANGSTROM_PER_MM = 1e7


class Mrc(VolumeReader):
    """MRC volume."""

    format_name: ClassVar[str] = "MRC"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.size >= HEADER_BYTES and file.head[MARK_AT : MARK_AT + 4] == MARK

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        _refuse_unusable(file)
        header = _header(file)
        cells = [float(header["cella"][axis]) for axis in "xyz"]
        along = [int(header[name]) for name in ("mapc", "mapr", "maps")]
        intervals = [int(header[f"m{axis}"]) for axis in "xyz"]
        # Projections in MRC files often have no cell; they are imported with `isocenter import`.
        if sorted(along) != [1, 2, 3] or min(intervals) < 1 or min(cells) <= 0:
            raise GeometryError(
                f"{file.name}: states no voxel size (cella: {cells} Å, mx my mz: {intervals}, mapc "
                f"mapr maps: {along}); save it with a voxel size, or import projections with "
                "`isocenter import`."
            )
        places = {axis: 2 - place for place, axis in enumerate(along)}  # columns are the last
        stored = _stored(file, header).transpose([places[axis] for axis in (3, 2, 1)])
        # The cell covers m intervals, which can differ from the number of stored values.
        voxel = [cell / n / ANGSTROM_PER_MM for cell, n in zip(cells, intervals, strict=True)]
        grid = stated_grid(file.path, stored.shape, voxel, (0.0, 0.0, 0.0))
        values = np.ascontiguousarray(stored, np.float32)
        refuse_not_finite(file.path, values)
        note = f"{file.name}: states no position; the centre of the volume is used as the origin."
        return Volume(values, grid, "", {"axes": "xyz"}, (note,))


def layout_of(file: InputFile) -> tuple[tuple[int, int, int], int, int]:
    """Return (columns, rows, sections), mode, and first byte of the values, as the header says."""
    numbers = f"{order_of(file)}i4"
    columns, rows, sections, mode = np.frombuffer(file.head[:16], numbers).tolist()
    # The extended header, which vendors use for tilt angles, precedes the values.
    (extended,) = np.frombuffer(file.head[EXTENDED], numbers).tolist()
    return (columns, rows, sections), mode, HEADER_BYTES + extended


def order_of(file: InputFile) -> str:
    """Return the byte order in the machine stamp, as the NumPy sign."""
    return ">" if file.head[STAMP_AT : STAMP_AT + 1] == b"\x11" else "<"


def _header(file: InputFile) -> np.void:
    """Return the fields of the header.

    mrcfile's interpreter is not used: it assigns to `dtype`, which NumPy 2.5 deprecates.
    """
    from mrcfile.dtypes import HEADER_DTYPE

    (header,) = np.frombuffer(file.head[:HEADER_BYTES], HEADER_DTYPE.newbyteorder(order_of(file)))
    fields: np.void = header
    return fields


def _stored(file: InputFile, header: np.void) -> NDArray[np.generic]:
    """Return the values as the file has them: sections, rows, columns."""
    shape = [int(header[name]) for name in ("nz", "ny", "nx")]
    dtype = np.dtype(order_of(file) + MODES[int(header["mode"])])
    return np.frombuffer(file.read(), dtype, prod(shape), layout_of(file)[2]).reshape(shape)


def _refuse_unusable(file: InputFile) -> None:
    """Refuse types other than real numbers, and sizes larger than the file."""
    (columns, rows, sections), mode, start = layout_of(file)
    if mode not in MODES:
        raise FileFormatError(
            f"{file.name}: the MRC mode is {mode}, expected 0, 1, 2, 6 or 12; save the file in one "
            "of these modes."
        )
    n_values = columns * rows * sections
    n_bytes = start + n_values * np.dtype(MODES[mode]).itemsize
    if min(columns, rows, sections) < 1 or start < HEADER_BYTES or n_bytes > file.size:
        raise FileFormatError(
            f"{file.name}: its header states {columns:,} × {rows:,} × {sections:,} values "
            f"({n_bytes:,} bytes), but the file has {file.size:,} bytes; copy it again."
        )
    # An upper bound: file bytes, temporary copies, and float32 values.
    refuse_large_data(2 * file.size + 4 * n_values, file.name)

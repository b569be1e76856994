"""Volumes as MRC or CCP4 maps (.mrc, .map, .rec): cells in ångström, read by mrcfile.

Which axis of space is the fastest in the file, the header says (mapc, mapr, maps). There is no
patient; makers use the fields of the origin in several ways, so the middle of the volume is at 0.
"""

from __future__ import annotations

from io import BytesIO
from typing import ClassVar

import numpy as np

from engine.data.volume import Volume
from engine.errors import FileFormatError, GeometryError
from engine.io.base import VolumeReader
from engine.io.budget import refuse_no_room
from engine.io.open_input import InputFile, refuse_not_finite
from engine.io.ranges import stated_grid

MARK, MARK_AT = b"MAP ", 208
MODES = {0: "i1", 1: "i2", 2: "f4", 6: "u2", 12: "f2"}
HEADER_BYTES, EXTENDED = 1024, slice(92, 96)
ANGSTROM_PER_MM = 1e7


class Mrc(VolumeReader):
    """MRC volume."""

    name: ClassVar[str] = "MRC volume"
    suffixes: ClassVar[tuple[str, ...]] = (".mrc", ".rec", ".map")

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.size >= HEADER_BYTES and file.head[MARK_AT : MARK_AT + 4] == MARK

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        from mrcfile.mrcinterpreter import MrcInterpreter

        _refuse_unusable(file)
        try:
            with MrcInterpreter(iostream=BytesIO(file.read())) as image:
                stored = np.asarray(image.data)
                cells = [float(image.header.cella[axis]) for axis in "xyz"]
                along = [int(image.header[name]) for name in ("mapc", "mapr", "maps")]
                intervals = [int(image.header[f"m{axis}"]) for axis in "xyz"]
        except (ValueError, OSError, TypeError, ArithmeticError) as e:
            reason = " ".join(str(e).split())
            raise FileFormatError(
                f"{file.name}: damaged or truncated MRC file ({reason}); copy it again."
            ) from e
        if sorted(along) != [1, 2, 3] or min(intervals) < 1 or min(cells) <= 0:
            raise GeometryError(
                f"{file.name}: does not say how large a voxel is (cell of {cells} Å in {intervals} "
                f"parts, axes {along}); save it with its sizes, or, if it holds projections, "
                "describe them with `isocenter import`."
            )
        places = {axis: 2 - place for place, axis in enumerate(along)}  # columns are the last
        values = stored.transpose([places[axis] for axis in (3, 2, 1)])
        voxel = [cell / n / ANGSTROM_PER_MM for cell, n in zip(cells, intervals, strict=True)]
        grid = stated_grid(file.path, values.shape, voxel, (0.0, 0.0, 0.0))
        values = np.ascontiguousarray(values, np.float32)
        refuse_not_finite(file.path, values)
        note = f"{file.name}: has no place in space; the middle of the volume is taken as 0."
        return Volume(values, grid, "", {"axes": "xyz"}, (note,))


def _refuse_unusable(file: InputFile) -> None:
    """Refuse what is no volume of numbers, and sizes that the file cannot hold."""
    order = ">" if file.head[212:213] == b"\x11" else "<"
    columns, rows, sections, mode = (int(n) for n in np.frombuffer(file.head[:16], f"{order}i4"))
    if mode not in MODES:
        raise FileFormatError(
            f"{file.name}: values of MRC mode {mode}, want plain numbers (mode 0, 1, 2, 6 or 12); "
            "save it as one of them."
        )
    n_values = columns * rows * sections
    (extended,) = (int(n) for n in np.frombuffer(file.head[EXTENDED], f"{order}i4"))
    n_bytes = HEADER_BYTES + extended + n_values * np.dtype(MODES[mode]).itemsize
    if min(columns, rows, sections) < 1 or extended < 0 or n_bytes > file.size:
        raise FileFormatError(
            f"{file.name}: its header counts {columns:,} × {rows:,} × {sections:,} values, "
            f"{n_bytes:,} bytes, and the file has {file.size:,}; it is truncated or damaged."
        )
    refuse_no_room(2 * file.size + 4 * n_values, file.name)

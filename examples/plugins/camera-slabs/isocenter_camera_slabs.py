"""Volumes of a camera (.slab): a text header, then float32 values."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.base import VolumeReader
from engine.io.safety.open_input import InputFile

HEADER_BYTES = 4096


class SlabVolume(VolumeReader):
    """Reads slabs of float32."""

    name: ClassVar[str] = "Slab"
    suffixes: ClassVar[tuple[str, ...]] = (".slab",)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return cls.ends(file.path) and file.head.startswith(b"ObjectType")

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        data = file.read()
        end = data.find(b"LOCAL", 0, HEADER_BYTES)
        if end < 0:
            raise FileFormatError(f"{file.name}: no line 'ElementDataFile = LOCAL'; export again.")
        lines = data[:end].decode("ascii", "replace").splitlines()
        header = dict(line.split(" = ", 1) for line in lines if " = " in line)
        try:  # a damaged file gives one sentence, never a traceback
            x, y, z = (int(n) for n in header["DimSize"].split())
            dx, dy, dz = (float(mm) for mm in header["ElementSpacing"].split())
            begin = data.index(b"\n", end) + 1
            values = np.frombuffer(data, "<f4", x * y * z, begin).reshape(z, y, x).copy()
        except (KeyError, ValueError) as e:
            raise FileFormatError(
                f"{file.name}: the header does not fit ({e}); export again."
            ) from e
        return Volume(values, ImageGrid((z, y, x), (dx, dy, dz)), unit="")

"""Volumes of TIFF stacks that say how large a voxel is: pages along z, rows along y.

Stacks that do not say it are no volumes yet: projections, slices or photographs, whose sizes and
order somebody has to tell.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import adjacent_provenance
from engine.io.base import VolumeReader
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import stated_grid
from engine.io.tiff.voxel_sizes import TiffSizes, dialect_of, sizes_of
from engine.io.xray.tiff import is_tiff, tiff_of


class TiffVolume(VolumeReader):
    """TIFF stack, OME-TIFF or stack of ImageJ that says the size of a voxel."""

    name: ClassVar[str] = "TIFF stack with voxel sizes"
    suffixes: ClassVar[tuple[str, ...]] = (".tif", ".tiff")

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        return dialect_of(file)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_tiff(file.head) and sizes_of(file) is not None

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        said = sizes_of(file) or TiffSizes((1.0, 1.0, 1.0))
        numbers = tiff_of(file)
        numbers = numbers[None] if numbers.ndim == 2 else numbers
        if numbers.ndim != 3 or not numbers.size:
            raise FileFormatError(
                f"{file.name}: {numbers.shape} values, expected a stack of slices."
            )
        grid = stated_grid(file.path, numbers.shape, said.voxel_mm, said.centre_mm)
        values = np.empty(numbers.shape, np.float32)
        for k, page in enumerate(numbers):
            values[k] = said.offset + said.slope * page.astype(np.float64)
        refuse_not_finite(file.path, values)
        provenance, notes = adjacent_provenance(file)
        info = provenance if said.axes == "LPS" else {**provenance, "axes": said.axes}
        return Volume(values, grid, said.unit, info, notes)

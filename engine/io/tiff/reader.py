"""Read volumes from TIFF stacks that state their voxel size: pages along z, rows along y.

Stacks without it are not volumes: they can be projections, slices or photographs, and the user has
to state their sizes and order.
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
    """TIFF stack, OME-TIFF or ImageJ stack that states its voxel size."""

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
        """Read the slices as float32 in the unit of the file.

        Parameters
        ----------
        file
            a file that `accepts`; without scale, the stored numbers are the values

        Raises
        ------
        FileFormatError
            if the pages are not a stack of slices, or values are not finite
        GeometryError
            if the stated voxel size or position is not plausible
        """
        said = sizes_of(file) or TiffSizes((1.0, 1.0, 1.0))
        numbers = tiff_of(file)
        # tifffile drops the page axis of a file with one page.
        numbers = numbers[None] if numbers.ndim == 2 else numbers
        if numbers.ndim != 3 or not numbers.size:
            raise FileFormatError(
                f"{file.name}: the array has the shape {numbers.shape}, expected a stack of "
                "slices; export a single volume."
            )
        grid = stated_grid(file.path, numbers.shape, said.voxel_mm, said.centre_mm)
        values = np.empty(numbers.shape, np.float32)
        # Page by page in double precision: the whole stack in float64 would take four times the
        # memory.
        for k, page in enumerate(numbers):
            values[k] = said.offset + said.slope * page.astype(np.float64)
        refuse_not_finite(file.path, values)
        provenance, notes = adjacent_provenance(file)
        # LPS is the default of a volume; other axes must be stated, "xyz" if unknown.
        info = provenance if said.axes == "LPS" else {**provenance, "axes": said.axes}
        return Volume(values, grid, said.unit, info, notes)

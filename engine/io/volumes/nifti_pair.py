"""NIfTI in two files, a header (.hdr) and beside it the values (.img), read by nibabel."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.data.timing.time_frames import FrameVolume
from engine.io.base import FramesReader
from engine.io.folder import open_adjacent
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.open_input import InputFile
from engine.io.volumes.nifti_values import affine_of, clock_of, damage
from engine.io.volumes.patient_images import patient_frames
from engine.io.volumes.straight_axes import LPS_TO_RAS

HEADER_BYTES = 348
Stored = np.dtype[np.generic]
MARK, MARKED = slice(344, 348), b"ni1\0"
VALUES = ".img"
SIZES = (b"\x5c\x01\0\0", b"\0\0\x01\x5c")
"""The length of the header, in both orders of bytes."""


class NiftiPair(FramesReader):
    """NIfTI volume in two files."""

    name: ClassVar[str] = "NIfTI volume in two files"
    format_name: ClassVar[str] = "NIfTI-1 (header and values apart)"
    suffixes: ClassVar[tuple[str, ...]] = (".hdr",)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.head[:4] in SIZES and file.head[MARK] == MARKED

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        try:
            header = import_module("nibabel.nifti1").Nifti1PairHeader(
                file.head[:HEADER_BYTES], check=False
            )
            shape = tuple(int(n) for n in header.get_data_shape())
            kind, start = np.dtype(header.get_data_dtype()), int(header["vox_offset"])
            slope, offset = header.get_slope_inter()
        except damage() as e:
            raise FileFormatError(f"{file.name}: damaged NIfTI header ({e}).") from e
        affine, notes = affine_of(header, file)
        values = adjacent_values(file, shape, (kind, start, slope, offset))
        return patient_frames(
            file, values, LPS_TO_RAS @ affine, "", clock=clock_of(header), notes=notes
        )


def adjacent_values(
    file: InputFile, shape: tuple[int, ...], stored: tuple[Stored, int, float | None, float | None]
) -> NDArray[np.float32]:
    """(n_x, n_y, n_z) values of the `.img` beside a header; a fourth axis is that of frames.

    Parameters
    ----------
    file
        the header
    shape
        of the values; axes after the fourth must count one
    stored
        type, the byte where the values begin, slope and offset; None: 1 and 0
    """
    kind, start, slope, offset = stored
    if len(shape) < 3 or any(n != 1 for n in shape[4:]) or kind.kind not in "iuf":
        raise GeometryError(
            f"{file.name}: {' × '.join(map(str, shape))} values of type {kind}, expected numbers "
            "with three axes or time frames; export one number per voxel."
        )
    shape = shape[:3] if shape[3:4] in ((), (1,)) else shape[:4]
    n_values = int(np.prod(shape, dtype=object))
    with open_adjacent(file.path, f"{file.path.stem}{VALUES}") as image:
        if min(shape) < 1 or start < 0 or start + n_values * kind.itemsize > image.size:
            raise FileFormatError(
                f"{file.name}: counts {' × '.join(map(str, shape))} values, but {image.name} has "
                f"{image.size:,} bytes; it is truncated or damaged."
            )
        refuse_large_data(8 * n_values, file.name)
        spec = (shape, kind, start, 1.0 if slope is None else slope, offset or 0.0)
        proxy = import_module("nibabel.arrayproxy").ArrayProxy(image.stream(), spec, mmap=False)
        with np.errstate(over="ignore", invalid="ignore"):  # refused by who asks
            return np.asarray(proxy, np.float32)

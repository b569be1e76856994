"""NIfTI in two files, a header (.hdr) and beside it the values (.img), read by nibabel.

Headers of Analyze 7.5 look alike and do not say which side is left: they are refused by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from engine.data.volume import Volume
from engine.errors import FileFormatError, GeometryError
from engine.io.base import VolumeReader
from engine.io.budget import refuse_no_room
from engine.io.folder import open_beside
from engine.io.nifti_values import affine_of, damage
from engine.io.open_input import InputFile
from engine.io.straight_axes import LPS_TO_RAS, patient_volume

HEADER_BYTES = 348
MARK = slice(344, 348)
SIZES = (b"\x5c\x01\0\0", b"\0\0\x01\x5c")
"""The length of the header, in both orders of bytes."""


class NiftiPair(VolumeReader):
    """NIfTI volume in two files."""

    name: ClassVar[str] = "NIfTI volume in two files"
    suffixes: ClassVar[tuple[str, ...]] = (".hdr",)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.head[:4] in SIZES and file.path.suffix.lower() in cls.suffixes

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        if file.head[MARK] != b"ni1\0":
            raise GeometryError(
                f"{file.name}: an Analyze header, which does not say which side of the patient is "
                "left; convert it to NIfTI in the program that it is from."
            )
        try:
            header = import_module("nibabel.nifti1").Nifti1PairHeader(
                file.head[:HEADER_BYTES], check=False
            )
            shape = tuple(int(n) for n in header.get_data_shape())
            kind, start = np.dtype(header.get_data_dtype()), int(header["vox_offset"])
            slope, offset = header.get_slope_inter()
        except damage() as e:
            raise FileFormatError(f"{file.name}: damaged NIfTI header ({e}).") from e
        if len(shape) < 3 or any(n != 1 for n in shape[3:]) or kind.kind not in "iuf":
            raise GeometryError(
                f"{file.name}: {' × '.join(map(str, shape))} values of type {kind}, want one "
                "volume of three axes and plain numbers; export a single frame."
            )
        affine = affine_of(header, file)
        n_values = int(np.prod(shape, dtype=object))
        with open_beside(file.path, f"{file.path.stem}.img") as image:
            if min(shape) < 1 or start < 0 or start + n_values * kind.itemsize > image.size:
                raise FileFormatError(
                    f"{file.name}: counts {' × '.join(map(str, shape))} values, and {image.name} "
                    f"has {image.size:,} bytes; it is truncated or damaged."
                )
            refuse_no_room(8 * n_values, file.name)
            spec = (shape[:3], kind, start, 1.0 if slope is None else slope, offset or 0.0)
            proxy = import_module("nibabel.arrayproxy").ArrayProxy(image.stream(), spec, mmap=False)
            with np.errstate(over="ignore", invalid="ignore"):  # refused below
                values = np.asarray(proxy, np.float32)
        return patient_volume(file, values, LPS_TO_RAS @ affine, "")

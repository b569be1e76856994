"""Read and write volumes as MetaImage: a text header, with the values in the file or next to it.

MetaImage uses patient axes as in DICOM (LPS). `TransformMatrix` states the directions of the value
axes, and `Offset` the centre of the first voxel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume, to_patient, to_scanner
from engine.io.auxiliary.sidecar_writers import FileWriter
from engine.io.base import FramesReader
from engine.io.safety.open_input import InputFile
from engine.io.volumes.header_name import named
from engine.io.volumes.metaimage import read_meta_image
from engine.io.volumes.patient_images import patient_frames

MARK = b"ElementDataFile"
UNIT_MARK = "unit "
"""Mark in our comment; the unit of the values follows it."""


class MetaImageVolumes(FramesReader):
    """MetaImage volume."""

    format_name: ClassVar[str] = "MetaImage"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return cls.ends(file.path) and MARK in file.head

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        image = read_meta_image(file)
        affine = np.eye(4)
        affine[:3, :3] = image.directions.T * np.array(image.spacing_mm)
        affine[:3, 3] = image.origin_mm
        values = np.asarray(image.values, np.float32).T  # x, y, z, and t if there are frames
        return patient_frames(file, values, affine, _unit(image.comment))


class MetaImageWriter(FileWriter):
    """MetaImage volume, with provenance in a JSON sidecar."""

    takes_turned: ClassVar[bool] = True
    detail: ClassVar[str] = "for ITK, 3D Slicer and elastix; provenance in a separate file"

    @classmethod
    def content(cls, volume: Volume) -> bytes:
        return _header(volume).encode() + np.ascontiguousarray(volume.values, "<f4").tobytes()


def _header(volume: Volume) -> str:
    grid = volume.grid
    first = [float(grid.centres_mm(axis)[0]) for axis in range(3)]
    matrix = to_patient(volume) @ to_scanner(volume)
    offset = (matrix @ [*first, 1.0])[:3]
    fields = {
        "ObjectType": "Image",
        "NDims": "3",
        "BinaryData": "True",
        "BinaryDataByteOrderMSB": "False",
        "CompressedData": "False",
        # MetaIO lists the direction of one axis after the other, so columns become rows.
        "TransformMatrix": _numbers(matrix[:3, :3].T.ravel()),
        "Offset": _numbers(offset),
        "CenterOfRotation": "0 0 0",
        "ElementSpacing": _numbers(grid.voxel_mm),
        "DimSize": " ".join(str(n) for n in reversed(grid.shape)),
        "Comment": f"{UNIT_MARK}{volume.unit}; {named(volume)}",
        "ElementType": "MET_FLOAT",
        # This field must be the last one.
        "ElementDataFile": "LOCAL",
    }
    return "".join(f"{key} = {value}\n" for key, value in fields.items())


def _numbers(values: Iterable[float]) -> str:
    # Adding 0.0 turns −0 into 0; nine digits restore a float32 exactly.
    return " ".join(f"{value + 0.0:.9g}" for value in values)


def _unit(comment: str) -> str:
    return comment[len(UNIT_MARK) :].partition(";")[0] if comment.startswith(UNIT_MARK) else ""

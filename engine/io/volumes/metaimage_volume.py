"""Volumes as MetaImage: a text header, then the values, in one file (.mha) or beside it (.mhd).

The frame is the patient's as in DICOM (LPS), which MetaImage takes for granted: `TransformMatrix`
says where the axes of the values lead, `Offset` is the middle of the first voxel.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import sidecar_path, write_with_sidecar
from engine.io.base import FramesReader, VolumeWriter
from engine.io.safety.open_input import InputFile
from engine.io.volumes.metaimage import read_meta_image
from engine.io.volumes.patient_images import patient_frames
from engine.io.volumes.slice_frame import to_scanner
from engine.io.volumes.straight_axes import to_patient

MARK = b"ElementDataFile"
UNIT_MARK = "unit "
"""The comment of ours holds the unit of the values after this mark."""


class MetaImageVolumes(FramesReader):
    """MetaImage volume."""

    name: ClassVar[str] = "MetaImage volume"
    format_name: ClassVar[str] = "MetaImage"
    suffixes: ClassVar[tuple[str, ...]] = (".mha", ".mhd")

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return cls.ends(file.path) and MARK in file.head

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        image = read_meta_image(file)
        affine = np.eye(4)
        affine[:3, :3] = image.directions.T * np.array(image.spacing_mm)
        affine[:3, 3] = image.origin_mm
        values = np.asarray(image.values, np.float32).T  # x, y, z, and t of frames
        return patient_frames(file, values, affine, _unit(image.comment))


class MetaImageWriter(VolumeWriter):
    """MetaImage volume, with its provenance in a JSON file beside it."""

    name: ClassVar[str] = "MetaImage volume"
    suffixes: ClassVar[tuple[str, ...]] = (".mha",)
    takes_turned: ClassVar[bool] = True
    detail: ClassVar[str] = "for ITK, 3D Slicer and elastix; provenance in a separate file"

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, sidecar_path(path)

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        values = np.ascontiguousarray(volume.values, "<f4")
        content = _header(volume).encode() + values.tobytes()
        write_with_sidecar(path, content, volume.unit, provenance)


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
        "TransformMatrix": _numbers(matrix[:3, :3].T.ravel()),  # a row: where one axis leads
        "Offset": _numbers(offset),
        "CenterOfRotation": "0 0 0",
        "ElementSpacing": _numbers(grid.voxel_mm),
        "DimSize": " ".join(str(n) for n in reversed(grid.shape)),
        "Comment": f"{UNIT_MARK}{volume.unit}; Isocenter, not for clinical use",
        "ElementType": "MET_FLOAT",
        "ElementDataFile": "LOCAL",
    }
    return "".join(f"{key} = {value}\n" for key, value in fields.items())


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value + 0.0:.9g}" for value in values)


def _unit(comment: str) -> str:
    return comment[len(UNIT_MARK) :].partition(";")[0] if comment.startswith(UNIT_MARK) else ""

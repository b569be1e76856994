"""NIfTI volumes: RAS millimetres in the file, LPS millimetres here.

The array is stored as it is, x fastest; the affine says to which sides of the patient its axes
lead, so readers that honour it see the same points on the same sides as our views do.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from engine.data.time_frames import MS, FrameVolume
from engine.data.volume import Volume
from engine.io.base import VolumeReader, VolumeWriter
from engine.io.gzip_blocks import gzipped
from engine.io.nifti_values import affine_of, library, magic_of, read_nifti
from engine.io.open_input import InputFile
from engine.io.provenance_file import sidecar_path, write_with_sidecar
from engine.io.slice_frame import to_scanner
from engine.io.straight_axes import LPS_TO_RAS, patient_volume
from engine.plain import Plain

UNIT_MARK = "unit "
"""The header's description holds the unit of the values after this mark."""


class Nifti(VolumeReader):
    """NIfTI volume."""

    name: ClassVar[str] = "NIfTI volume"
    suffixes: ClassVar[tuple[str, ...]] = (".nii", ".nii.gz")

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return cls.ends(file.path) or magic_of(file.head) is not None

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        header, values = read_nifti(file)
        affine = affine_of(header, file)
        return patient_volume(file, values, LPS_TO_RAS @ affine, _unit(header))


class NiftiWriter(VolumeWriter):
    """NIfTI volume, with its provenance in a JSON file beside it."""

    name: ClassVar[str] = "NIfTI volume"
    suffixes: ClassVar[tuple[str, ...]] = (".nii.gz", ".nii")
    takes_turned: ClassVar[bool] = True
    detail: ClassVar[str] = "for other programs; provenance beside it"

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, sidecar_path(path)

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_with_sidecar(path, packed(nifti_bytes(volume), path), volume.unit, provenance)


def nifti_bytes(
    volume: Volume, frames: Sequence[FrameVolume] = (), *, whole: bool = False
) -> bytes:
    """Return a volume as an uncompressed NIfTI-1 file, the same bytes every time.

    Of `frames`, which lie where the volume does, the values are taken instead: [t, z, y, x].
    `whole` values are labels, and stored as int16.
    """
    nibabel, grid = library(), volume.grid
    corner_mm = [float(grid.centres_mm(axis)[0]) for axis in range(3)]
    affine = np.diag([*grid.voxel_mm, 1.0])
    affine[:3, 3] = corner_mm
    heads_up = np.diag([1.0, 1.0, volume.head_sign, 1.0])
    affine = LPS_TO_RAS @ heads_up @ to_scanner(volume) @ affine
    kind = np.int16 if whole else np.float32
    values = np.ascontiguousarray(volume.values, kind)
    if frames:
        values = np.stack([each.volume.values for each in frames])
    image = nibabel.Nifti1Image(values.T, affine)
    header = image.header
    lengths = {each.frame.duration_s for each in frames}
    steps = set(np.diff([each.frame.start_ms for each in frames]) / MS) or lengths
    gated = any(each.frame.gate for each in frames)
    if len(lengths) == len(steps) == 1 and not gated:  # others have no place in the header
        header["pixdim"][4] = steps.pop()
        header["toffset"] = frames[0].frame.start_s
    header.set_data_dtype(kind)
    header.set_slope_inter(1, 0)
    header.set_xyzt_units("mm", "sec")
    header["descrip"] = f"{UNIT_MARK}{volume.unit}; Isocenter, not for clinical use".encode()[:79]
    image.set_sform(affine, code=1)
    image.set_qform(affine, code=1)
    return bytes(image.to_bytes())


def packed(content: bytes, path: Path) -> bytes:
    """Return the bytes of a file by its ending."""
    return gzipped(content) if path.name.lower().endswith(".gz") else content


def _unit(header: Any) -> str:
    text = bytes(header["descrip"]).rstrip(b"\0").decode("utf-8", errors="ignore")
    return text[len(UNIT_MARK) :].partition(";")[0] if text.startswith(UNIT_MARK) else ""

"""Read and write NIfTI volumes: RAS millimetres in the file, LPS millimetres here.

The array is stored as it is, x fastest. The affine states the patient sides to which its axes
point, so programs that use it show the same points on the same sides as our views.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from engine.core.arrays import Array, release_pages
from engine.core.json_types import Plain
from engine.data.timing.time_frames import MS, FrameVolume
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import (
    stream_with_sidecar,
    write_with_sidecar,
)
from engine.io.auxiliary.sidecar_writers import SidecarWriter
from engine.io.base import FramesReader
from engine.io.safety.gzip_blocks import gzip_pieces, gzipped
from engine.io.safety.open_input import InputFile
from engine.io.volumes.nifti_values import (
    Header,
    affine_of,
    clock_of,
    library,
    magic_of,
    read_nifti,
)
from engine.io.volumes.patient_images import patient_frames
from engine.io.volumes.straight_axes import LPS_TO_RAS

UNIT_MARK = "unit "
"""Mark in the description of the header; the unit of the values follows it."""

MAX_INTENT_CHARACTERS = 15
"""Letters of `intent_name`, which ends with 0."""


class Nifti(FramesReader):
    """NIfTI volume."""

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        return "NIfTI-2" if magic_of(file.head) == "n+2" else "NIfTI-1"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return cls.ends(file.path) or magic_of(file.head) is not None

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        header, values = read_nifti(file)
        affine, notes = affine_of(header, file)
        clock = clock_of(header)
        return patient_frames(
            file, values, LPS_TO_RAS @ affine, _unit(header), clock=clock, notes=notes
        )


class NiftiWriter(SidecarWriter):
    """NIfTI volume, with provenance in a JSON sidecar."""

    in_pieces: ClassVar[bool] = True
    takes_turned: ClassVar[bool] = True
    detail: ClassVar[str] = "for other programs; provenance in a separate file"

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        # Volumes larger than the memory are in a file and are written slice by slice.
        if not volume.is_in_file:
            write_with_sidecar(path, packed(nifti_bytes(volume), path), volume.unit, provenance)
            return
        pieces, n_bytes = nifti_pieces(volume), volume.values.nbytes
        pieces = gzip_pieces(pieces) if is_packed(path) else pieces
        stream_with_sidecar(path, pieces, n_bytes, volume.unit, provenance)


def nifti_bytes(
    volume: Volume, frames: Sequence[FrameVolume] = (), *, whole: bool = False
) -> bytes:
    """Return a volume as an uncompressed NIfTI-1 file; equal volumes give equal bytes.

    Parameters
    ----------
    volume
        image, or sum of the frames
    frames
        on the grid of the volume; they are written instead, [t, z, y, x]
    whole
        True: values are labels and are stored as int16, otherwise as float32
    """
    kind = np.int16 if whole else np.float32
    values = np.ascontiguousarray(volume.values, kind)
    if frames:
        values = np.stack([each.volume.values for each in frames])
    return bytes(_image(volume, values, frames).to_bytes())


def nifti_pieces(volume: Volume) -> Iterator[bytes | memoryview]:
    """Yield the bytes of `nifti_bytes` for a volume larger than the memory.

    Parameters
    ----------
    volume
        its values can be in a file; they are read slice by slice
    """
    # The header needs shape and type only; a broadcast zero takes no memory.
    image = _image(volume, np.broadcast_to(np.float32(0), volume.grid.shape))
    image.update_header()
    head = BytesIO()
    image.header.write_to(head)
    yield head.getvalue()
    for values in volume.values:
        yield np.ascontiguousarray(values, "<f4").reshape(-1).view(np.uint8).data
        # Let the system drop the pages that were just read.
        release_pages(volume.values)


def _image(volume: Volume, values: Array, frames: Sequence[FrameVolume] = ()) -> Any:
    """Return [z, y, x] or [t, z, y, x] values as an image of nibabel, placed like a volume."""
    nibabel, affine = library(), LPS_TO_RAS @ volume.affine
    image = nibabel.Nifti1Image(values.T, affine)
    header = image.header
    lengths = {each.frame.duration_s for each in frames}
    steps = set(np.diff([each.frame.start_ms for each in frames]) / MS) or lengths
    gated = any(each.frame.gate for each in frames)
    # The header can state one step only; other times are in the provenance.
    if len(lengths) == len(steps) == 1 and not gated:
        header["pixdim"][4] = steps.pop()
        header["toffset"] = frames[0].frame.start_s
    header.set_data_dtype(values.dtype)
    header.set_slope_inter(1, 0)
    header.set_xyzt_units("mm", "sec")
    stated = volume.quantity or "Isocenter"
    mark = "; " if volume.quantity else ", "
    # `descrip` has 80 bytes. The last one must be 0.
    header["descrip"] = f"{UNIT_MARK}{volume.unit}; {stated}{mark}not for clinical use".encode()[
        :79
    ]
    if volume.quantity:
        # NIfTI-1: the value of each voxel is an estimate of the parameter with this name.
        header.set_intent("estimate", name=volume.quantity[:MAX_INTENT_CHARACTERS])
    # Both forms, because some programs read only one of them. Code 1: scanner coordinates.
    image.set_sform(affine, code=1)
    image.set_qform(affine, code=1)
    return image


def packed(content: bytes, path: Path) -> bytes:
    """Return the content of a file, compressed if its name ends with .gz.

    Parameters
    ----------
    content
        uncompressed bytes
    path
        output file
    """
    return gzipped(content) if is_packed(path) else content


def is_packed(path: Path) -> bool:
    """Return True if a file name ends with .gz."""
    return path.name.lower().endswith(".gz")


def _unit(header: Header) -> str:
    text = bytes(header["descrip"]).rstrip(b"\0").decode("utf-8", errors="ignore")
    return text[len(UNIT_MARK) :].partition(";")[0] if text.startswith(UNIT_MARK) else ""

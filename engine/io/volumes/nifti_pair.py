"""Read NIfTI or Analyze 7.5 in two files, a header (.hdr) and its values (.img), with nibabel.

Analyze: value = stored · scale; SPM writes the scale into `funused1`, otherwise it is 1.

The header does not state the patient's left side, and programs differ. Images therefore have no
orientation letters, and x, y and z follow the array indices.
"""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.base import FramesReader
from engine.io.folder import open_adjacent
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.not_numbers import nan_as_zero
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import stated_grid
from engine.io.volumes.frame_stack import framed
from engine.io.volumes.nifti_values import affine_of, clock_of, damage
from engine.io.volumes.patient_images import patient_frames
from engine.io.volumes.straight_axes import LPS_TO_RAS, NO_SIDES

HEADER_BYTES = 348
Stored = np.dtype[np.generic]
MARK, MARKED = slice(344, 348), b"ni1\0"
VALUES = ".img"
SIZES = (b"\x5c\x01\0\0", b"\0\0\x01\x5c")
"""Size of the header, in both byte orders."""
NOTE = (
    "An Analyze header does not state the patient's left side, so the image has no orientation "
    "letters."
)


class NiftiPair(FramesReader):
    """NIfTI volume in two files."""

    format_name: ClassVar[str] = "NIfTI-1 (separate header and values)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.head[:4] in SIZES and file.head[MARK] == MARKED

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        try:
            header = import_module("nibabel.nifti1").Nifti1PairHeader(
                # check=False: nibabel would refuse or correct fields that we check with better
                # messages.
                file.head[:HEADER_BYTES],
                check=False,
            )
            shape = tuple(int(n) for n in header.get_data_shape())
            kind, start = np.dtype(header.get_data_dtype()), int(header["vox_offset"])
            slope, offset = header.get_slope_inter()
        except damage() as e:
            raise FileFormatError(
                f"{file.name}: damaged NIfTI header ({e}); copy or export the file again."
            ) from e
        affine, notes = affine_of(header, file)
        values = adjacent_values(file, shape, (kind, start, slope, offset))
        return patient_frames(
            file, values, LPS_TO_RAS @ affine, "", clock=clock_of(header), notes=notes
        )


def adjacent_values(
    file: InputFile, shape: tuple[int, ...], stored: tuple[Stored, int, float | None, float | None]
) -> NDArray[np.float32]:
    """Return the values (n_x, n_y, n_z) of the `.img` of a header; a fourth axis is time.

    Parameters
    ----------
    file
        the header
    shape
        stated shape; axes after the fourth must have length 1
    stored
        type, first byte of the values, slope (None: 1) and offset (None: 0)

    Raises
    ------
    GeometryError
        if this is not a volume of real numbers
    FileFormatError
        if the `.img` is missing or too short
    """
    kind, start, slope, offset = stored
    if len(shape) < 3 or any(n != 1 for n in shape[4:]) or kind.kind not in "iuf":
        raise GeometryError(
            f"{file.name}: has {' × '.join(map(str, shape))} values of type {kind}, expected a 3D "
            "array of real numbers (4D with time frames); export one number per voxel."
        )
    # A fourth axis of length 1 is not a series.
    shape = shape[:3] if shape[3:4] in ((), (1,)) else shape[:4]
    n_values = int(np.prod(shape, dtype=object))
    with open_adjacent(file.path, f"{file.path.stem}{VALUES}") as image:
        if min(shape) < 1 or start < 0 or start + n_values * kind.itemsize > image.size:
            raise FileFormatError(
                f"{file.name}: states {' × '.join(map(str, shape))} values, but {image.name} has "
                f"only {image.size:,} bytes; copy both files again."
            )
        refuse_large_data(8 * n_values, file.name)
        spec = (shape, kind, start, 1.0 if slope is None else slope, offset or 0.0)
        proxy = import_module("nibabel.arrayproxy").ArrayProxy(image.stream(), spec, mmap=False)
        with np.errstate(over="ignore", invalid="ignore"):  # the caller refuses infinite values
            return np.asarray(proxy, np.float32)


class AnalyzeVolume(FramesReader):
    """Analyze 7.5 volume."""

    format_name: ClassVar[str] = "Analyze 7.5"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        is_long = len(file.head) >= HEADER_BYTES and file.head[:4] in SIZES
        # NIfTI pairs have the same header size and ending; only their magic differs.
        return is_long and file.head[MARK.start : MARK.stop - 1] not in (b"n+1", b"ni1")

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        try:
            header = import_module("nibabel.spm99analyze").Spm99AnalyzeHeader(
                file.head[:HEADER_BYTES], check=False
            )
            shape = tuple(int(n) for n in header.get_data_shape())
            # SPM marks a flipped x axis by a negative voxel size.
            edges = [abs(float(edge)) for edge in header.get_zooms()[:3]]
            kind, start = np.dtype(header.get_data_dtype()), int(header["vox_offset"])
            scale = header.get_slope_inter()[0]
        except damage() as e:
            raise FileFormatError(
                f"{file.name}: damaged Analyze header ({e}); copy the file again."
            ) from e
        values, notes = nan_as_zero(
            file.path, adjacent_values(file, shape, (kind, start, scale, 0.0))
        )
        refuse_not_finite(file.path, values.T)
        # The origin that SPM stores is in voxels and often 0, so the grid is centred.
        grid = stated_grid(file.path, shape[2::-1], edges, (0.0, 0.0, 0.0))
        stack = np.ascontiguousarray(values.T)  # [t, z, y, x], or [z, y, x]
        first = stack if stack.ndim == 3 else stack[0]
        like = Volume(first, grid, "", {"axes": NO_SIDES}, (NOTE, *notes))
        return framed(file.path, stack, like)

"""Read Analyze 7.5 volumes: a header (.hdr) and its values (.img), with nibabel.

value = stored · scale; SPM writes the scale into `funused1`, otherwise it is 1.

The header does not state the patient's left side, and programs differ. Images therefore have no
orientation letters, and x, y and z follow the array indices.
"""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.base import FramesReader
from engine.io.safety.not_numbers import nan_as_zero
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import stated_grid
from engine.io.volumes.frame_stack import framed
from engine.io.volumes.nifti_pair import HEADER_BYTES, MARK, SIZES, adjacent_values
from engine.io.volumes.nifti_values import damage
from engine.io.volumes.straight_axes import NO_SIDES

NOTE = (
    "An Analyze header does not state the patient's left side, so the image has no orientation "
    "letters."
)


class AnalyzeVolume(FramesReader):
    """Analyze 7.5 volume."""

    name: ClassVar[str] = "Analyze 7.5 volume"
    format_name: ClassVar[str] = "Analyze 7.5"
    suffixes: ClassVar[tuple[str, ...]] = (".hdr",)

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

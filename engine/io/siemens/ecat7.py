"""ECAT 7 volumes (.v): one or more time frames, big-endian values after a header each.

    The main header has 512 bytes. Directories of 512 bytes follow, 32 rows of 4 int32. The first
    row of a directory states the block of the next directory and the number of used rows. Each
    other row states the number of an image and its first and last block (512 bytes, from 1). An
    image is a header of one block, then its values, x fastest, z slowest.

    value = stored · scale factor · calibration factor

Number of an image: bits 0 to 8 frame, 12 to 15 bed position, 24 to 29 gate.
Publications differ about the patient side at which x and z begin, so images have no letters.

References
----------
Header fields as in nibabel's module `ecat`; the directory as in its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.io.base import FramesReader
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import stated_grid
from engine.io.volumes.straight_axes import NO_SIDES

MAGIC = b"MATRIX7"
BLOCK = 512
MAX_IMAGES = 1000
FIRST_DIRECTORY = 2
ROWS = 32
VOLUMES = {6: "bytes", 7: "16-bit integers", 14: "numbers"}
"""File types that contain volumes."""
TYPES = {5: ">f4", 6: ">i2", 7: ">i4"}
"""Codes of value types (IEEE and Sun) -> NumPy type."""
BECQUEREL = ("bq/cc", "bq/ml")
MM_PER_CM = 10.0
DAMAGED = "Copy the file again, or export it as DICOM or NIfTI."


class Ecat7(FramesReader):
    """ECAT 7 volume."""

    format_name: ClassVar[str] = "ECAT 7"

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        return _Study.of(file).frames()


@dataclass(frozen=True)
class _Study:
    """A file with its main header and directory."""

    file: InputFile
    main: np.void
    starts: dict[int, tuple[int, int]]
    """Frame -> first and last block."""

    @classmethod
    def of(cls, file: InputFile) -> _Study:
        from nibabel.ecat import hdr_dtype

        if file.size < BLOCK:
            raise FileFormatError(f"{file.name}: ends within its header. {DAMAGED}")
        main = np.frombuffer(file.read(BLOCK, 0), hdr_dtype.newbyteorder(">"), 1)[0]
        kind = int(main["file_type"])
        if kind not in VOLUMES:
            raise FileFormatError(
                f"{file.name}: an ECAT 7 file of type {kind} contains no volume; open the image "
                "reconstructed from it."
            )
        return cls(file, main, _by_frames(file))

    def frames(self) -> tuple[FrameVolume, ...]:
        """Read all images, in the order of their times.

        Raises
        ------
        FileFormatError
            if the file is damaged, or has several bed positions or gates
        GeometryError
            if frames overlap or have different voxels
        """
        from nibabel.ecat import subhdr_dtype

        kind, found = subhdr_dtype.newbyteorder(">"), []
        for number, (start, end) in sorted(self.starts.items()):
            # Block numbers start at 1. A header cut short is padded with zeros, and its sizes of 0
            # are refused below.
            header = self.file.read(BLOCK, (start - 1) * BLOCK).ljust(BLOCK, b"\0")
            found.append(self._frame(number, np.frombuffer(header, kind, 1)[0], start, end))
        found.sort(key=lambda each: each.frame.start_ms)
        for one, other in pairwise(found):
            if other.frame.start_ms < one.frame.end_ms or one.volume.grid != other.volume.grid:
                raise GeometryError(
                    f"{self.file.name}: frames {one.frame.describe()} and {other.frame.describe()} "
                    f"overlap or have different voxel grids. {DAMAGED}"
                )
        return tuple(found)

    def _frame(self, number: int, stated: np.void, start: int, end: int) -> FrameVolume:
        name = f"{self.file.name}, frame {number}"
        shape = tuple(int(stated[f"{axis}_dimension"]) for axis in "zyx")
        # ECAT 7 stores lengths in cm and times in ms.
        edges = [MM_PER_CM * float(stated[f"{axis}_pixel_size"]) for axis in "xyz"]
        grid = stated_grid(self.file.path, shape, edges, (0.0, 0.0, 0.0))
        values = self._values(name, stated, grid.shape, start, end)
        begin, length = int(stated["frame_start_time"]), int(stated["frame_duration"])
        # A single image may state no duration. Frames of a series need one.
        if begin < 0 or (length <= 0 and len(self.starts) > 1):
            raise FileFormatError(
                f"{name}: starts at {begin} ms and lasts {length} ms, expected a start of at least "
                f"0 ms and a duration above 0 ms. {DAMAGED}"
            )
        unit, info = self._facts()
        volume = Volume(values, grid, unit, info, self._notes(stated))
        # A time frame of 0 ms would be invalid.
        return FrameVolume(TimeFrame(begin, begin + max(length, 1)), volume)

    def _values(
        self, name: str, stated: np.void, shape: tuple[int, ...], start: int, end: int
    ) -> NDArray[np.float32]:
        stored = TYPES.get(int(stated["data_type"]))
        if stored is None:
            raise FileFormatError(
                f"{name}: the data type is {int(stated['data_type'])}, expected 5, 6 or 7. "
                f"{DAMAGED}"
            )
        # dtype=object: int64 could overflow with damaged dimensions.
        n_bytes = int(np.prod(shape, dtype=object)) * np.dtype(stored).itemsize
        # The image's own header takes the first block, so values start at byte start · 512.
        there = min((end - start) * BLOCK, self.file.size - start * BLOCK)
        if n_bytes > there:
            raise FileFormatError(
                f"{name}: expected {n_bytes:,} bytes of values, but found {max(there, 0):,}. "
                f"{DAMAGED}"
            )
        # Stored, float64 and float32 values are in memory at the same time.
        refuse_large_data(3 * n_bytes, name)
        values = np.frombuffer(self.file.read(n_bytes, start * BLOCK), stored).reshape(shape)
        factor = float(stated["scale_factor"]) * (
            # Uncalibrated files state 0.
            float(self.main["ecat_calibration_factor"]) or 1.0
        )
        scaled = (values.astype(np.float64) * factor).astype(np.float32)
        refuse_not_finite(self.file.path, scaled)
        return scaled

    def _facts(self) -> tuple[str, Plain]:
        stated = _text(self.main["data_units"]).lower()
        unit = "Bq/mL" if stated in BECQUEREL else ""
        info: Plain = {"format": Ecat7.name, "axes": NO_SIDES}
        isotope = _text(self.main["isotope_name"])
        return unit, info | ({"isotope": isotope} if isotope else {})

    def _notes(self, stated: np.void) -> tuple[str, ...]:
        notes = ["The patient position is ambiguous, so the image has no orientation letters."]
        # The direction of the offset depends on the axes, which are ambiguous.
        if any(float(stated[f"{axis}_offset"]) for axis in "xyz"):
            notes.append("The offset in its header is not applied.")
        if _text(self.main["data_units"]).lower() not in BECQUEREL:
            notes.append("Its header does not state Bq/mL, so the unit of its values is unknown.")
        return tuple(notes)


def _by_frames(file: InputFile) -> dict[int, tuple[int, int]]:
    """Return first and last block of each frame."""
    found: dict[int, tuple[int, int]] = {}
    for number, start, end in _directory(file):
        frame, bed, gate = number & 0x1FF, number >> 12 & 0xF, number >> 24 & 0x3F
        # Images without gates have gate 0 or 1.
        if bed or gate > 1 or frame in found:
            raise FileFormatError(
                f"{file.name}: contains several bed positions or gates; export a single bed "
                "position or gate."
            )
        # Blocks 1 and 2 are main header and first directory.
        if not FIRST_DIRECTORY < start <= end or len(found) >= MAX_IMAGES:
            raise FileFormatError(
                f"{file.name}: damaged directory (blocks {start} to {end}). {DAMAGED}"
            )
        found[frame] = (start, end)
    if not found:
        raise FileFormatError(f"{file.name}: contains no image. {DAMAGED}")
    return found


def _directory(file: InputFile) -> Iterator[tuple[int, int, int]]:
    """Yield number, first and last block of each image, up to a directory that was read before."""
    block, seen = FIRST_DIRECTORY, set[int]()
    # The last directory refers to the first one. `seen` also ends circles of damaged files.
    while block not in seen:
        seen.add(block)
        content = file.read(BLOCK, (block - 1) * BLOCK) if block > 0 else b""
        if len(content) < BLOCK:
            raise FileFormatError(f"{file.name}: its list of images ends too early. {DAMAGED}")
        # Row 0: free rows, next directory, previous directory, used rows.
        rows = np.frombuffer(content, ">i4").reshape(ROWS, 4)
        n_used = int(rows[0, 3])
        if not 0 <= n_used < ROWS:
            raise FileFormatError(
                f"{file.name}: states {n_used} images in one directory, expected 0 to {ROWS - 1}. "
                f"{DAMAGED}"
            )
        for number, start, end, _ in rows[1 : n_used + 1].tolist():
            yield number, start, end
        block = int(rows[0, 1])


def _text(stored: bytes) -> str:
    return bytes(stored).split(b"\0")[0].decode("ascii", "replace").strip()

"""Read complete DICOM objects, for pixels, regions, sending and `--like`.

Limits hold before anything is unpacked: deflated files, declared frames and nested sequences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.errors import FileFormatError
from engine.io.dicom.bounded_stream import BoundedStream
from engine.io.dicom.headers import REMEDY, read_dataset
from engine.io.dicom.nesting import refuse_deep
from engine.io.safety.open_input import InputFile

if TYPE_CHECKING:
    from pydicom.dataset import Dataset


def read_object(file: InputFile, *, pixels: bool = True, may_be_deflated: bool = False) -> Dataset:
    """Read a DICOM object, with or without preamble.

    Parameters
    ----------
    file
        open file
    pixels
        False stops before the pixels
    may_be_deflated
        True to accept a deflated object of limited size

    Returns
    -------
    dataset
        all attributes

    Raises
    ------
    FileFormatError
        if the file is deflated and too large or not accepted, or states an impossible number of
        frames
    Exception
        one of `headers.damage()` if the file is damaged
    """
    stream = BoundedStream(file, is_whole=True, may_be_deflated=may_be_deflated)
    found = read_dataset(stream, has_pixels=pixels)
    refuse_deep(found)
    _refuse_impossible_frames(found, file)
    return found


def _refuse_impossible_frames(found: Dataset, file: InputFile) -> None:
    stated = found.get("NumberOfFrames")
    if stated is None or str(stated).strip() in ("", "0"):  # some programs write 0 for one image
        return
    n_frames = int(str(stated))
    # Each frame needs at least one byte; a header alone must not reserve memory for all of them.
    if not 1 <= n_frames <= file.size:
        raise FileFormatError(
            f"{file.name}: the header states {n_frames:,} frames, which is impossible for a file "
            f"of {file.size:,} bytes. {REMEDY}"
        )

"""Decode the pixel values of slices: intercept + slope · number, for each slice.

pydicom decodes compressed pixels with the installed libraries: RLE always, JPEG and JPEG 2000 with
Pillow, lossless JPEG and JPEG-LS with GDCM, which is optional.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, ResourceError
from engine.io.dicom.headers import REMEDY, Header, damage, reason_of, without_warnings
from engine.io.dicom.object_reader import read_object
from engine.io.dicom.slices import Slice
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.open_input import open_input

AIR_HU = -1000.0
EXTRA = "pip install 'isocenter[dicom]'"


def values_of(
    headers: Sequence[Header], ordered: Sequence[Slice], *, padding: float | None
) -> NDArray[np.float32]:
    """Return the values of slices.

    Parameters
    ----------
    headers
        headers of the files of the series
    ordered
        its slices in the wanted order
    padding
        value for pixels outside the reconstructed field; None keeps the stored value

    Returns
    -------
    values
        (slice, row, column), float32

    Raises
    ------
    FileFormatError
        if pixels are missing or damaged
    ResourceError
        if no decoder is installed, or the values do not fit in memory
    """
    first = headers[0].dataset
    rows, columns = int(first.Rows), int(first.Columns)
    refuse_large_data(4 * rows * columns * len(ordered), headers[0].path.name)
    by_path = {header.path: header for header in headers}
    values = np.empty((len(ordered), rows, columns), np.float32)
    # By file, not by position: an Enhanced file with many slices is decoded only once.
    places = sorted(range(len(ordered)), key=lambda k: (str(ordered[k].path), ordered[k].frame))
    for path, of_file in groupby(places, key=lambda k: ordered[k].path):
        frames = _frames(by_path[path], rows, columns)
        for k in of_file:
            values[k] = _scaled(by_path[path], ordered[k], frames, padding)
    return values


def _scaled(
    header: Header, one: Slice, frames: NDArray[np.generic], padding: float | None
) -> NDArray[np.float32]:
    if one.frame >= len(frames):
        raise FileFormatError(
            f"{header.path.name}: the number of frames is {len(frames)}, expected at least "
            f"{one.frame + 1}. {REMEDY}"
        )
    # In PET, slope and intercept can differ from slice to slice, to use the full range of 16 bits.
    numbers = frames[one.frame].astype(np.float64)
    values = one.intercept + one.slope * numbers
    unseen = header.dataset.get("PixelPaddingValue")
    if padding is not None and unseen is not None:
        limit = header.dataset.get("PixelPaddingRangeLimit")
        # The padding is a range if PixelPaddingRangeLimit is stated, in either order (PS3.3,
        # C.7.5.1.1.2).
        low, high = sorted((float(unseen), float(unseen if limit is None else limit)))
        values[(numbers >= low) & (numbers <= high)] = padding
    return values.astype(np.float32)


def _frames(header: Header, rows: int, columns: int) -> NDArray[np.generic]:
    name = header.path.name
    with without_warnings(), open_input(header.path) as file:
        try:
            dataset = read_object(file)
        except damage() as e:
            raise FileFormatError(
                f"{name}: damaged DICOM file. Export the series again. Reason: {reason_of(e)}."
            ) from e
        # The file is opened a second time here, and can have been replaced since its header was
        # read.
        if "SeriesInstanceUID" in dataset and str(dataset.SeriesInstanceUID) != header.series:
            raise FileFormatError(
                f"{name}: this file was replaced by a file from another series; open the scan "
                "again."
            )
        # Asked before decoding, because pydicom reports a missing decoder like damaged pixels.
        _refuse_packed(dataset.file_meta.get("TransferSyntaxUID"), name)
        try:
            found = np.asarray(dataset.pixel_array)
        except damage() as e:
            raise FileFormatError(
                f"{name}: its pixels cannot be read; export the series again without compression. "
                f"Reason: {reason_of(e)}."
            ) from e
    # pydicom returns (rows, columns) for one frame and (frames, rows, columns) for several.
    frames = found.reshape(-1, *found.shape[-2:])
    if frames.shape[1:] != (rows, columns):
        raise FileFormatError(
            f"{name}: the images have {frames.shape[1]} x {frames.shape[2]} pixels, but the header "
            f"states {rows} x {columns} (rows x columns). {REMEDY}"
        )
    return frames


def _refuse_packed(syntax: object, name: str) -> None:
    """Refuse compressed pixels for which no decoder is installed."""
    from pydicom.pixels.decoders.base import get_decoder
    from pydicom.uid import UID

    uid = UID(str(syntax or ""))
    if not uid.is_transfer_syntax or not uid.is_compressed or not uid.is_encapsulated:
        return
    try:
        is_there = get_decoder(uid).is_available
    except NotImplementedError:
        is_there = False
    if not is_there:
        raise ResourceError(
            f"{name}: no decoder is installed for its pixel data ({uid.name}); install one "
            f"(`{EXTRA}`), or export the series again without compression."
        )

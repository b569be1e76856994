"""Volumes as a TIFF stack of whole numbers: a page for each slice, and how to get values back.

value = offset + slope · number. The steps are equal from the smallest to the largest value of the
volume, so that no value is further from its own than half of one.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import sidecar_path, write_with_sidecar
from engine.io.base import VolumeWriter
from engine.io.text.json_text import to_json
from engine.io.volumes.slice_frame import FRAME

STEPS = 2**16 - 1
"""From the smallest number to the largest."""
LARGEST_BYTES = 2**32 - 2**25
"""Beyond it the places within a file take eight bytes."""


class TiffWriter(VolumeWriter):
    """TIFF stack of 16-bit numbers, with its provenance in a JSON file beside it."""

    name: ClassVar[str] = "TIFF stack"
    suffixes: ClassVar[tuple[str, ...]] = (".tif", ".tiff")
    takes_turned: ClassVar[bool] = True
    detail: ClassVar[str] = (
        "16-bit slices for viewers; scale in the file, provenance in a separate file"
    )

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, sidecar_path(path)

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_with_sidecar(path, tiff_bytes(volume), volume.unit, provenance)


def tiff_bytes(volume: Volume) -> bytes:
    """Return a volume as a TIFF file, the same bytes every time."""
    import tifffile

    numbers, slope, offset = scaled(volume.values)
    said: Plain = {
        "slope": slope,
        "offset": offset,
        "unit": volume.unit,
        "axes": f"z, y, x; {volume.axes}",
        "voxel_mm": list(volume.grid.voxel_mm),
        "centre_mm": list(volume.grid.centre_mm),
        "note": "Isocenter, not for clinical use; value = offset + slope * number",
    }
    if FRAME in volume.info:  # the centre is that of its own axes
        said[FRAME] = volume.info[FRAME]
    stream = BytesIO()
    tifffile.imwrite(
        stream,
        numbers,
        bigtiff=numbers.nbytes > LARGEST_BYTES,
        photometric="minisblack",
        description=to_json(said).encode(),
        metadata=None,
        software=False,
        byteorder="<",
    )
    return stream.getvalue()


def scaled(values: Array) -> tuple[NDArray[np.uint16], float, float]:
    """Return whole numbers, the slope and the offset that give the values back.

    Parameters
    ----------
    values
        finite, of any sign

    Returns
    -------
    numbers
        0 to 65,535
    slope
        1 where all values are the same
    offset
        the smallest value
    """
    low, high = (float(end) for end in (values.min(), values.max()))
    slope = (high - low) / STEPS or 1.0
    numbers = np.empty(values.shape, np.uint16)
    for k, part in enumerate(values):  # slice by slice, in double precision
        numbers[k] = np.clip(np.rint((part.astype(np.float64) - low) / slope), 0, STEPS)
    return numbers, slope, low

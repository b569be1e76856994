"""Write volumes as TIFF: 16-bit integers with their scale, or OME-TIFF, one page for each slice.

16 bits: value = offset + slope · number. 65,535 equal steps cover the range of the volume, so the
rounding error is at most half a step.

Write volumes as OME-TIFF: unscaled float32 slices with a voxel size for every viewer.

In OME, x grows to the right and y downwards on the screen, as in our slices. An annotation holds
the centre of the volume, its unit and its patient axes.
"""

from __future__ import annotations

from io import BytesIO
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.data.volume import FRAME, Volume
from engine.io.auxiliary.sidecar_writers import FileWriter
from engine.io.text.json_text import to_json
from engine.io.tiff.reader import OURS
from engine.io.volumes.header_name import named

STEPS = 2**16 - 1
"""Steps from the smallest value to the largest."""
LARGEST_BYTES = 2**32 - 2**25
"""Larger files need BigTIFF with 64-bit offsets; 32 MiB are left for the page headers."""


class TiffWriter(FileWriter):
    """TIFF stack of 16-bit numbers, with provenance in a JSON sidecar."""

    takes_turned: ClassVar[bool] = True
    detail: ClassVar[str] = (
        "16-bit slices for viewers; scale in the file, provenance in a separate file"
    )

    @classmethod
    def content(cls, volume: Volume) -> bytes:
        return tiff_bytes(volume)


def tiff_bytes(volume: Volume) -> bytes:
    """Return a volume as a TIFF file; equal volumes give equal bytes.

    Parameters
    ----------
    volume
        volume of any unit and axes; its slice frame, if it has one, is stored too

    Returns
    -------
    data
        little-endian; the description of the first page is a JSON text with scale and position
    """
    import tifffile

    numbers, slope, offset = scaled(volume.values)
    stated: Plain = {
        "slope": slope,
        "offset": offset,
        "unit": volume.unit,
        "axes": f"z, y, x; {volume.axes}",
        "voxel_mm": list(volume.grid.voxel_mm),
        "centre_mm": list(volume.grid.centre_mm),
        "note": f"{named(volume)}; value = offset + slope * number",
    }
    if FRAME in volume.info:  # the centre is given in the axes of this frame
        stated[FRAME] = volume.info[FRAME]
    stream = BytesIO()
    tifffile.imwrite(
        stream,
        numbers,
        bigtiff=numbers.nbytes > LARGEST_BYTES,
        # Otherwise tifffile can take 3 or 4 slices for the colours of one page.
        photometric="minisblack",
        description=to_json(stated).encode(),
        metadata=None,
        # No version of the library in the file: equal volumes give equal bytes.
        software=False,
        byteorder="<",
    )
    return stream.getvalue()


def scaled(values: Array) -> tuple[NDArray[np.uint16], float, float]:
    """Scale values to 16-bit integers.

    Parameters
    ----------
    values
        finite, of any sign

    Returns
    -------
    numbers
        0 to 65,535
    slope
        size of a step; 1 if all values are equal
    offset
        smallest value; value = offset + slope · number
    """
    low, high = (float(end) for end in (values.min(), values.max()))
    slope = (high - low) / STEPS or 1.0
    numbers = np.empty(values.shape, np.uint16)
    for k, part in enumerate(values):  # slice by slice, because float64 doubles the memory
        numbers[k] = np.clip(np.rint((part.astype(np.float64) - low) / slope), 0, STEPS)
    return numbers, slope, low


class OmeTiffWriter(FileWriter):
    """OME-TIFF of floating-point numbers, with provenance in a JSON sidecar."""

    detail: ClassVar[str] = "floating-point slices with sizes, for Fiji, napari and QuPath"

    @classmethod
    def content(cls, volume: Volume) -> bytes:
        return ome_tiff_bytes(volume)


def ome_tiff_bytes(volume: Volume) -> bytes:
    """Return a volume as an OME-TIFF file.

    Parameters
    ----------
    volume
        volume of any unit and axes

    Returns
    -------
    data
        little-endian; BigTIFF if 32-bit offsets do not suffice
    """
    import tifffile

    values = np.ascontiguousarray(volume.values, "<f4")
    stated: Plain = {"axes": "ZYX", "Name": named(volume)}
    for axis, edge in zip("XYZ", volume.grid.voxel_mm, strict=True):
        stated |= {f"PhysicalSize{axis}": float(edge), f"PhysicalSize{axis}Unit": "mm"}
    # OME stores positions for each plane only, and has no field for the unit of the values or the
    # patient axes. 17 digits restore each double exactly.
    stated["MapAnnotation"] = {
        f"{OURS}axes": volume.axes,
        f"{OURS}unit": volume.unit,
        f"{OURS}centre_mm": " ".join(f"{place:.17g}" for place in volume.grid.centre_mm),
    }
    stream = BytesIO()
    tifffile.imwrite(
        stream,
        values,
        ome=True,
        # Many viewers cannot read BigTIFF, so it is used only if needed.
        bigtiff=values.nbytes > LARGEST_BYTES,
        photometric="minisblack",
        metadata=stated,
        software=False,
        byteorder="<",
    )
    return stream.getvalue()

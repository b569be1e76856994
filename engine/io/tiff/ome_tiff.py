"""Write volumes as OME-TIFF: unscaled float32 slices with a voxel size for every viewer.

In OME, x grows to the right and y downwards on the screen, as in our slices. An annotation holds
the centre of the volume, its unit and its patient axes.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import sidecar_path, write_with_sidecar
from engine.io.base import VolumeWriter
from engine.io.tiff.volume import LARGEST_BYTES
from engine.io.tiff.voxel_sizes import OURS


class OmeTiffWriter(VolumeWriter):
    """OME-TIFF of floating-point numbers, with provenance in a JSON sidecar."""

    name: ClassVar[str] = "OME-TIFF"
    suffixes: ClassVar[tuple[str, ...]] = (".ome.tif", ".ome.tiff")
    detail: ClassVar[str] = "floating-point slices with sizes, for Fiji, napari and QuPath"

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, sidecar_path(path)

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_with_sidecar(path, ome_tiff_bytes(volume), volume.unit, provenance)


def ome_tiff_bytes(volume: Volume) -> bytes:
    """Return a volume as an OME-TIFF file.

    Parameters
    ----------
    volume
        of any unit and axes

    Returns
    -------
    data
        little-endian; BigTIFF if 32-bit offsets do not suffice
    """
    import tifffile

    values = np.ascontiguousarray(volume.values, "<f4")
    said: Plain = {"axes": "ZYX", "Name": "Isocenter, not for clinical use"}
    for axis, edge in zip("XYZ", volume.grid.voxel_mm, strict=True):
        said |= {f"PhysicalSize{axis}": float(edge), f"PhysicalSize{axis}Unit": "mm"}
    # OME stores positions for each plane only, and has no field for the unit of the values or the
    # patient axes. 17 digits restore each double exactly.
    said["MapAnnotation"] = {
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
        metadata=said,
        software=False,
        byteorder="<",
    )
    return stream.getvalue()

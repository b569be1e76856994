"""Volumes as OME-TIFF: float32 slices as they are, with the size of a voxel for every viewer.

OME counts x to the right and y downwards on the screen, as our slices are stored. Where the volume
is, its unit and the patient's sides stand in an annotation.
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
    """OME-TIFF of floating-point numbers, with its provenance in a JSON file beside it."""

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
    """Return a volume as an OME-TIFF file."""
    import tifffile

    values = np.ascontiguousarray(volume.values, "<f4")
    said: Plain = {"axes": "ZYX", "Name": "Isocenter, not for clinical use"}
    for axis, edge in zip("XYZ", volume.grid.voxel_mm, strict=True):
        said |= {f"PhysicalSize{axis}": float(edge), f"PhysicalSize{axis}Unit": "mm"}
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
        bigtiff=values.nbytes > LARGEST_BYTES,
        photometric="minisblack",
        metadata=said,
        software=False,
        byteorder="<",
    )
    return stream.getvalue()

"""NIfTI volumes: RAS millimetres in the file, LPS millimetres here.

The array is stored as it is, x fastest; the affine says to which sides of the patient its axes
lead, so readers that honour it see the same points on the same sides as our views do.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.data.volume import Volume
from engine.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.io.base import VolumeReader, VolumeWriter
from engine.io.nifti_values import affine_of, library, magic_of, read_nifti
from engine.io.open_input import InputFile, refuse_not_finite
from engine.io.provenance_file import provenance_beside, sidecar_path, write_with_sidecar
from engine.io.ranges import stated_grid
from engine.plain import Plain

MAX_TILT = 1e-3
"""Largest direction cosine off the axes: 0.06°, half a voxel over 500 voxels."""
UNIT_MARK = "unit "
"""The header's description holds the unit of the values after this mark."""
GZIP_LEVEL = 4
LPS_TO_RAS = np.diag([-1.0, -1.0, 1.0, 1.0])


class Nifti(VolumeReader):
    """NIfTI volume."""

    name: ClassVar[str] = "NIfTI volume"
    suffixes: ClassVar[tuple[str, ...]] = (".nii", ".nii.gz")

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return cls.ends(file.path) or magic_of(file.head) is not None

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        header, values = read_nifti(file)
        affine = affine_of(header, file)
        values, grid = _to_lps(file.path, values, affine)
        refuse_not_finite(file.path, values)
        provenance, notes = provenance_beside(file)
        volume = Volume(values, grid, _unit(header), provenance, notes)
        is_turned = volume.head_sign < 0 and affine[2, 2] < 0  # older versions turned nothing
        return _in_scanner_frame(volume) if is_turned else volume


class NiftiWriter(VolumeWriter):
    """NIfTI volume, with its provenance in a JSON file beside it."""

    name: ClassVar[str] = "NIfTI volume"
    suffixes: ClassVar[tuple[str, ...]] = (".nii.gz", ".nii")
    detail: ClassVar[str] = "for other programs; provenance beside it"

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, sidecar_path(path)

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        content = nifti_bytes(volume)
        if path.name.lower().endswith(".gz"):
            content = _gzipped(content)
        write_with_sidecar(path, content, volume.unit, provenance)


def nifti_bytes(volume: Volume) -> bytes:
    """Return a volume as an uncompressed NIfTI-1 file, the same bytes every time."""
    nibabel, grid = library(), volume.grid
    corner_mm = [float(grid.centres_mm(axis)[0]) for axis in range(3)]
    affine = np.diag([*grid.voxel_mm, 1.0])
    affine[:3, 3] = corner_mm
    affine = LPS_TO_RAS @ np.diag([1.0, 1.0, volume.head_sign, 1.0]) @ affine
    values = np.ascontiguousarray(volume.values, np.float32)
    image = nibabel.Nifti1Image(values.transpose(2, 1, 0), affine)
    header = image.header
    header.set_data_dtype(np.float32)
    header.set_slope_inter(1, 0)
    header.set_xyzt_units("mm", "sec")
    header["descrip"] = f"{UNIT_MARK}{volume.unit}; Isocenter, not for clinical use".encode()[:79]
    image.set_sform(affine, code=1)
    image.set_qform(affine, code=1)
    return bytes(image.to_bytes())


def _in_scanner_frame(volume: Volume) -> Volume:
    """Return a volume of ours whose z grows towards the feet as it was before it was written."""
    x, y, z = volume.grid.centre_mm
    grid = replace(volume.grid, centre_mm=(x, y, -z))
    return replace(volume, values=np.ascontiguousarray(volume.values[::-1]), grid=grid)


def _gzipped(content: bytes) -> bytes:
    buffer = BytesIO()
    with gzip.GzipFile("", "wb", compresslevel=GZIP_LEVEL, fileobj=buffer, mtime=0) as stream:
        stream.write(content)
    return buffer.getvalue()


def _to_lps(
    path: Path, values: NDArray[np.float32], affine: NDArray[np.float64]
) -> tuple[NDArray[np.float32], ImageGrid]:
    """Return [z, y, x] values whose axes run along LPS, and their grid."""
    steps = LPS_TO_RAS[:3, :3] @ np.where(np.isfinite(affine), affine, 0)[:3, :3]
    edges = np.linalg.norm(steps, axis=0)
    if not np.isfinite(affine).all() or (edges <= 0).any():
        raise GeometryError(f"{path.name}: its affine is not that of a volume; export it again.")
    cosines = steps / edges
    world = np.abs(cosines).argmax(axis=0)
    tilt = np.abs(cosines).copy()
    tilt[world, range(3)] = 0
    if tilt.max() > MAX_TILT or len(set(world)) < 3:
        raise GeometryError(
            f"{path.name}: its axes are tilted by {np.degrees(np.arcsin(min(tilt.max(), 1))):.2f}° "
            "against the scanner's; resample it onto straight axes."
        )
    middle = affine @ [*((np.array(values.shape) - 1) / 2), 1]
    centre = (LPS_TO_RAS @ middle)[:3]
    for axis in range(3):
        if steps[world[axis], axis] < 0:
            values = np.flip(values, axis)
    order = [int(np.flatnonzero(world == k)[0]) for k in (2, 1, 0)]
    values = np.ascontiguousarray(values.transpose(order), np.float32)
    voxel = tuple(float(edges[i]) for i in order[::-1])
    return values, stated_grid(path, values.shape, voxel, centre)


def _unit(header: Any) -> str:
    text = bytes(header["descrip"]).rstrip(b"\0").decode("utf-8", errors="ignore")
    return text[len(UNIT_MARK) :].partition(";")[0] if text.startswith(UNIT_MARK) else ""

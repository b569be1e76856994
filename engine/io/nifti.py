"""NIfTI volumes: RAS millimetres in the file, LPS millimetres here.

The array is stored as it is, x fastest; the affine says that its x and y run towards the right
and the front of the patient's left and back, so readers that honour it see the same points.
"""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.data.volume import Volume
from engine.errors import FileFormatError, GeometryError
from engine.geometry.grid import ImageGrid
from engine.io.base import VolumeReader, VolumeWriter
from engine.io.nifti_sidecar import provenance_beside, sidecar_path, write_with_sidecar
from engine.io.open_input import open_head, refuse_not_finite, unreadable
from engine.io.ranges import stated_grid
from engine.plain import Plain

MAX_BYTES = 16 * 2**30
"""Largest volume read [bytes]."""
MAX_GZIP_RATIO = 1100
"""Deflate cannot compress better; a header that claims more lies."""
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
    def accepts(cls, path: Path, head: bytes) -> bool:
        return cls.ends(path) or _magic(head) is not None

    @classmethod
    def read(cls, path: Path) -> Volume:
        open_head(path)
        nibabel = _nibabel()
        content = _content(path)
        kind = nibabel.Nifti1Image if _magic(content) == "n+1" else nibabel.Nifti2Image
        try:
            image = kind.from_bytes(content)
            values = _values(path, image)
        except (ValueError, KeyError, OSError, nibabel.filebasedimages.ImageFileError) as e:
            raise FileFormatError(f"{path.name}: not a usable NIfTI file ({e}).") from e
        values, grid = _to_lps(path, values, image.affine)
        refuse_not_finite(path, values)
        provenance, notes = provenance_beside(path)
        return Volume(values, grid, _unit(image.header), provenance, notes)


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
    nibabel = _nibabel()
    grid = volume.grid
    corner_mm = [float(grid.centres_mm(axis)[0]) for axis in range(3)]
    affine = np.diag([*grid.voxel_mm, 1.0])
    affine[:3, 3] = corner_mm
    affine = LPS_TO_RAS @ affine
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


def _nibabel() -> Any:
    """Return nibabel, whose types are not complete."""
    import nibabel

    return nibabel


def _gzipped(content: bytes) -> bytes:
    buffer = BytesIO()
    with gzip.GzipFile("", "wb", compresslevel=GZIP_LEVEL, fileobj=buffer, mtime=0) as stream:
        stream.write(content)
    return buffer.getvalue()


def _magic(head: bytes) -> str | None:
    """Return "n+1" or "n+2" for single-file NIfTI, also gzipped, else None."""
    if head[:2] == b"\x1f\x8b":
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, 352)
        except zlib.error:
            return None
    if head[344:348] == b"n+1\0":
        return "n+1"
    return "n+2" if head[4:8] == b"n+2\0" else None


def _content(path: Path) -> bytes:
    """Return the whole file, unpacked; refuse sizes the header or the disk cannot mean."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as stream:
            head = stream.read(544)
            n_bytes = _claimed(path, head, packed)
            content = head + stream.read(n_bytes - len(head))
            if len(content) < n_bytes:
                raise FileFormatError(
                    f"{path.name}: truncated, its header counts {n_bytes:,} bytes and "
                    f"{len(content):,} are there; copy or export it again."
                )
            stream.read(1)  # at the end of a packed file its checksum is compared
            return content
    except (EOFError, zlib.error, gzip.BadGzipFile) as e:
        raise FileFormatError(
            f"{path.name}: truncated or damaged ({e}); copy or export it again."
        ) from e
    except OSError as e:
        raise unreadable(path, e) from e


def _claimed(path: Path, head: bytes, packed: bool) -> int:
    """Return the bytes a header claims, bounded by the file."""
    nibabel = _nibabel()
    magic = _magic(head)
    if magic is None:
        raise FileFormatError(
            f"{path.name}: not a single-file NIfTI volume (.nii or .nii.gz); export it as one."
        )
    kind = nibabel.Nifti1Header if magic == "n+1" else nibabel.Nifti2Header
    try:
        header = kind(head[: kind.sizeof_hdr], check=False)
        shape = [int(n) for n in header.get_data_shape()]
        n_bytes = int(header["vox_offset"]) + int(np.prod(shape, dtype=object)) * int(
            header.get_data_dtype().itemsize
        )
    except (ValueError, KeyError, OverflowError, nibabel.spatialimages.HeaderDataError) as e:
        raise FileFormatError(f"{path.name}: damaged NIfTI header ({e}).") from e
    on_disk = path.stat().st_size
    most = on_disk * MAX_GZIP_RATIO if packed else on_disk
    if min(shape, default=0) < 1 or not 0 < n_bytes <= min(most, MAX_BYTES):
        raise FileFormatError(
            f"{path.name}: its header counts {' × '.join(map(str, shape))} values, {n_bytes:,} "
            f"bytes, and the file has {on_disk:,}; it is truncated or damaged."
        )
    return n_bytes


def _values(path: Path, image: Any) -> NDArray[np.float32]:
    header = image.header
    if header.get_data_dtype().kind not in "iuf":
        raise FileFormatError(
            f"{path.name}: values of type {header.get_data_dtype()}, want plain numbers; "
            "convert it to float32."
        )
    shape = image.shape
    if len(shape) < 3 or any(n > 1 for n in shape[3:]):
        raise GeometryError(
            f"{path.name}: {' × '.join(map(str, shape))} values, want one volume of three axes; "
            "export a single frame."
        )
    if not (header["sform_code"] > 0 or header["qform_code"] > 0):
        raise GeometryError(
            f"{path.name}: does not say where its voxels are (sform and qform codes are 0); "
            "export it with its orientation."
        )
    values = image.get_fdata(dtype=np.float32, caching="unchanged")
    return np.asarray(values.reshape(shape[:3]))


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

"""Read header and values of a NIfTI file in pieces, compressed or not."""

from __future__ import annotations

import gzip
import math
import zlib
from dataclasses import dataclass
from io import BytesIO
from types import ModuleType
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.io.safety.budget import max_unpacked_bytes, refuse_large_data
from engine.io.safety.open_input import InputFile
from engine.io.volumes.frame_stack import FrameClock

Header = Any
"""Header of nibabel, which has no complete type annotations."""
HEAD_BYTES = 544
"""Size of a NIfTI-2 header (540 bytes) with the extension flag."""
FIRST_BYTE = {"n+1": 352, "n+2": 544}
"""Smallest offset of the values in a single file, for NIfTI-1 and NIfTI-2."""
PIECE_BYTES = 16 * 2**20
SPACE_BITS, TIME_BITS = 0x07, 0x38
"""Bits of `xyzt_units` for length and time."""
MM_OF = {1: 1000.0, 2: 1.0, 3: 1e-3}
"""Unit codes of metre, millimetre and micrometre -> mm."""
SECONDS_OF = {8: 1.0, 16: 1e-3, 24: 1e-6}
"""Unit codes of second, millisecond and microsecond -> s."""


@dataclass(frozen=True)
class _Layout:
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    start: int
    scaling: tuple[float, float]

    @property
    def end(self) -> int:
        return self.start + math.prod(self.shape) * self.dtype.itemsize


def read_nifti(file: InputFile) -> tuple[Header, NDArray[np.float32]]:
    """Read header and values of a single-file NIfTI.

    Parameters
    ----------
    file
        NIfTI-1 or NIfTI-2, compressed or not

    Returns
    -------
    header
        header of nibabel
    values
        [x, y, z] or, with time frames, [x, y, z, t]; scaled, infinite values are possible

    Raises
    ------
    FileFormatError
        if the file is damaged, truncated, or has values other than real numbers
    GeometryError
        if this is not a volume
    """
    packed = file.head.startswith(b"\x1f\x8b")
    unpacked = file.stream()
    stream = cast("BinaryIO", gzip.GzipFile(fileobj=unpacked)) if packed else unpacked
    try:
        head = stream.read(HEAD_BYTES)
        header = _header(file, head)
        layout = _layout(file, header, head)
        _refuse_unusable(file, header, layout, packed)
        return header, _values(file, stream, layout, len(head))
    except (EOFError, zlib.error, gzip.BadGzipFile) as e:
        raise FileFormatError(
            f"{file.name}: truncated or damaged ({e}); copy or export it again."
        ) from e


def library() -> ModuleType:
    """Return nibabel as a value, because its type annotations are incomplete."""
    import nibabel

    return nibabel


def unpacked_head(head: bytes) -> bytes:
    """Return the first bytes of a gzip file; b"" if they are damaged."""
    try:
        return zlib.decompressobj(wbits=31).decompress(head, 352)
    except zlib.error:
        return b""


def magic_of(head: bytes) -> str | None:
    """Return the magic of a single-file NIfTI.

    Parameters
    ----------
    head
        first bytes of the file, possibly gzip

    Returns
    -------
    magic
        "n+1" or "n+2"; None for all other files
    """
    if head[:2] == b"\x1f\x8b":
        # The name does not decide: files are renamed, and .gz can be missing.
        head = unpacked_head(head)
    if head[344:348] == b"n+1\0":
        return "n+1"
    return "n+2" if head[4:8] == b"n+2\0" else None


def affine_of(header: Header, file: InputFile) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return the affine matrix of a header.

    Parameters
    ----------
    header
        header of nibabel
    file
        its file, for error messages

    Returns
    -------
    affine
        (4, 4) from voxel numbers to RAS [mm]
    notes
        a note if the length unit is not stated and mm is assumed

    Raises
    ------
    GeometryError
        if neither sform nor qform is set
    """
    # With both codes 0, nibabel would return a matrix with an arbitrary left side.
    if not (header["sform_code"] > 0 or header["qform_code"] > 0):
        raise GeometryError(
            f"{file.name}: states no orientation (sform and qform codes are 0); export it with its "
            "orientation."
        )
    try:
        affine = np.array(header.get_best_affine(), np.float64)
    except damage() as e:
        raise FileFormatError(
            f"{file.name}: damaged NIfTI header ({e}); copy or export the file again."
        ) from e
    unit = int(header["xyzt_units"]) & SPACE_BITS
    affine[:3] *= MM_OF.get(unit, 1.0)
    note = f"{file.name}: states no unit of length; mm is assumed."
    return affine, () if unit in MM_OF else (note,)


def clock_of(header: Header) -> FrameClock:
    """Return the frame times of a header.

    Parameters
    ----------
    header
        header of nibabel

    Returns
    -------
    clock
        from `pixdim[4]`, `toffset` and the time unit; without times if the unit is missing
    """
    s = SECONDS_OF.get(int(header["xyzt_units"]) & TIME_BITS)
    step, start = float(header["pixdim"][4]), float(header["toffset"])
    if s is None or not (math.isfinite(step) and math.isfinite(start)) or step <= 0:
        return FrameClock()
    return FrameClock(s * start, s * step)


def damage() -> tuple[type[Exception], ...]:
    """Return the exceptions that nibabel raises for damaged headers."""
    from nibabel.spatialimages import HeaderDataError
    from nibabel.wrapstruct import WrapStructError

    return HeaderDataError, WrapStructError, ValueError, ArithmeticError, TypeError, LookupError


def _header(file: InputFile, head: bytes) -> Header:
    nibabel = library()
    magic = magic_of(head)
    if magic is None:
        raise FileFormatError(
            f"{file.name}: not a single-file NIfTI volume (.nii or .nii.gz); export it as one."
        )
    kind = nibabel.Nifti1Header if magic == "n+1" else nibabel.Nifti2Header
    try:
        return kind(head[: kind.sizeof_hdr], check=False)
    except damage() as e:
        raise FileFormatError(
            f"{file.name}: damaged NIfTI header ({e}); copy or export the file again."
        ) from e


def _layout(file: InputFile, header: Header, head: bytes) -> _Layout:
    try:
        shape = tuple(int(n) for n in header.get_data_shape())
        dtype, start = np.dtype(header.get_data_dtype()), int(header["vox_offset"])
        slope, inter = header.get_slope_inter()
    except damage() as e:
        raise FileFormatError(
            f"{file.name}: damaged NIfTI header ({e}); copy or export the file again."
        ) from e
    # nibabel ignores a slope that is not finite and would return unscaled values.
    if np.isinf(header["scl_slope"]):
        raise FileFormatError(
            f"{file.name}: damaged NIfTI header (the slope is infinite); copy or export the file "
            "again."
        )
    first = FIRST_BYTE[magic_of(head) or "n+1"]
    if start < first:
        raise FileFormatError(
            f"{file.name}: damaged NIfTI header (the values start at byte {start:,}, expected at "
            f"least {first}); copy or export the file again."
        )
    return _Layout(shape, dtype, start, (1.0 if slope is None else slope, inter or 0.0))


def _refuse_unusable(file: InputFile, header: Header, layout: _Layout, packed: bool) -> None:
    """Refuse impossible sizes, and files that are not one volume of real numbers."""
    shape = layout.shape
    # The unpacked size is unknown before reading; deflate limits the ratio.
    most = max_unpacked_bytes(file.size) if packed else file.size
    if min(shape, default=0) < 1 or layout.end > most:
        raise FileFormatError(
            f"{file.name}: its header states {' × '.join(map(str, shape))} values ({layout.end:,} "
            f"bytes), but the file has {file.size:,} bytes; copy it again."
        )
    if layout.dtype.kind not in "iuf":
        raise FileFormatError(
            f"{file.name}: the values have the type {layout.dtype}, expected real numbers; convert "
            "them to float32."
        )
    if len(shape) < 3 or any(n > 1 for n in shape[4:]):
        raise GeometryError(
            f"{file.name}: has {' × '.join(map(str, shape))} values, expected a 3D array (4D with "
            "time frames); export one number per voxel."
        )


def _values(file: InputFile, stream: BinaryIO, layout: _Layout, at: int) -> NDArray[np.float32]:
    """Read the values plane by plane, scaled as the header states."""
    x, y, z = layout.shape[:3]
    n_frames = layout.shape[3] if len(layout.shape) > 3 else 1
    refuse_large_data(4 * x * y * z * n_frames, file.name)
    # Skip extensions between header and values; in a gzip stream this means reading them.
    while at < layout.start:
        at += len(_exactly(file, stream, min(layout.start - at, PIECE_BYTES), at, layout.end))
    if at > layout.start:  # NIfTI-1: values begin within the bytes read for the header
        stream.seek(layout.start)
        at = layout.start
    # Planes of all frames in one array: the file has x fastest and t slowest.
    values = np.empty((x, y, z * n_frames), np.float32, order="F")
    plane = x * y * layout.dtype.itemsize
    n_planes = max(PIECE_BYTES // plane, 1)
    for k in range(0, z * n_frames, n_planes):
        n = min(n_planes, z * n_frames - k)
        data = _exactly(file, stream, n * plane, at, layout.end)
        values[..., k : k + n] = _scaled(data, (x, y, n), layout)
        at += len(data)
    stream.read(1)  # reading to the end makes gzip compare the checksum
    shape = (x, y, z) if n_frames == 1 else (x, y, z, n_frames)
    return values.reshape(shape, order="F")


def _exactly(file: InputFile, stream: BinaryIO, n_bytes: int, at: int, end: int) -> bytes:
    data = stream.read(n_bytes)
    if len(data) < n_bytes:
        raise FileFormatError(
            f"{file.name}: truncated (its header states {end:,} bytes, but only {at + len(data):,} "
            "are present); copy or export it again."
        )
    return data


def _scaled(data: bytes, shape: tuple[int, ...], layout: _Layout) -> NDArray[np.float32]:
    """Return values scaled by nibabel; too large ones become infinite and are refused later."""
    spec = (shape, layout.dtype, 0, *layout.scaling)
    proxy = library().arrayproxy.ArrayProxy(BytesIO(data), spec, mmap=False)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asanyarray(proxy, dtype=np.float32)

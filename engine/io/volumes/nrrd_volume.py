"""Read and write volumes as NRRD: a text header, an empty line, then the values (3D Slicer, teem).

`space` names the axes of space, `space directions` is one step along each axis of the values, and
`space origin` is the centre of the first voxel. pynrrd parses the header; the values are read here,
because their size must be checked before they are unpacked.
They follow the header or are in separate files.
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Iterable
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.geometry.patient_planes import to_patient_axes
from engine.io.auxiliary.sidecar_writers import FileWriter
from engine.io.base import FramesReader
from engine.io.folder import open_below
from engine.io.safety.budget import max_unpacked_bytes, refuse_large_data
from engine.io.safety.open_input import InputFile
from engine.io.text.lengths import MM_OF
from engine.io.volumes.header_name import named
from engine.io.volumes.nrrd_header import DETACHED, NrrdHeader, read_header
from engine.io.volumes.patient_images import patient_frames

MAGIC = b"NRRD000"
SPACES = {
    **dict.fromkeys(("left-posterior-superior", "lps"), (1, 1, 1)),
    **dict.fromkeys(("right-anterior-superior", "ras"), (-1, -1, 1)),
    **dict.fromkeys(("left-anterior-superior", "las"), (1, -1, 1)),
}
"""Space -> signs that convert its axes into LPS."""
TIME = "-time"
"""Ending of the names of spaces with a fourth axis for time."""
TYPES = {
    name: kind
    for kind, names in {
        "i1": ("signed char", "int8", "int8_t"),
        "u1": ("uchar", "unsigned char", "uint8", "uint8_t"),
        "i2": ("short", "short int", "signed short", "signed short int", "int16", "int16_t"),
        "u2": ("ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"),
        "i4": ("int", "signed int", "int32", "int32_t"),
        "u4": ("uint", "unsigned int", "uint32", "uint32_t"),
        "f4": ("float",),
        "f8": ("double",),
    }.items()
    for name in names
}
ORDERS: dict[str, Literal["<", ">"]] = {"little": "<", "big": ">"}
COMPONENTS = ("vector", "covariant-vector", "normal", "color", "matrix", "point", "quaternion")
"""Parts of the names of axis kinds whose values belong to one voxel."""
RAW, GZIP, BZIP2 = ("raw",), ("gzip", "gz"), ("bzip2", "bz2")
MAX_LINES = 100_000
"""Largest number of lines that are skipped before the values."""


class Nrrd(FramesReader):
    """NRRD volume."""

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        is_detached = file.path.suffix.lower() == DETACHED
        return "NRRD (detached header)" if is_detached else "NRRD"

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        header = read_header(file)
        fields = header.fields
        shape, kind = _layout(fields, file)
        of_time = _axis_of_time(fields, shape, file)
        affine, notes = _affine(fields, file, of_time)
        values = read_values(file, header, shape, kind)
        if of_time is not None:
            values = np.moveaxis(values, of_time, 3)
        unit = str(fields.get("sample units", "")).strip('"')
        return patient_frames(file, values, affine, unit, notes=notes)


class NrrdWriter(FileWriter):
    """NRRD volume, with provenance in a JSON sidecar."""

    detail: ClassVar[str] = "for 3D Slicer; provenance next to it"

    @classmethod
    def content(cls, volume: Volume) -> bytes:
        return _text(volume).encode() + np.ascontiguousarray(volume.values, "<f4").tobytes()


def _text(volume: Volume) -> str:
    grid, turn = volume.grid, to_patient_axes(volume.sides)
    first = turn @ [float(grid.centres_mm(axis)[0]) for axis in range(3)]
    steps = (turn * grid.voxel_mm).T  # one row for each axis of the values
    fields = {
        "type": "float",
        "dimension": "3",
        "space": "left-posterior-superior",
        "sizes": " ".join(str(n) for n in reversed(grid.shape)),
        "space directions": " ".join(_point(step) for step in steps),
        "kinds": "domain domain domain",
        "endian": "little",
        "encoding": "raw",
        "space units": '"mm" "mm" "mm"',
        "space origin": _point(first),
        "sample units": f'"{volume.unit}"',
        "content": named(volume),
    }
    return "NRRD0004\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "\n"


def _point(values: Iterable[float]) -> str:
    return "(" + ",".join(f"{value + 0.0:.9g}" for value in values) + ")"


def _layout(header: Plain, file: InputFile) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
    shape, name = tuple(int(n) for n in header["sizes"]), str(header["type"]).lower()
    if len(shape) not in (3, 4) or min(shape) < 1 or name not in TYPES:
        raise GeometryError(
            f"{file.name}: has {' × '.join(map(str, shape))} values of type {name}, expected a 3D "
            "array of real numbers (4D with time frames); export one number per voxel."
        )
    kind = np.dtype(TYPES[name])
    order = ORDERS.get(str(header.get("endian", "")).lower())
    # The format requires `endian` for values of several bytes; a wrong guess would give noise.
    if order is None and kind.itemsize > 1:
        raise FileFormatError(
            f"{file.name}: its header does not state the byte order; export it again."
        )
    return shape, kind.newbyteorder(order or "<")


def _axis_of_time(header: Plain, shape: tuple[int, ...], file: InputFile) -> int | None:
    """Return the axis of time frames, which has no direction in space; None for three axes."""
    if len(shape) == 3:
        return None
    kinds = [str(kind).lower() for kind in header.get("kinds", [])]
    steps = np.asarray(header.get("space directions", np.zeros((0, 3))), float)
    # pynrrd returns NaN for a direction of `none`.
    frames = [k for k, step in enumerate(steps) if np.isnan(step).all()] if len(steps) == 4 else []
    if len(frames) != 1:
        raise GeometryError(
            f"{file.name}: an image with four axes needs one time axis (its space direction is "
            f"'none'), but this file has {len(frames)}; export a single volume."
        )
    kind = kinds[frames[0]] if len(kinds) == 4 else ""
    # Such an axis (colours, tensors) has no direction either, but is not time.
    if any(part in kind for part in COMPONENTS):
        raise GeometryError(
            f"{file.name}: each voxel has {shape[frames[0]]} values (kind {kind!r}), expected one; "
            "export one number per voxel."
        )
    return frames[0]


def _affine(
    header: Plain, file: InputFile, of_time: int | None
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return the matrix from voxel numbers to LPS [mm], and a note if the unit was assumed."""
    space = str(header.get("space", "")).lower().removesuffix(TIME)
    steps = np.asarray(header.get("space directions", np.full((3, 3), np.nan)), float)
    if of_time is not None:
        steps = np.delete(steps, of_time, axis=0)
    origin = np.asarray(header.get("space origin", np.full(3, np.nan)), float)
    if space not in SPACES or steps.shape != (3, 3) or origin.shape != (3,):
        raise GeometryError(
            f"{file.name}: the patient orientation is missing or incomplete (field 'space': "
            f"{space[:40]!r}, expected for example 'left-posterior-superior'); export the file "
            "again with the fields 'space', 'space directions' and 'space origin'."
        )
    stated = [str(unit).strip('"').lower() for unit in header.get("space units", [])]
    units = {*stated} or {"mm"}
    if len(units) != 1 or not units <= set(MM_OF):
        raise FileFormatError(
            f"{file.name}: its lengths are in {', '.join(sorted(units))}, expected mm, cm, m, µm "
            "or nm; export it again."
        )
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = steps.T, origin
    scale = MM_OF[units.pop()]
    # Unit and axes of space change together; the array itself keeps its order.
    matrix = np.diag([*(scale * sign for sign in SPACES[space]), 1.0]) @ affine
    note = f"{file.name}: states no unit of length; mm is assumed."
    return np.asarray(matrix), () if stated else (note,)


def read_values(
    file: InputFile, header: NrrdHeader, shape: tuple[int, ...], kind: np.dtype[np.generic]
) -> NDArray[np.float32]:
    """Return the values, first axis fastest in the file.

    Parameters
    ----------
    file
        file of the header
    header
        with the names of the data files, if there are any
    shape, kind
        stated shape and type of the values

    Raises
    ------
    FileFormatError
        if a file is missing, damaged, or smaller than stated
    """
    n_bytes = int(np.prod(shape, dtype=object)) * kind.itemsize
    # Stored bytes and float32 values are in memory together.
    refuse_large_data(n_bytes + 4 * n_bytes // kind.itemsize, file.name)
    if not header.files:
        data = _payload(file, header, header.start, n_bytes)
    elif n_bytes % len(header.files):
        raise FileFormatError(
            f"{file.name}: {n_bytes:,} bytes of values cannot be divided evenly among "
            f"{len(header.files):,} files; export it again."
        )
    else:
        data = b"".join(_of_file(file, header, name, n_bytes) for name in header.files)
    return np.asarray(np.frombuffer(data, kind).reshape(shape, order="F"), np.float32)


def _of_file(file: InputFile, header: NrrdHeader, name: str, n_bytes: int) -> bytes:
    with open_below(file.path, name) as data:
        return _payload(data, header, 0, n_bytes // len(header.files))


def _payload(file: InputFile, header: NrrdHeader, start: int, n_bytes: int) -> bytes:
    """Return the bytes of the values in one file."""
    encoding = str(header.fields["encoding"]).lower()
    if n_bytes > (file.size if encoding in RAW else max_unpacked_bytes(file.size)):
        raise FileFormatError(
            f"{file.name}: its header states {n_bytes:,} bytes of values, but the file has "
            f"{file.size:,} bytes; copy it again."
        )
    start, skipped = _after_lines(file, header, start), _skip(header, "byte")
    # NRRD, "byte skip": −1 means that the values are at the end of the file, for raw data only.
    if skipped < 0 and encoding in RAW:
        start, skipped = file.size - n_bytes, 0
    if skipped < 0 or skipped > file.size:
        raise FileFormatError(
            f"{file.name}: its header skips {skipped:,} bytes before the values, expected 0 to "
            f"{file.size:,}; export it again."
        )
    # Bytes are skipped after decompression, lines before it.
    data = _unpacked(file, encoding, start, skipped + n_bytes)[skipped:]
    if len(data) != n_bytes:
        raise FileFormatError(
            f"{file.name}: truncated after {len(data):,} bytes of values, expected {n_bytes:,}; "
            "copy it again."
        )
    return data


def _after_lines(file: InputFile, header: NrrdHeader, start: int) -> int:
    """Return the byte offset after the lines to be skipped."""
    n = _skip(header, "line")
    if n <= 0:
        return start
    if n <= MAX_LINES:
        parts = file.read(start=start).split(b"\n", n)
        if len(parts) > n:
            return file.size - len(parts[n])
    raise FileFormatError(
        f"{file.name}: its header skips {n:,} lines before the values, but the file has fewer "
        "lines; export it again."
    )


def _skip(header: NrrdHeader, what: str) -> int:
    # The format allows both spellings.
    names = (f"{what} skip", f"{what}skip")
    return next((int(header.fields[name]) for name in names if name in header.fields), 0)


def _unpacked(file: InputFile, encoding: str, start: int, n_bytes: int) -> bytes:
    try:
        if encoding in RAW:
            return file.read(n_bytes, start)
        if encoding in GZIP:
            return zlib.decompressobj(wbits=31).decompress(file.read(start=start), n_bytes)
        if encoding in BZIP2:
            return bz2.BZ2Decompressor().decompress(file.read(start=start), n_bytes)
    except (zlib.error, OSError, ValueError, EOFError) as e:
        raise FileFormatError(f"{file.name}: damaged ({e}); copy it again.") from e
    raise FileFormatError(
        f"{file.name}: values are encoded as {encoding[:20]!r}, expected raw, gzip or bzip2; save "
        "the image in one of these encodings."
    )

"""Volumes as NRRD: a text header, an empty line, then the values (3D Slicer, teem).

`space` says what the axes of space are, `space directions` where one step along each axis of the
values leads, `space origin` where the middle of the first voxel is. The header is parsed by pynrrd;
the values are read here, since they are to be counted before they are unpacked.
"""

from __future__ import annotations

import bz2
import zlib
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.data.volume import Volume
from engine.errors import FileFormatError, GeometryError
from engine.io.base import VolumeReader, VolumeWriter
from engine.io.budget import most_unpacked, refuse_no_room
from engine.io.open_input import InputFile
from engine.io.provenance_file import sidecar_path, write_with_sidecar
from engine.io.straight_axes import patient_volume
from engine.plain import Plain

MAGIC = b"NRRD000"
SPACES = {
    **dict.fromkeys(("left-posterior-superior", "lps"), (1, 1, 1)),
    **dict.fromkeys(("right-anterior-superior", "ras"), (-1, -1, 1)),
    **dict.fromkeys(("left-anterior-superior", "las"), (1, -1, 1)),
}
"""Signs that turn the axes of space into LPS."""
MM = {"mm": 1.0, "millimeter": 1.0, "cm": 10.0, "m": 1000.0, "um": 1e-3, "µm": 1e-3, "micron": 1e-3}
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
RAW = ("raw",)
GZIP, BZIP2 = ("gzip", "gz"), ("bzip2", "bz2")
DETACHED = ("data file", "datafile")
EMPTY_LINE = (b"\n\n", b"\r\n\r\n")
HEAD_BYTES = 2**20


class Nrrd(VolumeReader):
    """NRRD volume."""

    name: ClassVar[str] = "NRRD volume"
    suffixes: ClassVar[tuple[str, ...]] = (".nrrd",)

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        return "NRRD"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.head.startswith(MAGIC)

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        header, start = _header(file)
        shape, kind = _layout(header, file)
        affine = _affine(header, file)
        values = _values(file, header, start, shape, kind)
        unit = str(header.get("sample units", "")).strip('"')
        return patient_volume(file, values, affine, unit)


class NrrdWriter(VolumeWriter):
    """NRRD volume, with its provenance in a JSON file beside it."""

    name: ClassVar[str] = "NRRD volume"
    suffixes: ClassVar[tuple[str, ...]] = (".nrrd",)
    detail: ClassVar[str] = "for 3D Slicer; provenance beside it"

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, sidecar_path(path)

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        content = _text(volume).encode() + np.ascontiguousarray(volume.values, "<f4").tobytes()
        write_with_sidecar(path, content, volume.unit, provenance)


def _text(volume: Volume) -> str:
    grid, up = volume.grid, volume.head_sign
    dx, dy, dz = grid.voxel_mm
    x, y, z = (float(grid.centres_mm(axis)[0]) for axis in range(3))
    fields = {
        "type": "float",
        "dimension": "3",
        "space": "left-posterior-superior",
        "sizes": " ".join(str(n) for n in reversed(grid.shape)),
        "space directions": f"({dx:.9g},0,0) (0,{dy:.9g},0) (0,0,{up * dz:.9g})",
        "kinds": "domain domain domain",
        "endian": "little",
        "encoding": "raw",
        "space units": '"mm" "mm" "mm"',
        "space origin": f"({x:.9g},{y:.9g},{up * z:.9g})",
        "sample units": f'"{volume.unit}"',
        "content": "Isocenter, not for clinical use",
    }
    return "NRRD0004\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "\n"


def _header(file: InputFile) -> tuple[Plain, int]:
    """Return the fields as pynrrd parses them, and the byte after the empty line."""
    import nrrd

    head = file.read(HEAD_BYTES)
    ends = [(at, mark) for mark in EMPTY_LINE if (at := head.find(mark)) >= 0]
    if not ends:
        raise FileFormatError(f"{file.name}: its header has no end; was it damaged or cut off?")
    end, mark = min(ends)
    try:
        lines = head[:end].decode("utf-8", "replace").splitlines()
        header: Plain = dict(nrrd.read_header([f"{line}\n" for line in lines]))
        missing = [name for name in ("type", "sizes", "encoding") if name not in header]
        if missing:
            raise ValueError(f"no field {missing[0]!r}")
    except (nrrd.NRRDError, ValueError, LookupError, TypeError) as e:
        raise FileFormatError(f"{file.name}: damaged NRRD header ({e}); export it again.") from e
    if any(name in header for name in DETACHED):
        raise FileFormatError(
            f"{file.name}: keeps its values in another file; for safety only files that hold all "
            "their data are read, so save it as one .nrrd file."
        )
    return header, end + len(mark)


def _layout(header: Plain, file: InputFile) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
    shape, name = tuple(int(n) for n in header["sizes"]), str(header["type"]).lower()
    if len(shape) != 3 or min(shape) < 1 or name not in TYPES:
        raise GeometryError(
            f"{file.name}: {' × '.join(map(str, shape))} values of type {name}, want one volume of "
            "three axes and plain numbers; export a single frame."
        )
    kind = np.dtype(TYPES[name])
    order = ORDERS.get(str(header.get("endian", "")).lower())
    if order is None and kind.itemsize > 1:
        raise FileFormatError(f"{file.name}: does not say its byte order; export it again.")
    return shape, kind.newbyteorder(order or "<")


def _affine(header: Plain, file: InputFile) -> NDArray[np.float64]:
    """Return the matrix from voxel numbers to LPS [mm]."""
    space = str(header.get("space", "")).lower()
    steps = np.asarray(header.get("space directions", np.full((3, 3), np.nan)), float)
    origin = np.asarray(header.get("space origin", np.full(3, np.nan)), float)
    if space not in SPACES or steps.shape != (3, 3) or origin.shape != (3,):
        raise GeometryError(
            f"{file.name}: does not say where its voxels are in the patient (space is "
            f"{space or 'missing'!r}, want left-posterior-superior or another side of the patient "
            "with directions and an origin); export it with its orientation."
        )
    units = {str(unit).lower() for unit in header.get("space units", ["mm"])}
    if len(units) != 1 or not units <= set(MM):
        raise FileFormatError(
            f"{file.name}: lengths in {', '.join(sorted(units))}, want mm, cm, m or µm; export it "
            "again."
        )
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = steps.T, origin
    scale = MM[units.pop()]
    return np.asarray(np.diag([*(scale * sign for sign in SPACES[space]), 1.0]) @ affine)


def _values(
    file: InputFile,
    header: Plain,
    start: int,
    shape: tuple[int, ...],
    kind: np.dtype[np.generic],
) -> NDArray[np.float32]:
    """Return the values (i, j, k), i the fastest in the file."""
    encoding = str(header["encoding"]).lower()
    n_bytes = int(np.prod(shape, dtype=object)) * kind.itemsize
    if n_bytes > (file.size if encoding in RAW else most_unpacked(file.size)):
        raise FileFormatError(
            f"{file.name}: its header counts {n_bytes:,} bytes of values, and the file has "
            f"{file.size:,}; it is truncated or damaged."
        )
    refuse_no_room(n_bytes + 4 * n_bytes // kind.itemsize, file.name)
    if any(
        int(header.get(f"{what}{gap}skip", 0)) for what in ("line", "byte") for gap in (" ", "")
    ):
        raise FileFormatError(
            f"{file.name}: skips lines or bytes before its values; save it anew without."
        )
    data = _unpacked(file, encoding, start, n_bytes)
    if len(data) != n_bytes:
        raise FileFormatError(
            f"{file.name}: truncated, {len(data):,} bytes of values, want {n_bytes:,}; copy it "
            "again."
        )
    return np.asarray(np.frombuffer(data, kind).reshape(shape, order="F"), np.float32)


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
        f"{file.name}: values are encoded as {encoding[:20]!r}, want raw, gzip or bzip2; save it "
        "as one of them."
    )

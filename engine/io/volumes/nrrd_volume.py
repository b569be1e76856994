"""Read and write volumes as NRRD: a text header, an empty line, then the values (3D Slicer, teem).

`space` names the axes of space, `space directions` is one step along each axis of the values, and
`space origin` is the centre of the first voxel. pynrrd parses the header; the values are read here,
because their size must be checked before they are unpacked.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.geometry.patient_planes import to_patient_axes
from engine.io.auxiliary.provenance_file import sidecar_path, write_with_sidecar
from engine.io.base import FramesReader, VolumeWriter
from engine.io.safety.open_input import InputFile
from engine.io.volumes.nrrd_data import read_values
from engine.io.volumes.nrrd_header import DETACHED, read_header
from engine.io.volumes.patient_images import patient_frames

MAGIC = b"NRRD000"
SPACES = {
    **dict.fromkeys(("left-posterior-superior", "lps"), (1, 1, 1)),
    **dict.fromkeys(("right-anterior-superior", "ras"), (-1, -1, 1)),
    **dict.fromkeys(("left-anterior-superior", "las"), (1, -1, 1)),
}
"""Space -> signs that convert its axes into LPS."""
MM = {
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre"), 1.0),
    **dict.fromkeys(("cm", "centimeter", "centimeters"), 10.0),
    **dict.fromkeys(("m", "meter", "meters", "metre"), 1000.0),
    **dict.fromkeys(("um", "\u00b5m", "\u03bcm", "micron", "microns", "micrometer"), 1e-3),
    **dict.fromkeys(("nm", "nanometer"), 1e-6),
}
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


class Nrrd(FramesReader):
    """NRRD volume."""

    name: ClassVar[str] = "NRRD volume"
    suffixes: ClassVar[tuple[str, ...]] = (".nrrd", DETACHED)

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        is_detached = file.path.suffix.lower() == DETACHED
        return "NRRD (detached header)" if is_detached else "NRRD"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.head.startswith(MAGIC)

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


class NrrdWriter(VolumeWriter):
    """NRRD volume, with provenance in a JSON sidecar."""

    name: ClassVar[str] = "NRRD volume"
    suffixes: ClassVar[tuple[str, ...]] = (".nrrd",)
    detail: ClassVar[str] = "for 3D Slicer; provenance next to it"

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, sidecar_path(path)

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        content = _text(volume).encode() + np.ascontiguousarray(volume.values, "<f4").tobytes()
        write_with_sidecar(path, content, volume.unit, provenance)


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
        "content": "Isocenter, not for clinical use",
    }
    return "NRRD0004\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "\n"


def _point(values: Iterable[float]) -> str:
    return "(" + ",".join(f"{value + 0.0:.9g}" for value in values) + ")"


def _layout(header: Plain, file: InputFile) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
    shape, name = tuple(int(n) for n in header["sizes"]), str(header["type"]).lower()
    if len(shape) not in (3, 4) or min(shape) < 1 or name not in TYPES:
        raise GeometryError(
            f"{file.name}: has {' × '.join(map(str, shape))} values of type {name}, expected real "
            "numbers with three axes, or four with time frames; export one number per voxel."
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
    apart = [k for k, step in enumerate(steps) if np.isnan(step).all()] if len(steps) == 4 else []
    if len(apart) != 1:
        raise GeometryError(
            f"{file.name}: {len(apart)} of its four axes have no direction in space, expected one "
            "(the time frames); export a single volume."
        )
    kind = kinds[apart[0]] if len(kinds) == 4 else ""
    # Such an axis (colours, tensors) has no direction either, but is not time.
    if any(part in kind for part in COMPONENTS):
        raise GeometryError(
            f"{file.name}: each voxel has {shape[apart[0]]} values ({kind}), expected one; export "
            "one number per voxel."
        )
    return apart[0]


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
            f"{file.name}: the patient orientation is missing or incomplete (its space is "
            f"{space[:40]!r}), expected a space such as left-posterior-superior with directions "
            "and an origin; export it again with its orientation."
        )
    said = [str(unit).strip('"').lower() for unit in header.get("space units", [])]
    units = {*said} or {"mm"}
    if len(units) != 1 or not units <= set(MM):
        raise FileFormatError(
            f"{file.name}: its lengths are in {', '.join(sorted(units))}, expected mm, cm, m, µm "
            "or nm; export it again."
        )
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = steps.T, origin
    scale = MM[units.pop()]
    # Unit and axes of space change together; the array itself keeps its order.
    matrix = np.diag([*(scale * sign for sign in SPACES[space]), 1.0]) @ affine
    note = f"{file.name}: states no unit of length; mm is assumed."
    return np.asarray(matrix), () if said else (note,)

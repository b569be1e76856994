"""MATLAB files of the Helsinki Tomography Challenge 2022: one fan-beam slice and its parameters.

Structs of plain numbers and texts only. At angle 0 the source is at (0, distance, 0); the object
turns counter-clockwise, so the source turns clockwise, and columns go left as the source sees them.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from engine.data.projections import Projections
from engine.errors import FileFormatError, GeometryError
from engine.io.base import ProjectionsReader
from engine.io.open_input import InputFile
from engine.io.xray.angles import read_angles
from engine.io.xray.frames import assemble, refuse_count
from engine.io.xray.keyvalue import refuse_distances
from engine.io.xray.pose import turned_cone
from engine.plain import Plain

MARK = b"MATLAB 5.0 MAT-file"
NAMES = ("CtDataFull", "CtDataLimited")
MAX_BYTES = 2**28
COMPRESSED, HEADER_BYTES, TAG_BYTES = 15, 128, 8
PIECE = 2**20
FACTS = {"voltage_kv": "voltage", "current_ma": "current", "exposure_ms": "exposureTime"}


class HtcMatlab(ProjectionsReader):
    """Sinogram of the Helsinki Tomography Challenge."""

    name: ClassVar[str] = "HTC 2022 sinogram (MATLAB)"
    suffixes: ClassVar[tuple[str, ...]] = (".mat",)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.head.startswith(MARK) and _name_of(file) in NAMES

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path = file.path
        _refuse_too_large(file)
        data = _Struct(_variable(file), path)
        parameters = _Struct(data.field("parameters"), path)
        sinogram = data.numbers("sinogram")
        if sinogram.ndim != 2:
            raise FileFormatError(
                f"{path.name}: a sinogram of {sinogram.ndim} axes, want (angle, pixel)."
            )
        stated = parameters.numbers("angles").reshape(-1)
        refuse_count(path, len(sinogram), len(stated))
        angles = read_angles(stated, "deg", f"{path.name}: angles")
        values = np.ascontiguousarray(sinogram[: len(angles.rad), None], np.float32)
        sod = parameters.number("distanceSourceOrigin")
        sdd = parameters.number("distanceSourceDetector")
        refuse_distances(path, sod, sdd)
        pixel = parameters.number("pixelSizePost")
        n_pixels = int(parameters.number("numDetectorsPost"))
        if n_pixels != sinogram.shape[1]:
            raise GeometryError(
                f"{path.name}: the sinogram has {sinogram.shape[1]:,} pixels, its parameters say "
                f"{n_pixels:,}; export it again."
            )
        geometry = turned_cone(
            np.pi - angles.rad,
            source_mm=(0.0, -sod, 0.0),
            detector_mm=(0.0, sdd - sod, 0.0),
            u_mm=(-pixel, 0.0, 0.0),
            v_mm=(0.0, 0.0, pixel),
            shape=(1, n_pixels),
        )
        return assemble(
            path,
            values,
            geometry,
            "integrals",
            info={"format": cls.name, **parameters.facts()},
            notes=angles.notes,
        )


def _name_of(file: InputFile) -> str:
    """Name of the first variable, "" where it cannot be told."""
    import scipy.io

    try:
        variables = scipy.io.whosmat(cast("str", file.stream()))
    except _damage():
        return ""
    return str(variables[0][0]) if variables else ""


def _damage() -> tuple[type[Exception], ...]:
    """What a damaged file makes the library raise."""
    from scipy.io.matlab import MatReadError

    return (
        MatReadError,
        NotImplementedError,
        OSError,
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        zlib.error,
        struct.error,
    )


def _refuse_too_large(file: InputFile) -> None:
    """Refuse a file that unpacks to more than a sinogram can be; nothing unpacked is kept."""
    total = 0
    order = "<" if file.head[126:128] == b"IM" else ">"
    at = HEADER_BYTES
    while total <= MAX_BYTES and len(tag := file.read(TAG_BYTES, at)) == TAG_BYTES:
        kind, n_bytes = struct.unpack(f"{order}II", tag)
        at += TAG_BYTES
        packed = kind == COMPRESSED
        total += _unpacked(file.read(n_bytes, at), file.path) if packed else n_bytes
        at += n_bytes
    if total > MAX_BYTES:
        raise FileFormatError(
            f"{file.name}: unpacks to more than {MAX_BYTES:,} bytes; not a sinogram of HTC 2022."
        )


def _unpacked(data: bytes, path: Path) -> int:
    unpack = zlib.decompressobj()
    total = 0
    try:
        while data and total <= MAX_BYTES:
            total += len(unpack.decompress(data, PIECE))
            data = unpack.unconsumed_tail
    except zlib.error as e:
        raise FileFormatError(f"{path.name}: damaged ({e}); copy it again.") from e
    return total


def _variable(file: InputFile) -> Any:
    import scipy.io

    try:
        content = scipy.io.loadmat(cast("str", file.stream()), variable_names=NAMES)
    except _damage() as e:
        reason = " ".join(str(e).split())
        raise FileFormatError(
            f"{file.name}: damaged or truncated MATLAB file ({reason}); copy it again."
        ) from e
    return next(content[name] for name in NAMES if name in content)


class _Struct:
    """A MATLAB struct of one element, whose fields are plain arrays."""

    def __init__(self, value: Any, path: Path) -> None:
        plain = type(value) is np.ndarray and value.dtype.names is not None and value.size == 1
        if not plain:
            raise FileFormatError(f"{path.name}: not a plain struct; export it again from MATLAB.")
        self._value, self._path = value.reshape(-1)[0], path

    def field(self, name: str) -> Any:
        if name not in self._value.dtype.names:
            raise FileFormatError(f"{self._path.name}: has no field {name!r}; export it again.")
        value = self._value[name]
        if type(value) is not np.ndarray:
            raise FileFormatError(f"{self._path.name}: field {name!r} is an object, want numbers.")
        return value

    def numbers(self, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        value = self.field(name)
        if value.dtype.kind not in "iuf" or not value.size:
            raise FileFormatError(f"{self._path.name}: field {name!r} holds no numbers.")
        return np.asarray(value, np.float64)

    def number(self, name: str) -> float:
        number = float(self.numbers(name).reshape(-1)[0])
        if not 0 < number < np.inf:
            raise FileFormatError(
                f"{self._path.name}: {name!r} is {number:g}, want a number above 0."
            )
        return number

    def facts(self) -> Plain:
        """Facts of the scan, without names of people."""
        found: Plain = {}
        for key, name in FACTS.items():
            value = self._value[name] if name in self._value.dtype.names else np.empty(0)
            if value.size and value.dtype.kind == "U":
                found[key] = str(value.reshape(-1)[0])
        return found

"""Read MetaImage: header and values in one file (`.mha`), or a header (`.mhd`) and its values."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.folder import open_adjacent
from engine.io.safety.budget import refuse_bomb, refuse_large_data
from engine.io.safety.open_input import InputFile

TYPES = {
    "MET_UCHAR": "u1",
    "MET_CHAR": "i1",
    "MET_USHORT": "u2",
    "MET_SHORT": "i2",
    "MET_UINT": "u4",
    "MET_INT": "i4",
    "MET_FLOAT": "f4",
    "MET_DOUBLE": "f8",
}
LAST = "ElementDataFile"
ORDER = "ElementByteOrderMSB"
WORDS = {3: "three", 4: "four", 9: "nine", 16: "sixteen"}
MM = {"um": 1e-3, "mm": 1.0, "cm": 10.0, "?": 1.0}
"""Length units of MetaIO -> mm; "?" means unknown."""
MAX_PIXELS = 2**31
"""Largest size along an axis."""


@dataclass(frozen=True)
class MetaImage:
    """Values with their position.

    Attributes
    ----------
    values : (z, y, x), or (t, z, y, x) with time frames
    spacing_mm : between pixels along x, y, z [mm]
    origin_mm : centre of the first pixel, (x, y, z) [mm]
    directions : (3, 3); row k is the direction of axis x, y or z of the values
    comment : comment of the writer
    """

    values: Array
    spacing_mm: tuple[float, ...]
    origin_mm: tuple[float, ...]
    directions: Array
    comment: str = ""

    @property
    def is_volume(self) -> bool:
        """Return True if it is one volume without frames."""
        return self.values.ndim == 3


def read_meta_image(file: InputFile) -> MetaImage:
    """Read an image with three axes, or with time frames as the fourth.

    Parameters
    ----------
    file
        header, with the values or the name of a single file in the same folder

    Returns
    -------
    image
        values in the stored type

    Raises
    ------
    FileFormatError
        if a field is damaged, values are missing, or a voxel has several numbers
    """
    path = file.path
    fields, start = _header(file.head, path)
    # Files with other NDims fail below, because DimSize then has another number of values.
    n_axes = 4 if fields.get("NDims") == "4" else 3
    sizes = _numbers(fields, "DimSize", path, n=n_axes)
    # Check each size before the product, which decides on memory.
    if not all(n.is_integer() and 1 <= n <= MAX_PIXELS for n in sizes):
        raise FileFormatError(
            f"{path.name}: DimSize is {fields['DimSize'][:40]!r}, expected whole numbers above 0; "
            "save the image again."
        )
    size = [int(n) for n in sizes]
    ones, zeros = " ".join("1" * n_axes), " ".join("0" * n_axes)
    mm = _mm(fields, path)
    # MetaIO defaults: spacing 1, offset 0, axes along x, y and z.
    spacing = tuple(mm * n for n in _numbers(fields, "ElementSpacing", path, ones, n_axes)[:3])
    if min(spacing) <= 0:
        raise FileFormatError(
            f"{path.name}: ElementSpacing is {fields['ElementSpacing'][:40]!r}, expected numbers "
            "above 0; save the image again."
        )
    # Older files name it `Position`.
    offset = _numbers(fields, "Offset", path, fields.get("Position", zeros), n_axes)
    origin = tuple(mm * n for n in offset[:3])
    dtype = TYPES.get(fields.get("ElementType", ""))
    if dtype is None or fields.get("ElementNumberOfChannels", "1") != "1":
        channels = fields.get("ElementNumberOfChannels", "1")[:40]
        raise FileFormatError(
            f"{path.name}: each voxel has {channels} values of type {fields.get('ElementType')}, "
            "expected one real number; export one number per voxel."
        )
    # Both names are in use; ITK writes BinaryDataByteOrderMSB.
    order = "BinaryDataByteOrderMSB" if "BinaryDataByteOrderMSB" in fields else ORDER
    kind = np.dtype(dtype).newbyteorder(">" if _is_true(fields, order, path) else "<")
    n_values = math.prod(size)
    refuse_large_data(4 * n_values, path.name)
    n_bytes = n_values * kind.itemsize
    if fields[LAST].upper() == "LOCAL":
        data = _payload(file, start, n_bytes, fields)
    else:
        with open_adjacent(path, fields[LAST]) as adjacent:
            data = _payload(adjacent, _skipped(fields, adjacent, n_bytes), n_bytes, fields)
    values = np.frombuffer(data, kind).reshape(size[::-1])
    # A fourth axis of length 1 is not a series.
    values = values[0] if size[3:] == [1] else values
    directions = _directions(fields, path, n_axes)
    return MetaImage(values, spacing, origin, directions, fields.get("Comment", ""))


def _mm(fields: dict[str, str], path: Path) -> float:
    """Return the length unit in mm; MetaIO defines mm as the default."""
    unit = fields.get("DistanceUnits", "mm").lower()
    if unit not in MM:
        raise FileFormatError(
            f"{path.name}: DistanceUnits is {unit[:40]!r}, expected um, mm or cm; save the image "
            "again."
        )
    return MM[unit]


def _skipped(fields: dict[str, str], file: InputFile, n_bytes: int) -> int:
    """Return the first byte of the values in a separate file; with HeaderSize −1 they end it."""
    text = fields.get("HeaderSize", "0")
    if not text.lstrip("-").isdigit() or int(text) < -1:
        raise FileFormatError(
            f"{file.name}: HeaderSize is {text[:40]!r}, expected −1 or a number of bytes; save the "
            "image again."
        )
    return max(file.size - n_bytes, 0) if int(text) == -1 else int(text)


def _directions(fields: dict[str, str], path: Path, n_axes: int) -> Array:
    """Return the directions of the axes; the field also has two older names."""
    names = ("TransformMatrix", "Rotation", "Orientation")
    found = next((name for name in names if name in fields), None)
    if found is None:
        return np.eye(3)
    numbers = _numbers(fields, found, path, n=n_axes**2)
    return np.reshape(numbers, (n_axes, n_axes))[:3, :3]


def _header(head: bytes, path: Path) -> tuple[dict[str, str], int]:
    fields: dict[str, str] = {}
    place = 0
    # The header has no stated length; it ends after the field ElementDataFile.
    while (end := head.find(b"\n", place)) >= 0:
        key, _, value = head[place:end].decode("latin-1").partition("=")
        fields[key.strip()] = value.strip()
        place = end + 1
        # MetaIO requires ElementDataFile to be the last field: binary values can follow at once.
        if key.strip() == LAST:
            return fields, place
    raise FileFormatError(
        f"{path.name}: not a MetaImage (.mha) file; copy it again, or choose another file."
    )


def _numbers(
    fields: dict[str, str], key: str, path: Path, default: str = "", n: int = 3
) -> list[float]:
    text = fields.get(key, default)
    try:
        numbers = [float(part) for part in text.split()]
    except ValueError:
        numbers = []
    if len(numbers) != n or not np.isfinite(numbers).all():
        raise FileFormatError(
            f"{path.name}: {key!r} is {text[:40]!r}, expected {n} numbers; save the image again."
        )
    return numbers


def _is_true(fields: dict[str, str], key: str, path: Path) -> bool:
    word = fields.get(key, "False").lower()
    if word not in ("true", "false"):
        raise FileFormatError(
            f"{path.name}: {key!r} is {word[:40]!r}, expected True or False; save the image again."
        )
    return word == "true"


def _payload(file: InputFile, start: int, n_bytes: int, fields: dict[str, str]) -> bytes:
    if _is_true(fields, "CompressedData", file.path):
        refuse_bomb(n_bytes, file.size, file.name)
        try:
            # The limit stops a file that would unpack to more than its header states.
            data = zlib.decompressobj().decompress(file.read(start=start), n_bytes)
        except zlib.error as e:
            raise FileFormatError(f"{file.name}: damaged ({e}); copy it again.") from e
    else:
        data = file.read(n_bytes, start)
    if len(data) != n_bytes:
        raise FileFormatError(
            f"{file.name}: truncated after {len(data):,} bytes of values, expected {n_bytes:,}; "
            "copy it again."
        )
    return data

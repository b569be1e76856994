"""Voxel sizes of an array file, stated in a JSON sidecar or in the file itself.

    voxel_mm    voxel edges along x, y and z [mm]
    order       axes of the array indices, "zyx" for values[z, y, x]; "-y" is a reversed y axis
    centre_mm   x, y and z of the centre of the volume [mm]; default 0
    unit        unit of the values
    array       name of the array, if the file contains several volumes
    shape       expected shape of the array; only in the sidecar

x points to the patient's left, y to the back, z to the head. Files of several arrays (.npz, .mat)
can contain these as variables with the same names.

Only variables that are requested by name are unpacked, however large the arrays are.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from zipfile import ZipFile

import numpy as np

from engine.core.errors import EngineError, FileFormatError, GeometryError
from engine.io.folder import exists
from engine.io.safety.open_input import InputFile, read_text
from engine.io.safety.ranges import known_unit
from engine.io.text.json_text import from_json
from engine.io.volumes.npy import DAMAGE
from engine.io.xray import matlab
from engine.io.xray.hdf5.opening import open_tree
from engine.io.xray.hdf5.values import attribute

VOXEL = "voxel_mm"
NAME = "array"
FACTS = (VOXEL, "order", "centre_mm", "unit", NAME)
NAMES = (*FACTS, "shape")
SIDECAR = ".json"
MAX_BYTES = 100_000
AXES = "xyz"
ORDER = re.compile(r"([+-]?[xyz])" * 3)
BETWEEN = re.compile(r"[\s,]+")
EXAMPLE = '{"voxel_mm": [2, 2, 2.5], "order": "zyx"}'
ZIP = b"PK\x03\x04"
NAME_AT, NAME_LENGTH = 30, slice(26, 28)
"""Offset of the first file name in a ZIP archive, and position of its length."""
MEMBER = ".npy"
MAX_VARIABLE_BYTES = 4096
"""Size limit of a fact; larger variables are arrays."""


@dataclass(frozen=True)
class ArraySizes:
    """Stated position and orientation of a volume.

    Attributes
    ----------
    voxel_mm : edges along x, y, z [mm]
    axes : for each array index, the axis of space (0 is x) and the direction, 1 or −1
    centre_mm : centre of the volume (x, y, z) [mm]; None if not stated
    unit : unit of the values, "" if not stated
    array : name in the file, "" for the only one
    shape : expected shape of the array; None if not stated
    """

    voxel_mm: tuple[float, ...]
    axes: tuple[tuple[int, int], ...]
    centre_mm: tuple[float, ...] | None
    unit: str
    array: str
    shape: tuple[float, ...] | None


def adjacent_sidecar(path: Path) -> Path | None:
    """Return the JSON sidecar of an array file.

    Parameters
    ----------
    path
        array file; the sidecar has the same name with .json

    Returns
    -------
    sidecar
        None if there is none, or it states no voxel size
    """
    sidecar = path.with_suffix(SIDECAR)
    # An array file can itself end in .json by mistake.
    if sidecar == path or not exists(sidecar):
        return None
    try:
        text = read_text(sidecar, MAX_BYTES)
    except EngineError:
        return None
    return sidecar if f'"{VOXEL}"' in text else None


def stated_in(sidecar: Path) -> Mapping[str, object]:
    """Return the content of a sidecar.

    Parameters
    ----------
    sidecar
        JSON file of at most 100 kB

    Raises
    ------
    FileFormatError
        if it is not a JSON object
    """
    try:
        return from_json(read_text(sidecar, MAX_BYTES))
    except ValueError as e:
        raise FileFormatError(
            f"{sidecar.name}: not valid JSON; write it like {EXAMPLE}. Reason: {e}."
        ) from e


def sizes_from(stated: Mapping[str, object], file: InputFile, where: str) -> ArraySizes:
    """Return the stated voxel sizes of an array after checking each of them.

    Parameters
    ----------
    stated
        values by the names above; `voxel_mm` must be among them
    file
        the array file
    where
        name of the stating file, for error messages

    Raises
    ------
    FileFormatError
        if a key is unknown or a value has another type
    GeometryError
        if `order` is missing or not a permutation of x, y and z
    """
    # A misspelt key would otherwise leave its default in place without notice.
    unknown = sorted(set(stated) - set(NAMES))
    if unknown:
        raise FileFormatError(
            f"{where}: {unknown[0][:40]!r} is an unknown key, expected one of {', '.join(NAMES)}; "
            "correct the key."
        )
    centre = stated.get("centre_mm")
    shape = stated.get("shape")
    return ArraySizes(
        _numbers(stated[VOXEL], VOXEL, where),
        _axes(stated.get("order"), where),
        None if centre is None else _numbers(centre, "centre_mm", where),
        known_unit(file.path, _text(stated.get("unit", ""), "unit", where)),
        _text(stated.get(NAME, ""), NAME, where),
        None if shape is None else _numbers(shape, "shape", where),
    )


def _numbers(value: object, name: str, where: str) -> tuple[float, ...]:
    try:
        numbers = np.asarray(value)
        if numbers.dtype.kind in "iuf" and numbers.size == 3 and np.isfinite(numbers).all():
            return tuple(float(n) for n in numbers.ravel())
    except (ValueError, TypeError):
        pass
    raise FileFormatError(
        f"{where}: {name!r} is {str(value)[:60]}, expected three numbers; write it as in {EXAMPLE}."
    )


def _text(value: object, name: str, where: str) -> str:
    # NumPy and MATLAB store a text as an array of one string or of letters.
    parts = value.ravel().tolist() if isinstance(value, np.ndarray) else value
    texts: list[object] = parts if isinstance(parts, list) else [parts]
    if not texts or not all(isinstance(part, str) for part in texts):
        raise FileFormatError(
            f"{where}: {name!r} is {str(value)[:60]}, expected text; correct the value."
        )
    return "".join(str(part) for part in texts)


def _axes(value: object, where: str) -> tuple[tuple[int, int], ...]:
    """Return the axis of space and the direction of each index."""
    text = "" if value is None else _text(value, "order", where)
    found = ORDER.fullmatch(BETWEEN.sub("", text))
    letters = found.groups() if found else ()
    # No default: a wrong order would mirror or turn the patient without notice.
    if sorted(letter[-1] for letter in letters) != list(AXES):
        if not text:
            raise GeometryError(
                f'{where}: the order of the axes is missing; write order = "zyx" for values[z, y, '
                "x], with a minus before each reversed axis (+x is the patient's left, +y the "
                "back, +z the head)."
            )
        raise GeometryError(
            f'{where}: the order of the axes {text[:40]!r} is not valid; write order = "zyx" for '
            "values[z, y, x], with a minus before each reversed axis (+x is the patient's left, "
            "+y the back, +z the head)."
        )
    return tuple((AXES.index(each[-1]), -1 if each[0] == "-" else 1) for each in letters)


def is_npz(head: bytes) -> bool:
    """Return True if a file begins like a ZIP archive whose first file is a NumPy array."""
    if not head.startswith(ZIP) or len(head) < NAME_AT:
        return False
    (length,) = struct.unpack("<H", head[NAME_LENGTH])
    # Any ZIP starts with PK: OME-Zarr, Office files and others must not be opened as arrays.
    return head[NAME_AT : NAME_AT + length].endswith(MEMBER.encode())


def is_array_file(file: InputFile) -> bool:
    """Return True if the content is that of a NumPy or MATLAB file.

    Parameters
    ----------
    file
        .npy, .npz, .mat (version 5 or 7.3) or another; the ending is ignored
    """
    marks = (np.lib.format.MAGIC_PREFIX, matlab.MARK, matlab.MARK_OF_HDF5)
    return file.head.startswith(marks) or is_npz(file.head)


def facts_in(file: InputFile, names: Sequence[str]) -> dict[str, object]:
    """Return the requested variables of an array file.

    Parameters
    ----------
    file
        .npz or .mat; others give {}
    names
        variables; missing ones, and those above 4096 bytes, are left out

    Returns
    -------
    facts
        name -> NumPy array, or text

    Raises
    ------
    FileFormatError
        if the file is damaged
    """
    if file.head.startswith(matlab.MARK_OF_HDF5):
        return _in_hdf5(file, names)
    try:
        if file.head.startswith(matlab.MARK):
            return _in_matlab(file, names)
        return _in_npz(file, names) if is_npz(file.head) else {}
    except (*DAMAGE, TokenError, struct.error, zlib.error) as e:
        reason = " ".join(str(e).split()) or type(e).__name__
        raise FileFormatError(
            f"{file.name}: damaged or truncated array file; copy it again. Reason: {reason}."
        ) from e


def _in_npz(file: InputFile, names: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    with ZipFile(file.stream()) as archive:
        for each in archive.infolist():
            name = each.filename.removesuffix(MEMBER)
            if name in names and each.file_size <= MAX_VARIABLE_BYTES:
                with archive.open(each) as stream:
                    # A pickle in a file from elsewhere could run any code.
                    found[name] = np.lib.format.read_array(stream, allow_pickle=False)
    return found


def _in_matlab(file: InputFile, names: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    head = file.read(matlab.HEADER_BYTES)
    for entry in matlab.entries(file.read, file.size):
        if entry.name in names and entry.n_bytes <= MAX_VARIABLE_BYTES:
            # The parser needs the file header for the byte order.
            content = memoryview(head + file.read(entry.n_bytes, entry.start))
            found.update(matlab.variables(content, MAX_VARIABLE_BYTES))
    return found


def _in_hdf5(file: InputFile, names: Sequence[str]) -> dict[str, object]:
    """Return variables of MATLAB 7.3, which stores texts as character codes."""
    found: dict[str, object] = {}
    with open_tree(file) as tree:
        for name in names:
            item = tree.dataset(f"/{name}")
            if item is None or item.nbytes > MAX_VARIABLE_BYTES or attribute(item, "MATLAB_empty"):
                continue
            # MATLAB stores columns first, so the axes in HDF5 are reversed.
            stored = np.asarray(item[()]).T
            is_text = attribute(item, "MATLAB_class") == "char" and stored.dtype.kind == "u"
            found[name] = "".join(chr(letter) for letter in stored.ravel()) if is_text else stored
    return found

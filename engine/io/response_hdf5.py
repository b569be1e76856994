"""Response matrices in HDF5: the folded rows, their scanner, a checksum of every column.

The format is described in `FORMATS.md`, beside this file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Array
from engine.data.response import ResponseMatrix
from engine.errors import FileFormatError, GeometryError
from engine.geometry.dual_head import DualHead
from engine.io.folder import exists, is_folder
from engine.io.hdf5 import (
    as_json,
    column,
    dataset,
    format_of,
    is_hdf5,
    open_hdf5,
    read_json,
    text_of,
)
from engine.io.hdf5_seal import SEALED, check_seal, seal
from engine.io.hdf5_writer import reserve, write_hdf5
from engine.io.open_input import InputFile, open_input
from engine.io.scanner_hdf5 import read_stored_scanner, store_scanner
from engine.io.seal import digest

if TYPE_CHECKING:
    import h5py

FORMAT, VERSION = "isocenter-response", SEALED
COLUMNS = {
    "starts": "<i8",
    "windows": "<i2",
    "places": "<u2",
    "values": "<f2",
    "scales": "<f4",
    "dropped": "<f4",
    "errors": "<f4",
}
"""Name of each column and the type it is kept in."""


def is_response(file: InputFile) -> bool:
    """Whether a file holds a response matrix."""
    return is_hdf5(file.head) and format_of(file) == FORMAT


def write_response(matrix: ResponseMatrix, path: Path) -> None:
    """Write a matrix, whole or not at all."""
    columns: dict[str, Array] = {
        f"response/{name}": np.ascontiguousarray(getattr(matrix, name), dtype)
        for name, dtype in _types(matrix).items()
    }
    write_hdf5(path, lambda file: _fill(file, matrix, columns), columns)


def _types(matrix: ResponseMatrix) -> dict[str, str]:
    single = matrix.values.dtype == np.float32
    return COLUMNS | {"values": "<f4" if single else "<f2"}


def _fill(file: h5py.File, matrix: ResponseMatrix, columns: dict[str, Array]) -> None:
    file.attrs["format"] = np.bytes_(FORMAT)
    file.attrs["version"] = VERSION
    store_scanner(file, matrix.scanner)
    for name, values in columns.items():
        reserve(file, name, values)
    file.create_dataset("info", data=as_json(matrix.info), track_times=False)
    seal(file)


def read_response(
    path: Path | str, scanner: DualHead | None = None, *, any_image: bool = False
) -> ResponseMatrix:
    """Read a matrix.

    Parameters
    ----------
    path
        an Isocenter response matrix
    scanner
        whose matrix is wanted; another one's is refused
    any_image
        take a matrix of this scanner with another image between its panels, too
    """
    path = Path(path)
    refuse_unfinished(path)
    with open_input(path) as opened, open_hdf5(opened) as file:
        notes = check_seal(file, path, FORMAT, [f"response/{name}" for name in COLUMNS])
        stored = read_stored_scanner(file, path)
        if not isinstance(stored, DualHead):
            raise FileFormatError(f"{path.name}: its scanner is no dual-head scanner; not usable.")
        if scanner is not None:
            refuse_other_scanner(stored, scanner, path, any_image=any_image)
        values = dataset(file, "response/values", path)
        wanted = COLUMNS | {"values": "<f4" if values.dtype == np.float32 else "<f2"}
        columns = {name: _column(file, name, dtype, path) for name, dtype in wanted.items()}
        info = read_json(file, "info", path)
    try:
        matrix = ResponseMatrix(stored, **columns, info=info, notes=notes)
    except GeometryError as e:
        raise FileFormatError(f"{path.name}: {e}") from e
    _refuse_impossible(matrix, path)
    return matrix


def refuse_other_scanner(
    stored: DualHead, scanner: DualHead, path: Path, *, any_image: bool = False
) -> None:
    """Refuse a matrix that is not of this scanner and, unless any will do, its image."""
    if stored.fingerprint() | {"name": ""} != scanner.fingerprint() | {"name": ""}:
        raise GeometryError(
            f"{path.name}: matrix of {stored.name!r} ({stored.describe()}), the scan is of "
            f"{scanner.name!r} ({scanner.describe()}) with other crystals; make a matrix of that."
        )
    if stored.grid != scanner.grid and not any_image:
        raise GeometryError(
            f"{path.name}: matrix for an image of {stored.grid.describe()}, the scanner's is "
            f"{scanner.grid.describe()}; make a matrix with that."
        )


def refuse_unfinished(path: Path) -> None:
    """Refuse a matrix of which there are parts only."""
    if not exists(path) and is_folder(path.with_name(f"{path.name}.parts")):
        raise FileFormatError(
            f"{path.name}: this matrix is only begun; build it again under this name to go on."
        )


def _column(file: h5py.File, name: str, dtype: str, path: Path) -> Array:
    item = dataset(file, f"response/{name}", path)
    values = column(item, dtype, path)
    if digest(values) != text_of(item.attrs.get("sha256", b"")):
        raise FileFormatError(
            f"{path.name}: {name} has changed since it was written (its checksum differs); "
            "copy the file again or make it anew."
        )
    return values


def _refuse_impossible(matrix: ResponseMatrix, path: Path) -> None:
    """Refuse rows that point outside their arrays, and values that are no probabilities."""
    starts = matrix.starts
    if starts[0] != 0 or starts[-1] != matrix.n_nonzero or (np.diff(starts) < 0).any():
        raise FileFormatError(
            f"{path.name}: starts do not lead from 0 to {matrix.n_nonzero:,}, the number of "
            "values; write the file again."
        )
    filled = np.flatnonzero(np.diff(starts))
    if not len(filled):
        raise FileFormatError(f"{path.name}: holds no values; write the file again.")
    sizes = matrix.windows.astype(np.int64).reshape(-1, 4)[filled, 2:]
    last = np.maximum.reduceat(matrix.places, starts[filled])
    if (sizes <= 0).any() or (last >= sizes.prod(axis=1)).any():
        raise FileFormatError(
            f"{path.name}: places lie outside their windows; write the file again."
        )
    for name in ("values", "scales"):
        column = getattr(matrix, name)
        if not (column.min() >= 0 and column.max() < np.inf):  # no number is neither
            raise FileFormatError(
                f"{path.name}: {name} hold numbers below 0 or no numbers; write the file again."
            )

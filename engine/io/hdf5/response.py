"""Response matrices in HDF5: the folded rows, their scanner, and a checksum of every column.

The response of panels with several layers has a group of columns for each stored pair of layers.
`engine/io/FORMATS.md` describes the format.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.layered_response import (
    LayeredResponse,
    StoredResponse,
    scanner_of_pair,
    stored_pairs,
)
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead
from engine.io.folder import exists, is_folder
from engine.io.hdf5.file_seal import check_seal
from engine.io.hdf5.opening import (
    dataset,
    format_of,
    is_hdf5,
    open_hdf5,
    read_json,
    unchanged_column,
)
from engine.io.hdf5.scanner import read_stored_scanner
from engine.io.hdf5.writer import write_measured
from engine.io.safety.open_input import InputFile, open_input

if TYPE_CHECKING:
    import h5py

FORMAT = "isocenter-response"
COLUMNS = {
    "starts": "<i8",
    "windows": "<i2",
    "places": "<u2",
    "values": "<f2",
    "scales": "<f4",
    "dropped": "<f4",
    "errors": "<f4",
}
"""Column -> type in the file."""
MAX_LAYERS = 4
"""Maximum number of crystal layers of a scanner."""


def is_response(file: InputFile) -> bool:
    """Return True if a file is a response matrix."""
    return is_hdf5(file.head) and format_of(file) == FORMAT


def write_response(response: StoredResponse, path: Path) -> None:
    """Write a response, completely or not at all."""
    if isinstance(response, LayeredResponse):
        matrices = {_group(*pair): matrix for pair, matrix in response.matrices.items()}
    else:
        matrices = {"response": response}
    columns: dict[str, Array] = {
        f"{group}/{name}": np.ascontiguousarray(getattr(matrix, name), dtype)
        for group, matrix in matrices.items()
        for name, dtype in _types(matrix.values).items()
    }
    write_measured(path, FORMAT, response.scanner, columns, response.info, {})


def _group(first: int, second: int) -> str:
    """Return the group of a pair of layers, that of panel 0 first."""
    return f"response/{first}-{second}"


def _types(values: Any) -> dict[str, str]:
    # float16 halves the size of the file; float32 is for matrices that need its precision.
    return COLUMNS | {"values": "<f4" if values.dtype == np.float32 else "<f2"}


def read_response(
    path: Path | str, scanner: DualHead | None = None, *, any_image: bool = False
) -> StoredResponse:
    """Read a response matrix, or those of all pairs of layers.

    Parameters
    ----------
    path
        Isocenter response matrix
    scanner
        scanner that it must belong to; None accepts any
    any_image
        True accepts a matrix of this scanner for another image

    Raises
    ------
    FileFormatError
        if it is not a response matrix, is incomplete, or has changed
    GeometryError
        if it belongs to another scanner or image
    """
    path = Path(path)
    # A computation of hours first writes parts into a folder, and users may open the final name.
    refuse_unfinished(path)
    with open_input(path) as opened, open_hdf5(opened) as file:
        notes = check_seal(file, path, FORMAT, _compared(file))
        stored = _scanner_of(file, path)
        if scanner is not None:
            refuse_other_scanner(stored, scanner, path, any_image=any_image)
        info = read_json(file, "info", path)
        try:
            if stored.settings.n_layers == 1:
                return _matrix(file, "response", stored, info, path, notes)
            matrices = {
                pair: _matrix(file, _group(*pair), scanner_of_pair(stored, *pair), info, path)
                for pair in stored_pairs(stored.settings.n_layers)
            }
        except GeometryError as e:
            raise FileFormatError(f"{path.name}: {e}") from e
    return LayeredResponse(stored, matrices, info, notes)


def read_response_scanner(path: Path | str) -> DualHead:
    """Read only the scanner of a response, which includes its image.

    Parameters
    ----------
    path
        Isocenter response matrix; its values, often several GB, are not read
    """
    path = Path(path)
    refuse_unfinished(path)
    with open_input(path) as opened, open_hdf5(opened) as file:
        check_seal(file, path, FORMAT, _compared(file))
        return _scanner_of(file, path)


def _compared(file: h5py.File) -> list[str]:
    """Return all columns that a file can have; checksums are compared where they are read."""
    # The number of layers is not known before the scanner is read, so list all possible groups.
    groups = ["response", *(_group(*pair) for pair in stored_pairs(MAX_LAYERS))]
    return [f"{group}/{name}" for group in groups if group in file for name in COLUMNS]


def _scanner_of(file: h5py.File, path: Path) -> DualHead:
    stored = read_stored_scanner(file, path)
    if not isinstance(stored, DualHead):
        raise FileFormatError(
            f"{path.name}: the matrix is for {stored.name!r}, expected a dual-head scanner; choose "
            "another file."
        )
    return stored


def _matrix(
    file: h5py.File,
    group: str,
    scanner: DualHead,
    info: Plain,
    path: Path,
    notes: tuple[str, ...] = (),
) -> ResponseMatrix:
    """Read the columns of one group."""
    # The type of the stored values decides, because both are valid.
    types = _types(dataset(file, f"{group}/values", path))
    columns = {
        name: unchanged_column(dataset(file, f"{group}/{name}", path), dtype, path)
        for name, dtype in types.items()
    }
    matrix = ResponseMatrix(scanner, **columns, info=info, notes=notes)
    _refuse_impossible(matrix, path)
    return matrix


def refuse_other_scanner(
    stored: DualHead, scanner: DualHead, path: Path, *, any_image: bool = False
) -> None:
    """Refuse a matrix of another scanner or, unless `any_image`, of another image.

    Parameters
    ----------
    stored
        scanner of the matrix
    scanner
        scanner of the scan
    path
        file, for messages
    any_image
        True ignores the image

    Raises
    ------
    GeometryError
        states both scanners or both images
    """
    # A scanner that was only renamed still has the same response.
    if stored.fingerprint() | {"name": ""} != scanner.fingerprint() | {"name": ""}:
        raise GeometryError(
            f"{path.name}: the matrix is for {stored.name!r}, but the scan is from "
            f"{scanner.name!r}; compute a matrix for {scanner.name!r}. Scanner of the matrix: "
            f"{stored.describe()}. Scanner of the scan: {scanner.describe()}."
        )
    if stored.grid != scanner.grid and not any_image:
        raise GeometryError(
            f"{path.name}: the image grid of the matrix ({stored.grid.describe()}) differs from "
            f"that of the scanner ({scanner.grid.describe()}); compute a new matrix for this image "
            "size."
        )


def refuse_unfinished(path: Path) -> None:
    """Refuse a matrix that is still being computed.

    Raises
    ------
    FileFormatError
        if only the folder with its parts exists
    """
    if not exists(path) and is_folder(path.with_name(f"{path.name}.parts")):
        raise FileFormatError(
            f"{path.name}: this matrix is incomplete; run the computation again with the same file "
            "name to complete it."
        )


def _refuse_impossible(matrix: ResponseMatrix, path: Path) -> None:
    """Refuse rows that point outside their arrays, and values that are not probabilities."""
    # Kernels use these as indices without a check, so wrong ones would read foreign memory.
    starts = matrix.starts
    if starts[0] != 0 or starts[-1] != matrix.n_nonzero or (np.diff(starts) < 0).any():
        raise FileFormatError(
            f"{path.name}: the row starts run from {starts[0]:,} to {starts[-1]:,}, expected "
            f"increasing numbers from 0 to {matrix.n_nonzero:,}; write the file again."
        )
    filled = np.flatnonzero(np.diff(starts))
    if not len(filled):
        raise FileFormatError(f"{path.name}: the matrix contains no values; compute it again.")
    sizes = matrix.windows.astype(np.int64).reshape(-1, 4)[filled, 2:]
    # `reduceat` returns the first element for an empty row, so only filled rows are compared.
    last = np.maximum.reduceat(matrix.places, starts[filled])
    if (sizes <= 0).any() or (last >= sizes.prod(axis=1)).any():
        raise FileFormatError(
            f"{path.name}: some voxel positions are outside the window of their row; compute the "
            "matrix again."
        )
    for name in ("values", "scales"):
        column = getattr(matrix, name)
        if not (column.min() >= 0 and column.max() < np.inf):  # also refuses NaN
            raise FileFormatError(
                f"{path.name}: the dataset {name!r} contains values from {column.min():g} to "
                f"{column.max():g}, expected at least 0; compute the matrix again."
            )

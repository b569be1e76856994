"""Crystal efficiencies: an HDF5 dataset `crystal_efficiencies`, or text.

Each line of text contains one efficiency, or `crystal efficiency`; `#` begins a comment.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.geometry.scanner import Scanner
from engine.io.hdf5.file_seal import check_foreign_seal
from engine.io.hdf5.opening import column, dataset, is_hdf5, open_hdf5
from engine.io.safety.open_input import open_input, refuse_not_finite
from engine.io.text.rows import Row, numbers_of, rows_of

if TYPE_CHECKING:
    import h5py

DATASET = "crystal_efficiencies"
MAX_BYTES = 256_000_000
MAX_CRYSTALS = 16_777_216
"""Upper limit; no scanner has more crystals."""


def read_efficiencies(path: Path, scanner: Scanner) -> NDArray[np.float32]:
    """Read the detection efficiencies of a scanner.

    Parameters
    ----------
    path
        HDF5 file or text
    scanner
        scanner that they must fit

    Returns
    -------
    efficiencies
        relative efficiency of each crystal, shape (n_crystals,); 0 for dead crystals and gaps

    Raises
    ------
    EngineError
        if the number of values differs, a value is negative or not finite, or all are 0
    """
    values = read_values(path)
    refuse_unusable(values, scanner, path)
    return values


def read_values(path: Path) -> NDArray[np.float32]:
    """Read efficiencies without comparing them with a scanner.

    Parameters
    ----------
    path
        HDF5 file or text

    Returns
    -------
    efficiencies
        shape (n,)
    """
    with open_input(path) as file:
        if is_hdf5(file.head):
            with open_hdf5(file) as tree:
                check_foreign_seal(tree, path)
                return _stored_values(dataset(tree, DATASET, path), path)
        lines = file.text(MAX_BYTES).splitlines()
    rows = rows_of(lines)
    if not rows:
        raise FileFormatError(f"{path.name}: contains no efficiencies; write one number per line.")
    # The first line decides. A line with another number of columns is then an error.
    return _numbered(path, rows) if len(rows[0][1]) == 2 else _listed(path, rows)


def _stored_values(item: h5py.Dataset, path: Path) -> NDArray[np.float32]:
    # Checked before reading: a damaged file can claim any type and size.
    if item.dtype.kind not in "iuf" or item.size > MAX_CRYSTALS:
        raise FileFormatError(
            f"{path.name}: {DATASET} contains {item.size:,} values of type {item.dtype}, expected "
            "one number per crystal; write the file again."
        )
    return np.asarray(column(item, item.dtype.str, path), np.float32).ravel()


def refuse_unusable(values: Array, scanner: Scanner, path: Path) -> None:
    """Refuse efficiencies that cannot be those of a scanner.

    Parameters
    ----------
    values
        efficiencies, shape (n,)
    scanner
        scanner that they must fit
    path
        file, for the message

    Raises
    ------
    GeometryError
        if their number differs from the number of crystals
    DataError
        if a value is negative or not finite, or all are 0
    """
    if len(values) != scanner.n_crystals:
        raise GeometryError(
            f"{path.name}: the number of efficiencies is {len(values):,}, but {scanner.name!r} has "
            f"{scanner.n_crystals:,} crystals; choose the file for this scanner."
        )
    refuse_not_finite(path, values)
    # 0 is allowed: it marks a dead crystal or a gap of the ring.
    if (values < 0).any():
        k = int(np.argmax(values < 0))
        raise DataError(
            f"{path.name}: the efficiency of crystal {k:,} is {values[k]:g}, expected at least 0; "
            "correct the file."
        )
    if not values.any():
        raise DataError(
            f"{path.name}: all efficiencies are 0, so no crystal could detect anything; choose "
            "another file or reconstruct without normalisation."
        )


def _listed(path: Path, rows: list[Row]) -> NDArray[np.float32]:
    return np.array([numbers_of(path, row, 1)[0] for row in rows], np.float32)


def _numbered(path: Path, rows: list[Row]) -> NDArray[np.float32]:
    """Return the values of `crystal efficiency` rows, which must name each of 0 … n − 1 once."""
    values = np.zeros(len(rows), np.float32)
    seen = np.zeros(len(rows), bool)
    for line, fields in rows:
        crystal, value = numbers_of(path, (line, fields), 2)
        k = int(crystal) if crystal.is_integer() else -1
        if not 0 <= k < len(rows) or seen[k]:
            raise FileFormatError(
                f"{path.name}, line {line}: crystal {fields[0]} is out of range or listed twice, "
                f"expected each number from 0 to {len(rows) - 1:,} exactly once; correct the file."
            )
        values[k], seen[k] = value, True
    return values

"""Isocenter histograms of dual-head scanners: counts of every line in an HDF5 file.

`engine/io/FORMATS.md` describes the format for other programs.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.histogram import Histogram
from engine.geometry.dual_head import DualHead
from engine.io.base import HistogramReader
from engine.io.hdf5.file_seal import check_seal
from engine.io.hdf5.opening import (
    dataset,
    first_row,
    format_of,
    is_hdf5,
    open_hdf5,
    read_json,
    unchanged_column,
)
from engine.io.hdf5.scanner import read_stored_scanner
from engine.io.hdf5.writer import write_measured
from engine.io.safety.open_input import InputFile
from engine.io.scanners import read_scanner

if TYPE_CHECKING:
    import h5py

FORMAT = "isocenter-histogram"
COLUMNS = ("prompts", "delayeds", "additive", "normalisation")


class HistogramHdf5(HistogramReader):
    """Isocenter histogram."""

    format_name: ClassVar[str] = "Isocenter histogram (HDF5)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_hdf5(file.head) and format_of(file) == FORMAT

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> Histogram:
        path = file.path
        with open_hdf5(file) as tree:
            compared = [*(f"histogram/{name}" for name in COLUMNS), "efficiencies"]
            notes = check_seal(tree, path, FORMAT, compared)
            # The scanner first: the number of lines, and so the size of every column, follows from
            # it.
            place = _scanner_in_use(read_stored_scanner(tree, path), scanner, path)
            _refuse_unknown(tree, path)
            columns: Plain = {
                name: _column(tree, f"histogram/{name}", place.n_lors, place, path)
                for name in COLUMNS
                if name == "prompts" or f"histogram/{name}" in tree
            }
            if "efficiencies" in tree:
                n = place.n_crystals
                columns["efficiencies"] = _column(tree, "efficiencies", n, place, path)
            duration_s = float(tree.attrs.get("duration_s", 0.0))
            if not math.isfinite(duration_s) or duration_s < 0:
                raise FileFormatError(
                    f"{path.name}: duration_s is {duration_s}, expected at least 0 s; write the "
                    "file again."
                )
            info = read_json(tree, "info", path)
            return Histogram(place, **columns, duration_s=duration_s, info=info, notes=notes)


def write_histogram(data: Histogram, path: Path) -> None:
    """Write a histogram, completely or not at all.

    Parameters
    ----------
    data
        counts, background and efficiencies are stored; corrections that were already applied are
        not
    path
        target; an existing file is replaced
    """
    given = {f"histogram/{name}": getattr(data, name) for name in COLUMNS}
    given["efficiencies"] = data.efficiencies
    columns: dict[str, Array] = {
        name: np.ascontiguousarray(values, "<f4")
        for name, values in given.items()
        if values is not None
    }
    attributes = {"duration_s": float(data.duration_s)}
    write_measured(path, FORMAT, data.scanner, columns, data.info, attributes)


def _scanner_in_use(stored: Any, named: str | None, path: Path) -> DualHead:
    if not isinstance(stored, DualHead):
        raise FileFormatError(
            f"{path.name}: the histogram is from {stored.name!r}, expected a scanner with two "
            "panels; write the file again with the correct scanner. Scanner in the file: "
            f"{stored.describe()}."
        )
    if named is None:
        return stored
    chosen = read_scanner(named)
    # Only these define the numbers and positions of the lines. Name and image can differ.
    same = ("n_rows", "n_columns", "n_layers", "pitch_mm", "separation_mm")
    if not isinstance(chosen, DualHead) or any(
        getattr(chosen.settings, key) != getattr(stored.settings, key) for key in same
    ):
        raise GeometryError(
            f"{path.name}: the histogram is from {stored.name!r}, but the chosen scanner is "
            f"{chosen.name!r}; choose the correct scanner, or omit it. Scanner in the file: "
            f"{stored.describe()}. Chosen scanner: {chosen.describe()}."
        )
    return chosen


def _refuse_unknown(file: h5py.File, path: Path) -> None:
    """Refuse unknown columns, which would otherwise be ignored silently."""
    # A misspelt "delayed" would give an image without randoms correction.
    unknown = [name for name in file.get("histogram", ()) if name not in COLUMNS]
    if unknown:
        raise FileFormatError(
            f"{path.name}: unknown histogram columns {', '.join(unknown)}, expected "
            f"{', '.join(COLUMNS)}; rename or remove the unknown columns."
        )


def _column(file: h5py.File, name: str, n: int, scanner: DualHead, path: Path) -> Array:
    """Return checked values as float32: checksum, size, and numbers of at least 0."""
    item = dataset(file, name, path)
    if item.shape != (n,):
        raise FileFormatError(
            f"{path.name}: the dataset {name!r} has {' × '.join(f'{k:,}' for k in item.shape)} "
            f"values, but {scanner.name!r} needs {n:,}; write the file again with the correct "
            f"scanner. Scanner in the file: {scanner.describe()}."
        )
    if item.dtype != np.float32 and item.dtype.kind not in "iu":
        raise FileFormatError(
            f"{path.name}: the dataset {name!r} has the type {item.dtype}, expected float32 or "
            "integers; write the file again."
        )
    # Integers are accepted, because other programs store counts as such.
    # The checksum covers the stored type, so it is compared before the conversion to float32.
    values = unchanged_column(item, item.dtype.str, path)
    # The negated form also finds NaN, for which every comparison is false.
    i = first_row(values, lambda part: ~((part >= 0) & (part < np.inf)))
    if i is not None:
        raise DataError(
            f"{path.name}: value {i:,} of the dataset {name!r} is {values[i]}, expected at least "
            "0; store measured values, without subtracting delayed coincidences from prompts."
        )
    return np.asarray(values, np.float32)

"""Isocenter list mode: simple columns in an HDF5 file.

`engine/io/FORMATS.md` describes the format for other programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner
from engine.io.base import ListModeReader
from engine.io.hdf5.file_seal import check_seal
from engine.io.hdf5.opening import (
    CHUNK,
    column,
    dataset,
    first_row,
    open_hdf5,
    read_json,
    text_of,
    unchanged_column,
)
from engine.io.hdf5.scanner import read_stored_scanner
from engine.io.hdf5.times import (
    LIVE,
    columns_of,
    name_signals,
    read_live,
    read_stored_triggers,
    table_of,
)
from engine.io.hdf5.writer import write_measured
from engine.io.safety.open_input import InputFile
from engine.io.safety.ranges import known_unit, stated_grid
from engine.io.scanners import read_scanner

if TYPE_CHECKING:
    import h5py

FORMAT = "isocenter-listmode"
COLUMNS = {
    "crystals": "<i4",
    "delayed": "|u1",
    "tof_bin": "<i2",
    "time_ms": "<u4",
    "additive": "<f4",
}


class ListModeHdf5(ListModeReader):
    """Isocenter list mode."""

    format_name: ClassVar[str] = "Isocenter list mode (HDF5)"

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        path = file.path
        with open_hdf5(file) as tree:
            seal_notes = check_seal(tree, path, FORMAT, [f"events/{name}" for name in COLUMNS])
            stored = read_stored_scanner(tree, path)
            place, notes = _scanner_in_use(stored, scanner, path)
            columns = _columns(tree, path)
            _refuse_values(columns, place, path)
            delayed = columns.get("delayed")
            return ListMode(
                scanner=place,
                crystals=columns["crystals"],
                delayed=None if delayed is None else delayed.view(np.bool_),
                tof_bins=columns.get("tof_bin"),
                time_ms=columns.get("time_ms"),
                additive=columns.get("additive"),
                duration_s=_at_least_0(tree, "duration_s", "s", path),
                efficiencies=_efficiencies(tree, place, path),
                singles=_singles(tree, place, path),
                live_times=read_live(tree, path),
                triggers=read_stored_triggers(tree, path),
                coincidence_window_ps=_at_least_0(tree, "coincidence_window_ps", "ps", path),
                mu_map=_mu_map(tree, path),
                info=read_json(tree, "info", path),
                notes=(*notes, *seal_notes, *order_notes(columns.get("time_ms"), path)),
            )


def write_listmode(data: ListMode, path: Path) -> None:
    """Write a scan, completely or not at all.

    Stored are events, scanner, duration, facts, singles, coincidence window, efficiencies, live
    times,
    triggers and μ-map, but no corrections that were already applied.

    Parameters
    ----------
    data
        scan to write
    path
        target; an existing file is replaced

    Raises
    ------
    FileFormatError
        if the scan has efficiencies of module pairs
    EngineError
        if a value could not be read again
    """
    if data.components is not None and data.components.pairs is not None:
        raise FileFormatError(
            f"{path.name}: this format cannot store the module-pair efficiencies of this scan; use "
            "the original file."
        )
    columns = _columns_of(data)
    events = {name.removeprefix("events/"): values for name, values in columns.items()}
    # The checks of the reader: nothing is written that could not be read again.
    _refuse_values(events, data.scanner, path)
    if data.singles is not None:
        _refuse_singles(columns["singles"], data.scanner, path)
    if data.efficiencies is not None:
        from engine.io.auxiliary.efficiencies import refuse_unusable

        refuse_unusable(columns["efficiencies"], data.scanner, path)
    attributes = {"n_events": data.n_events, "duration_s": float(data.duration_s)}
    if data.coincidence_window_ps:
        attributes["coincidence_window_ps"] = float(data.coincidence_window_ps)
    more = partial(_fill, data=data)
    write_measured(path, FORMAT, data.scanner, columns, data.info, attributes, more)


def _columns_of(data: ListMode) -> dict[str, Array]:
    """Return all large arrays, dataset name -> values."""
    given = {
        "crystals": data.crystals,
        "delayed": data.delayed,
        "tof_bin": data.tof_bins,
        "time_ms": data.time_ms,
        "additive": data.additive,
    }
    columns = {
        f"events/{name}": np.ascontiguousarray(values, COLUMNS[name])
        for name, values in given.items()
        if values is not None
    }
    if data.efficiencies is not None:
        columns["efficiencies"] = np.ascontiguousarray(data.efficiencies, "<f4")
    if data.singles is not None:
        columns["singles"] = np.ascontiguousarray(data.singles, "<f4")
    if data.live_times is not None:
        columns[LIVE] = table_of(data.live_times)
    columns |= columns_of(data.triggers)
    if data.mu_map is not None:
        columns["mu_map"] = np.ascontiguousarray(data.mu_map.values, "<f4")
    return columns


def _fill(file: h5py.File, data: ListMode) -> None:
    name_signals(file, data.triggers)
    if data.mu_map is not None:
        item = file["mu_map"]
        item.attrs["units"] = np.bytes_(data.mu_map.unit)
        item.attrs["voxel_mm"] = np.array(data.mu_map.grid.voxel_mm)
        item.attrs["centre_mm"] = np.array(data.mu_map.grid.centre_mm)


def _scanner_in_use(
    stored: Scanner, named: str | None, path: Path
) -> tuple[Scanner, tuple[str, ...]]:
    if named is None:
        return stored, ()
    chosen = read_scanner(named)
    # A corrected geometry may replace the stored one if the crystal numbers keep their meaning.
    if chosen.n_crystals != stored.n_crystals or chosen.tof != stored.tof:
        raise GeometryError(
            f"{path.name}: the scan is from {stored.name!r}, but the chosen scanner is "
            f"{chosen.name!r}; choose the correct scanner, or omit it. Scanner in the file: "
            f"{stored.describe()}. Chosen scanner: {chosen.describe()}."
        )
    if chosen.fingerprint() == stored.fingerprint():
        return chosen, ()
    return chosen, (f"The scanner {chosen.name!r} replaces the stored one.",)


def _columns(file: h5py.File, path: Path) -> dict[str, Array]:
    n_events = int(file.attrs.get("n_events", -1))
    columns: dict[str, Array] = {}
    for name, dtype in COLUMNS.items():
        if f"events/{name}" not in file and name != "crystals":
            continue
        item = dataset(file, f"events/{name}", path)
        shape = (n_events, 2) if name == "crystals" else (n_events,)
        if item.shape != shape:
            raise FileFormatError(
                f"{path.name}: the column {name!r} has {' × '.join(map(str, item.shape))} values, "
                f"expected {' × '.join(map(str, shape))} for {n_events:,} events; write the file "
                "again."
            )
        # The type must match exactly: a conversion could wrap crystal numbers silently.
        columns[name] = unchanged_column(item, dtype, path)
    return columns


def _refuse_values(columns: dict[str, Array], scanner: Scanner, path: Path) -> None:
    n_bins = scanner.tof.n_bins if scanner.tof else 0
    limits = {"crystals": scanner.n_crystals, "delayed": 2, "tof_bin": n_bins}
    for name, limit in limits.items():
        values = columns.get(name)
        if values is None:
            continue
        k = first_row(values, _outside(limit))
        if k is not None:
            raise DataError(
                f"{path.name}: {name!r} of event {k:,} is {values[k].tolist()}, expected 0 to "
                f"{limit - 1:,}; choose the correct scanner, or copy the file again."
            )
    additive = columns.get("additive")
    # `~(part >= 0)` also finds NaN.
    k = (
        None
        if additive is None
        else first_row(additive, lambda part: ~(part >= 0) | (part == np.inf))
    )
    if k is not None and additive is not None:
        raise DataError(
            f"{path.name}: the additive term of event {k:,} is {additive[k]}, expected at least 0; "
            "write the file again."
        )


def order_notes(time_ms: Array | None, path: Path) -> tuple[str, ...]:
    """Return a note if the events are not in order of time.

    Parameters
    ----------
    time_ms
        (n_events,) time of each event; None if it is not recorded
    path
        file, for the note
    """
    if time_ms is None:
        return ()
    for start in range(0, len(time_ms), CHUNK):
        # One event of overlap, so that a step back at the border of two chunks is found.
        part = time_ms[max(start - 1, 0) : start + CHUNK]
        back = np.flatnonzero(part[1:] < part[:-1])
        if len(back):
            k = max(start - 1, 0) + int(back[0]) + 1
            return (
                f"{path.name}: time runs backwards at event {k:,}, from {time_ms[k - 1]:,} to "
                f"{time_ms[k]:,} ms; the image does not depend on the order of events.",
            )
    return ()


def _outside(limit: int) -> Callable[[Array], NDArray[np.bool_]]:
    return lambda part: (part < 0) | (part >= limit)


def _at_least_0(file: h5py.File, name: str, unit: str, path: Path) -> float:
    value = float(file.attrs.get(name, 0.0))
    if not math.isfinite(value) or value < 0:
        raise FileFormatError(
            f"{path.name}: {name!r} is {value} {unit}, expected at least 0 {unit}; write the file "
            "again."
        )
    return value


def _singles(file: h5py.File, scanner: Scanner, path: Path) -> NDArray[np.float32] | None:
    if "singles" not in file:
        return None
    values = np.array(column(dataset(file, "singles", path), "<f4", path))
    _refuse_singles(values, scanner, path)
    return values


def _refuse_singles(values: Array, scanner: Scanner, path: Path) -> None:
    if values.shape != (scanner.n_crystals,):
        raise GeometryError(
            f"{path.name}: contains singles for {values.size:,} crystals, but {scanner.name!r} has "
            f"{scanner.n_crystals:,} crystals; write the file again."
        )
    if not (values >= 0).all() or np.isinf(values).any():
        raise DataError(
            f"{path.name}: the singles range from {values.min():g} to {values.max():g}, expected "
            "at least 0; write the file again."
        )


def _efficiencies(file: h5py.File, scanner: Scanner, path: Path) -> NDArray[np.float32] | None:
    if "efficiencies" not in file:
        return None
    from engine.io.auxiliary.efficiencies import refuse_unusable  # few scans have them

    values = np.array(column(dataset(file, "efficiencies", path), "<f4", path))
    refuse_unusable(values, scanner, path)
    return values


def _mu_map(file: h5py.File, path: Path) -> Volume | None:
    if "mu_map" not in file:
        return None
    item = dataset(file, "mu_map", path)
    values = np.array(column(item, "<f4", path))
    grid = stated_grid(path, values.shape, item.attrs["voxel_mm"], item.attrs["centre_mm"])
    return Volume(values, grid, known_unit(path, text_of(item.attrs["units"])))

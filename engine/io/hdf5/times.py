"""Trigger times and live times of a scan in HDF5.

The group `triggers` has one dataset in ms for each signal. Live times are rows of start [ms] and
live fraction of pairs from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.data.timing.live_time import LiveTimes
from engine.data.timing.triggers import Triggers
from engine.io.hdf5.opening import column, dataset, text_of

if TYPE_CHECKING:
    import h5py

GROUP, NAME = "triggers", "signal"
MAX_SIGNALS = 16
LIVE = "live_pairs"


def columns_of(triggers: Sequence[Triggers]) -> dict[str, Array]:
    """Return dataset name -> times; `name_signals` stores which signal each of them is."""
    return {f"{GROUP}/{k}": each.time_ms.astype("<i8") for k, each in enumerate(triggers)}


def name_signals(file: h5py.File, triggers: Sequence[Triggers]) -> None:
    """Write the name of the signal to each dataset of triggers.

    Parameters
    ----------
    file
        open for writing, with the datasets of `columns_of`
    triggers
        signals in the same order
    """
    for k, each in enumerate(triggers):
        file[f"{GROUP}/{k}"].attrs[NAME] = np.bytes_(each.name.encode())


def read_stored_triggers(file: h5py.File, path: Path) -> tuple[Triggers, ...]:
    """Read the trigger times of a scan.

    Parameters
    ----------
    file
        open for reading
    path
        file, for messages

    Returns
    -------
    triggers
        one for each signal; empty if the scan has none

    Raises
    ------
    FileFormatError
        if times do not increase
    """
    found: list[Triggers] = []
    # Numbered datasets keep the order of the signals, which names would not.
    while len(found) < MAX_SIGNALS and f"{GROUP}/{len(found)}" in file:
        item = dataset(file, f"{GROUP}/{len(found)}", path)
        times = np.array(column(item, "<i8", path))
        if times.ndim != 1:
            raise FileFormatError(
                f"{path.name}: the trigger times have the shape {times.shape}, expected (n,); "
                "write the file again."
            )
        back = np.flatnonzero(np.diff(times) <= 0)
        if len(back):
            raise FileFormatError(
                f"{path.name}: trigger {back[0] + 1} is at {times[back[0] + 1]:,} ms, expected a "
                f"time after {times[back[0]]:,} ms; write the file again."
            )
        found.append(Triggers(text_of(item.attrs.get(NAME, b"triggers")), times))
    return tuple(found)


def table_of(live: LiveTimes) -> Array:
    """Return live times as a table, (n, 2) float64."""
    return np.column_stack([live.starts_ms, live.pairs]).astype("<f8")


def read_live(file: h5py.File, path: Path) -> LiveTimes | None:
    """Read the live times of a scan.

    Parameters
    ----------
    file
        open for reading
    path
        file, for messages

    Returns
    -------
    live
        None if the scan has none

    Raises
    ------
    FileFormatError
        if the table is not valid
    """
    if LIVE not in file:
        return None
    table = np.array(column(dataset(file, LIVE, path), "<f8", path))
    if table.ndim != 2 or table.shape[1] != 2 or not len(table):
        raise FileFormatError(
            f"{path.name}: the dataset {LIVE!r} has the shape {table.shape}, expected (n, 2); "
            "write the file again."
        )
    if not np.isfinite(table).all() or (table[:, 1] < 0).any():
        raise FileFormatError(
            f"{path.name}: the dataset {LIVE!r} contains values from {table.min():g} to "
            f"{table.max():g}, expected finite start times and live fractions of at least 0; write "
            "the file again."
        )
    starts = table[:, 0]
    # float64 stores ms of 32 bits exactly, so the conversion to integers loses nothing.
    if (np.diff(starts) < 0).any() or (np.abs(starts) > np.iinfo(np.uint32).max).any():
        raise FileFormatError(
            f"{path.name}: the start times in the dataset {LIVE!r} run from {starts[0]:g} to "
            f"{starts[-1]:g} ms, expected increasing times of at most {np.iinfo(np.uint32).max:,} "
            "ms; write the file again."
        )
    return LiveTimes(starts.astype(np.int64), table[:, 1])

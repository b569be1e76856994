"""Live times during a scan in HDF5: rows of start [ms] and live fraction of pairs from then on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.data.timing.live_time import LiveTimes
from engine.io.hdf5.opening import column, dataset

if TYPE_CHECKING:
    import h5py

LIVE = "live_pairs"


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
            f"{path.name}: {LIVE} has the shape {table.shape}, expected (n, 2); write the file "
            "again."
        )
    if not np.isfinite(table).all() or (table[:, 1] < 0).any():
        raise FileFormatError(
            f"{path.name}: {LIVE} contains values from {table.min():g} to {table.max():g}, "
            "expected finite start times and live fractions of at least 0; write the file again."
        )
    starts = table[:, 0]
    # float64 stores ms of 32 bits exactly, so the conversion to integers loses nothing.
    if (np.diff(starts) < 0).any() or (np.abs(starts) > np.iinfo(np.uint32).max).any():
        raise FileFormatError(
            f"{path.name}: the start times of {LIVE} ({starts[0]:g} to {starts[-1]:g} ms) do not "
            "increase; write the file again."
        )
    return LiveTimes(starts.astype(np.int64), table[:, 1])

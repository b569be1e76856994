"""Trigger times in HDF5: one dataset of ms for each signal, in the group `triggers`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.data.timing.triggers import Triggers
from engine.io.hdf5.opening import column, dataset, text_of

if TYPE_CHECKING:
    import h5py

GROUP, NAME = "triggers", "signal"
MOST_SIGNALS = 16


def columns_of(triggers: Sequence[Triggers]) -> dict[str, Array]:
    """Return the datasets, by their names; `name_signals` says which signal each is."""
    return {f"{GROUP}/{k}": each.time_ms.astype("<i8") for k, each in enumerate(triggers)}


def name_signals(file: h5py.File, triggers: Sequence[Triggers]) -> None:
    """Write which signal each dataset is of."""
    for k, each in enumerate(triggers):
        file[f"{GROUP}/{k}"].attrs[NAME] = np.bytes_(each.name.encode())


def read_stored_triggers(file: h5py.File, path: Path) -> tuple[Triggers, ...]:
    """Return what was written; none where a scan holds no triggers."""
    found: list[Triggers] = []
    while len(found) < MOST_SIGNALS and f"{GROUP}/{len(found)}" in file:
        item = dataset(file, f"{GROUP}/{len(found)}", path)
        times = np.array(column(item, "<i8", path))
        if times.ndim != 1 or (np.diff(times) <= 0).any():
            raise FileFormatError(
                f"{path.name}: trigger times of {times.shape} values must increase strictly; write "
                "the file again."
            )
        found.append(Triggers(text_of(item.attrs.get(NAME, b"triggers")), times))
    return tuple(found)

"""Sort events of one spatial class (`engine.geometry.order`) by their content.

A stable sort leaves events of one class in the order of the file. Subsets take every B-th event, so
that another order of the same events would give other subsets and another image. In reproducible
mode ties are broken by all attributes of an event: crystals, time bin, factors, expected counts and
time. Events that are equal in all of them may swap places: the image is the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.data.listmode import ListMode
from engine.data.storage.columns import pieces
from engine.geometry.order import OrderClasses, ray_keys

AT_ONCE = 1 << 22
"""Events sorted together, and a class more: classes are never divided."""


def sorted_by_content(events: ListMode) -> ListMode:
    """Return events that are in the order of their classes with those of a class sorted."""
    storage, n = events.storage, events.n_events
    classes = OrderClasses.of(events.scanner.positions_mm)
    keys = storage.filled(n, np.uint16, lambda rows: ray_keys(classes, events.crystals[rows]))
    order = storage.empty(n, np.int64)
    for rows in _whole_classes(keys):
        order[rows] = rows.start + _permutation(events, keys, rows)
        storage.rest()

    def used(column: Array) -> Array:
        found = storage.empty(column.shape, column.dtype)
        for rows in pieces(n):
            found[rows] = column[order[rows]]
            storage.rest()
        return found

    return events.select_by(used)


def _whole_classes(keys: Array) -> Iterator[slice]:
    """Yield rows of many events, each piece ending where a class ends."""
    start = 0
    while start < len(keys):
        end = min(start + AT_ONCE, len(keys))
        if end < len(keys):
            end = int(np.searchsorted(keys, keys[end - 1], side="right"))
        yield slice(start, end)
        start = end


def _permutation(events: ListMode, keys: Array, rows: slice) -> NDArray[np.int64]:
    """Return the order of some rows by class, then by content."""
    columns = [
        events.time_ms,
        events.additive,
        events.background,
        events.factors,
        events.tof_bins,
        *(np.asarray(events.crystals).T[::-1]),
        keys,
    ]
    return np.lexsort([column[rows] for column in columns if column is not None])

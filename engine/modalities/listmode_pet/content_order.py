"""Sort events of one spatial class (`engine.geometry.order`) by their content.

A stable sort leaves events of one class in the order of the file. Subsets take every B-th event, so
another order of the same events would give other subsets and another image. In reproducible mode,
all attributes of an event break ties: crystals, time bin, factors, expected counts and time. Events
that are equal in all of them may change places without any effect on the image.
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
"""Number of events that are sorted at once, in addition to the rest of a class."""


def sorted_by_content(events: ListMode) -> ListMode:
    """Return events with those of each class sorted by content.

    Parameters
    ----------
    events
        events in the order of their classes

    Returns
    -------
    sorted_by_content
        the same events in the storage of the scan
    """
    storage, n = events.storage, events.n_events
    classes = OrderClasses.of(events.scanner.positions_mm)
    keys = storage.filled(n, np.uint16, lambda rows: ray_keys(classes, events.crystals[rows]))
    order = storage.empty(n, np.int64)
    for rows in _whole_classes(keys):
        order[rows] = rows.start + _permutation(events, keys, rows)
        storage.release_pages()

    def used(column: Array) -> Array:
        # One column at a time: all columns together could exceed the memory.
        found = storage.empty(column.shape, column.dtype)
        for rows in pieces(n):
            found[rows] = column[order[rows]]
            storage.release_pages()
        return found

    return events.select_by(used)


def _whole_classes(keys: Array) -> Iterator[slice]:
    """Yield rows of many events; each piece ends at the end of a class."""
    start = 0
    while start < len(keys):
        end = min(start + AT_ONCE, len(keys))
        if end < len(keys):
            end = int(np.searchsorted(keys, keys[end - 1], side="right"))
        yield slice(start, end)
        start = end


def _permutation(events: ListMode, keys: Array, rows: slice) -> NDArray[np.int64]:
    """Return the order of some rows by class, then by content."""
    # lexsort takes the most important key last.
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

"""A stored list-mode scan, cut into what comes in a moment, by the times of its events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.core.errors import DataError
from engine.data.listmode import ListMode

MOMENT_MS = 100
"""Events of so long come together."""
MOST_EVENTS = 1_000_000
"""And no more than so many."""


@dataclass(frozen=True, eq=False)
class PlayedEvents:
    """Events of a moment.

    Attributes
    ----------
    events : in the order of their times
    first : number of the first of them in the scan
    due_s : when the last of them has been measured, since the start of the scan [s]
    """

    events: ListMode
    first: int
    due_s: float


def played_events(scan: ListMode, moment_ms: int = MOMENT_MS) -> Iterator[PlayedEvents]:
    """Yield the events of a scan as they were measured.

    Raises
    ------
    DataError
        where the scan does not say when its events were
    """
    scan = in_time(scan)
    times = np.asarray(scan.time_ms)
    last = int(times[-1]) if len(times) else -1
    for start in range(0, last + 1, moment_ms):
        first, end = (int(k) for k in np.searchsorted(times, (start, start + moment_ms)))
        for k in range(first, end, MOST_EVENTS):
            rows = slice(k, min(k + MOST_EVENTS, end))
            yield PlayedEvents(scan.select(rows), k, (start + moment_ms) / 1e3)


def in_time(scan: ListMode) -> ListMode:
    """Return a scan with its events in the order of their times, measured columns only.

    Raises
    ------
    DataError
        where it does not say when they were
    """
    if scan.time_ms is None:
        raise DataError(
            "the scan does not say when its events were, so it cannot be played; choose list mode "
            "with times."
        )
    times = scan.time_ms
    scan = replace(scan, additive=None, factors=None, background=None)
    if (times[1:] < times[:-1]).any():
        scan = scan.select(np.argsort(times, kind="stable"))
    return scan

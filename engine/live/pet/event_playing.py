"""Divide a stored list-mode scan into short intervals by the times of its events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.core.errors import DataError
from engine.data.listmode import ListMode

MOMENT_MS = 100
"""Length of an interval of events."""
MAX_EVENTS = 1_000_000
"""Most events in one part of an interval."""


@dataclass(frozen=True, eq=False)
class PlayedEvents:
    """Events of a short interval.

    Attributes
    ----------
    events : events in the order of their times
    first : number of the first event in the scan
    due_s : end of the interval since the start of the scan [s]
    """

    events: ListMode
    first: int
    due_s: float


def played_events(scan: ListMode, moment_ms: int = MOMENT_MS) -> Iterator[PlayedEvents]:
    """Yield the events of a scan as they were measured.

    Parameters
    ----------
    scan
        scan with event times
    moment_ms
        length of an interval [ms]

    Raises
    ------
    DataError
        if the scan has no event times
    """
    scan = in_time(scan)
    times = np.asarray(scan.time_ms)
    last = int(times[-1]) if len(times) else -1
    for start in range(0, last + 1, moment_ms):
        first, end = (int(k) for k in np.searchsorted(times, (start, start + moment_ms)))
        for k in range(first, end, MAX_EVENTS):
            rows = slice(k, min(k + MAX_EVENTS, end))
            yield PlayedEvents(scan.select(rows), k, (start + moment_ms) / 1e3)


def in_time(scan: ListMode) -> ListMode:
    """Return a scan with its events in the order of time, and measured columns only.

    Parameters
    ----------
    scan
        scan with event times

    Raises
    ------
    DataError
        if the scan has no event times
    """
    if scan.time_ms is None:
        raise DataError(
            "the scan has no event times, so it cannot be replayed; choose list-mode data with "
            "event times."
        )
    times = scan.time_ms
    # A scanner measures no corrections, so a played scan has none either
    scan = replace(scan, additive=None, factors=None, background=None)
    # Stable, so that events of the same millisecond keep their order
    if (times[1:] < times[:-1]).any():
        scan = scan.select(np.argsort(times, kind="stable"))
    return scan

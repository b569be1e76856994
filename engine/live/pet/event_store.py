"""Events of a running scan for the image: all of them, or those of the newest seconds.

A quick update cannot use all events. `every` takes evenly spread ones, k, k + n, ..., so that each
subset is as representative as those of a normal run.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.data.listmode import ListMode
from engine.live.pet.event_batch import EVENT_BYTES, joined

PART_EVENTS = 1 << 17
"""Least number of events in one part."""
BYTES_PER_EVENT = EVENT_BYTES + 1
"""Memory of a stored event: columns, and the flag that it is used."""


@dataclass(frozen=True, eq=False)
class StoredEvents:
    """Some events of a scan.

    Attributes
    ----------
    events : prompts and delayeds in the order of their times
    usable : (n,) True for prompts on lines that the model can explain
    """

    events: ListMode
    usable: NDArray[np.bool_]

    @property
    def last_ms(self) -> int:
        """Time of the last event [ms]."""
        return 0 if self.events.time_ms is None else int(self.events.time_ms[-1])


class EventStore:
    """Stores events in the order of arrival.

    Parameters
    ----------
    newest_s : events older than this are dropped; None: all stay
    max_bytes : most memory for all events [bytes]

    Attributes
    ----------
    n_events, n_usable, n_delayed : stored events, and those of them that are usable or delayed
    left_out : events for which there was no memory
    """

    def __init__(self, newest_s: float | None, max_bytes: int) -> None:
        self._newest_s, self._max_events = newest_s, max(max_bytes // BYTES_PER_EVENT, PART_EVENTS)
        self._parts: deque[StoredEvents] = deque()
        self.n_events = self.n_usable = self.n_delayed = self.left_out = 0

    def add(self, events: ListMode, usable: NDArray[np.bool_]) -> tuple[int, bool]:
        """Store events.

        Parameters
        ----------
        events
            next events of the scan
        usable
            (n,) True for events of the image

        Returns
        -------
        n_removed
            number of usable events that were dropped for them
        is_kept
            False if the memory is full
        """
        # A growing image ends with the events that fit; a sliding one drops old events instead
        if self._newest_s is None and self.n_events + events.n_events > self._max_events:
            # The rest of the scan is still counted, and shown as dropped
            self.left_out += events.n_events
            return 0, False
        self._count(events, usable, 1)
        part = StoredEvents(events, usable)
        # Many small batches would slow down every pass over the events
        if self._parts and self._parts[-1].events.n_events < self._min_part:
            last = self._parts.pop()
            joint = np.concatenate([last.usable, usable])
            part = StoredEvents(joined([last.events, events]), joint)
        self._parts.append(part)
        return self._forget(part.last_ms), True

    @property
    def _min_part(self) -> int:
        return PART_EVENTS if self._newest_s is None else 1

    def _forget(self, now_ms: int) -> int:
        """Drop events that are too old or too many; return the number of usable ones dropped."""
        before = self.n_usable
        if self._newest_s is None:
            return 0
        since = now_ms - round(1e3 * self._newest_s)
        while len(self._parts) > 1 and (
            self._parts[0].last_ms <= since or self.n_events > self._max_events
        ):
            removed = self._parts.popleft()
            self._count(removed.events, removed.usable, -1)
        first = self._parts[0]
        # Times are in order, so the boundary is found by bisection
        times = first.events.time_ms
        k = 0 if times is None else int(np.searchsorted(times, since, side="right"))
        if k:
            self._count(first.events.select(slice(0, k)), first.usable[:k], -1)
            # Copies, or the dropped events would stay in memory as part of the array
            rest = first.events.select_by(lambda column: column[k:].copy())
            self._parts[0] = StoredEvents(rest, first.usable[k:].copy())
        return before - self.n_usable

    def _count(self, events: ListMode, usable: NDArray[np.bool_], sign: int) -> None:
        self.n_events += sign * events.n_events
        self.n_usable += sign * int(np.count_nonzero(usable))
        self.n_delayed += sign * events.n_delayed

    def clear(self) -> None:
        """Discard all events."""
        self._parts.clear()
        self.n_events = self.n_usable = self.n_delayed = self.left_out = 0

    def every(self, k: int, n: int) -> ListMode | None:
        """Return a subset of the usable events.

        Parameters
        ----------
        k, n
            events k, k + n, ... of all stored ones

        Returns
        -------
        events
            None if none of them is usable
        """
        found, start = [], 0
        # The subset continues over the borders of parts
        for part in self._parts:
            rows = slice((k - start) % n, None, n)
            used = part.usable[rows]
            if used.any():
                found.append(part.events.select_by(lambda c, r=rows, u=used: c[r][u]))  # type: ignore[misc]
            start += part.events.n_events
        return joined(found) if found else None

    def delayeds(self, max_delayeds: int) -> tuple[ListMode | None, float]:
        """Return a sample of the delayeds.

        Parameters
        ----------
        max_delayeds
            most delayeds

        Returns
        -------
        delayeds
            evenly spread sample, None without delayeds
        stands_for
            number of delayeds for which each one stands
        """
        every = max(1, -(-self.n_delayed // max_delayeds))
        found, n = [], 0
        for part in self._parts:
            if part.events.delayed is not None:
                rows = np.flatnonzero(part.events.delayed)[::every]
                found.append(part.events.select(rows))
                n += len(rows)
        if not n:
            return None, 1.0
        return joined(found), self.n_delayed / n

    @property
    def span_s(self) -> tuple[float, float]:
        """Times of the first and the last stored event [s]."""
        if not self._parts:
            return 0.0, 0.0
        times = self._parts[0].events.time_ms
        first = 0 if times is None else int(times[0])
        return first / 1e3, self._parts[-1].last_ms / 1e3

    @property
    def n_bytes(self) -> int:
        """Memory of the stored events [bytes]."""
        return self.n_events * BYTES_PER_EVENT

    def all(self) -> ListMode | None:
        """Return all stored events, None without any."""
        return joined([part.events for part in self._parts]) if self._parts else None

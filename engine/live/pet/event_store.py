"""Events of a running scan that an image is made of: all that came, or the newest seconds.

An image that is renewed in a moment cannot look at all of them: `every` takes evenly spread ones,
k, k + n, ..., so that each subset is as fair as those of an ordinary run.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.data.listmode import ListMode
from engine.live.pet.event_batch import EVENT_BYTES, joined

PART_EVENTS = 1 << 17
"""Events that are kept in one piece, at least."""
ROOM_BYTES = EVENT_BYTES + 1
"""Memory of a kept event: columns, and whether it is used."""


@dataclass(frozen=True, eq=False)
class KeptEvents:
    """Some events of a scan.

    Attributes
    ----------
    events : prompts and delayeds, in the order of their times
    usable : (n,) prompts on lines that the model can explain
    """

    events: ListMode
    usable: NDArray[np.bool_]

    @property
    def last_ms(self) -> int:
        """Time of the last of them [ms]."""
        return 0 if self.events.time_ms is None else int(self.events.time_ms[-1])


class EventStore:
    """Keeps events in the order in which they came.

    Parameters
    ----------
    newest_s : older ones than the newest by more than this go; None: all stay
    most_bytes : for all that are kept [bytes]

    Attributes
    ----------
    n_events, n_usable, n_delayed : events that are kept, and those of them an image is made of
    left_out : events that found no room
    """

    def __init__(self, newest_s: float | None, most_bytes: int) -> None:
        self._newest_s, self._most = newest_s, max(most_bytes // ROOM_BYTES, PART_EVENTS)
        self._parts: deque[KeptEvents] = deque()
        self.n_events = self.n_usable = self.n_delayed = self.left_out = 0

    def add(self, events: ListMode, usable: NDArray[np.bool_]) -> tuple[int, bool]:
        """Keep events; returns how many usable ones went for them, and whether there was room."""
        if self._newest_s is None and self.n_events + events.n_events > self._most:
            self.left_out += events.n_events
            return 0, False
        self._count(events, usable, 1)
        part = KeptEvents(events, usable)
        if self._parts and self._parts[-1].events.n_events < self._least_part:
            last = self._parts.pop()
            joint = np.concatenate([last.usable, usable])
            part = KeptEvents(joined([last.events, events]), joint)
        self._parts.append(part)
        return self._forget(part.last_ms), True

    @property
    def _least_part(self) -> int:
        return PART_EVENTS if self._newest_s is None else 1

    def _forget(self, now_ms: int) -> int:
        """Drop what is too old, or too much; returns how many usable events went."""
        before = self.n_usable
        if self._newest_s is None:
            return 0
        since = now_ms - round(1e3 * self._newest_s)
        while len(self._parts) > 1 and (
            self._parts[0].last_ms <= since or self.n_events > self._most
        ):
            gone = self._parts.popleft()
            self._count(gone.events, gone.usable, -1)
        first = self._parts[0]
        times = first.events.time_ms
        k = 0 if times is None else int(np.searchsorted(times, since, side="right"))
        if k:
            self._count(first.events.select(slice(0, k)), first.usable[:k], -1)
            rest = first.events.select_by(lambda column: column[k:].copy())
            self._parts[0] = KeptEvents(rest, first.usable[k:].copy())
        return before - self.n_usable

    def _count(self, events: ListMode, usable: NDArray[np.bool_], sign: int) -> None:
        self.n_events += sign * events.n_events
        self.n_usable += sign * int(np.count_nonzero(usable))
        self.n_delayed += sign * events.n_delayed

    def clear(self) -> None:
        """Forget all."""
        self._parts.clear()
        self.n_events = self.n_usable = self.n_delayed = self.left_out = 0

    def every(self, k: int, n: int) -> ListMode | None:
        """Return the usable events among k, k + n, ... of all; None where there is none."""
        found, start = [], 0
        for part in self._parts:
            rows = slice((k - start) % n, None, n)
            used = part.usable[rows]
            if used.any():
                found.append(part.events.select_by(lambda c, r=rows, u=used: c[r][u]))  # type: ignore[misc]
            start += part.events.n_events
        return joined(found) if found else None

    def delayeds(self, most: int) -> tuple[ListMode | None, float]:
        """Return about so many delayeds, evenly spread, and how many each stands for."""
        every = max(1, -(-self.n_delayed // most))
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
        """Times of the first and last kept event [s]."""
        if not self._parts:
            return 0.0, 0.0
        times = self._parts[0].events.time_ms
        first = 0 if times is None else int(times[0])
        return first / 1e3, self._parts[-1].last_ms / 1e3

    @property
    def n_bytes(self) -> int:
        """Memory of what is kept [bytes]."""
        return self.n_events * ROOM_BYTES

    def all(self) -> ListMode | None:
        """Return all events that are kept."""
        return joined([part.events for part in self._parts]) if self._parts else None

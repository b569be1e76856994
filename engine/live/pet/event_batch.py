"""What a running list-mode scan yields: events as measured, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from typing import Protocol, TypeAlias

import numpy as np

from engine.data.listmode import ListMode
from engine.live.core.frame import SourceEvent

EVENT_BYTES = 15
"""Crystals, flag, time bin and time of an event."""


@dataclass(frozen=True, eq=False)
class EventBatch:
    """Events that came together, in the order of their times.

    Attributes
    ----------
    events : prompts and delayeds with their times, and the scanner; at least one
    first : number of the first of them in the scan, from 0
    arrived_s : when they were here, by `time.monotonic` [s]
    lost : events between the batch before and this one that never came, or were not taken in time
    """

    events: ListMode
    first: int
    arrived_s: float
    lost: int = 0

    @property
    def span_s(self) -> tuple[float, float]:
        """Times of the first and the last of them since the start of the scan [s]."""
        times = self.events.time_ms
        if times is None:
            return 0.0, 0.0
        return float(times[0]) / 1e3, float(times[-1]) / 1e3

    @property
    def n_bytes(self) -> int:
        """Memory of the events [bytes]."""
        columns = (self.events.crystals, self.events.delayed, self.events.tof_bins)
        return sum(int(each.nbytes) for each in (*columns, self.events.time_ms) if each is not None)


EventArrival: TypeAlias = EventBatch | SourceEvent
"""What a source of events yields."""


class EventSource(Protocol):
    """Events of a list-mode scan while it is measured.

    `batches` runs in a thread of its own (`engine.live.pet.event_arrivals`), blocks for no longer
    than a fraction of a second at a time and returns soon after `stop` is set. It raises an
    `EngineError` where nothing can ever come; whatever else happens to the source is an event.
    """

    @property
    def name(self) -> str:
        """What people call it: a file, an address."""

    @property
    def head(self) -> ListMode | None:
        """The scan without its events: scanner, and what the source brings; it may come late."""

    @property
    def can_wait(self) -> bool:
        """Whether it can wait for who takes its events, so that none has to be dropped."""

    def batches(self, stop: Event) -> Iterator[EventArrival]:
        """Yield events and what happens to the source as they come; the last one is `Ended`."""

    def close(self) -> None:
        """Let go of files and connections; more than once does no harm."""


def head_of(scan: ListMode) -> ListMode:
    """Return a scan without its events."""
    return scan.select(slice(0, 0))


def joined(parts: list[ListMode]) -> ListMode:
    """Return the events of several parts of one scan, one after the other."""
    if len(parts) == 1:
        return parts[0]
    columns = iter(zip(*(_columns(part) for part in parts), strict=True))
    return parts[0].select_by(lambda _: np.concatenate(next(columns)))


def _columns(part: ListMode) -> list[np.ndarray]:
    """Return what `ListMode.select_by` takes, in its order."""
    found: list[np.ndarray] = []
    part.select_by(lambda column: found.append(column) or column)  # type: ignore[func-returns-value]
    return found

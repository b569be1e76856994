"""Batches of a running list-mode scan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from typing import Protocol, TypeAlias

import numpy as np

from engine.data.listmode import ListMode
from engine.live.core.frame import SourceEvent

EVENT_BYTES = 15
"""Memory of one event: crystals, flag, TOF bin and time."""


@dataclass(frozen=True, eq=False)
class EventBatch:
    """Events that arrived in one message or interval, in the order of their times.

    Attributes
    ----------
    events : at least one prompt or delayed with its time, and the scanner
    first : number of the first event in the scan, from 0
    arrived_s : time of arrival, by `time.monotonic` [s]
    lost : events since the previous batch that never arrived or were not processed in time
    """

    events: ListMode
    first: int
    arrived_s: float
    lost: int = 0

    @property
    def span_s(self) -> tuple[float, float]:
        """Times of the first and the last event since the start of the scan [s]."""
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
"""Batch or event from a source."""


class EventSource(Protocol):
    """Events of a list-mode scan during its acquisition.

    `batches` runs in a separate thread (`engine.live.pet.event_arrivals`). It blocks for a fraction
    of a second at most, and returns soon after `stop` is set. It raises an `EngineError` if nothing
    can ever arrive. Everything else that happens to the source is an event.
    """

    @property
    def name(self) -> str:
        """Name for the user: a file or an address."""

    @property
    def head(self) -> ListMode | None:
        """The scan without events: scanner and data of the source; it may become known late."""

    @property
    def can_wait(self) -> bool:
        """True if the source can wait for its consumer, so that no event is dropped."""

    def batches(self, stop: Event) -> Iterator[EventArrival]:
        """Yield batches and events of the source as they arrive, `Ended` last.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """

    def close(self) -> None:
        """Close files and connections; may be called several times."""


def head_of(scan: ListMode) -> ListMode:
    """Return a scan without its events."""
    return scan.select(slice(0, 0))


def joined(parts: list[ListMode]) -> ListMode:
    """Concatenate parts of one scan.

    Parameters
    ----------
    parts
        parts with the same columns, in order

    Returns
    -------
    scan
        all events; the first part itself if it is the only one
    """
    if len(parts) == 1:
        return parts[0]
    # `select_by` visits the columns in a fixed order, so they can be taken one by one
    columns = iter(zip(*(_columns(part) for part in parts), strict=True))
    return parts[0].select_by(lambda _: np.concatenate(next(columns)))


def _columns(part: ListMode) -> list[np.ndarray]:
    """Return the columns that `ListMode.select_by` visits, in its order."""
    found: list[np.ndarray] = []
    part.select_by(lambda column: found.append(column) or column)  # type: ignore[func-returns-value]
    return found

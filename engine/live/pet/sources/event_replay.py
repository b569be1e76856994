"""A stored list-mode scan, played like a running one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic

from engine.core.errors import DataError
from engine.data.listmode import ListMode
from engine.io import read_listmode
from engine.jobs.loader import Loader
from engine.jobs.loader.loader import Calls
from engine.live.core.frame import Ended, Noticed, Waiting
from engine.live.pet.event_batch import EventArrival, EventBatch, head_of
from engine.live.pet.event_playing import in_time, played_events


class EventReplaySource:
    """Plays any list-mode scan with event times.

    Parameters
    ----------
    path : file of the scan
    rate : seconds of the scan per second, 1 for its own speed; None: as fast as processed
    scanner : scanner of the scan, if the file does not state it
    loader : process that reads the file; None to start one

    Raises
    ------
    EngineError
        by `batches`, if the scan cannot be read, or its events have no times
    """

    def __init__(
        self,
        path: Path,
        *,
        rate: float | None = None,
        scanner: str | None = None,
        loader: Calls | None = None,
    ) -> None:
        self._path, self._rate, self._scanner = path, rate, scanner
        self._own = Loader() if loader is None else None
        self._loader: Calls = loader or self._own or Loader()
        self._head: ListMode | None = None

    @property
    def name(self) -> str:
        """Name of the file."""
        return self._path.name

    @property
    def head(self) -> ListMode | None:
        """The scan without events, once it is read."""
        return self._head

    @property
    def can_wait(self) -> bool:
        """True without a rate."""
        return self._rate is None

    def batches(self, stop: Event) -> Iterator[EventArrival]:
        """Yield events as they were measured.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration; also ends reading
        """
        yield Waiting(f"{self.name}: reading the scan.")
        scan = self._loader.call(
            _read, self._path, self._scanner, about=self._path, stopped=stop.is_set
        )
        try:
            scan = in_time(scan)
        except DataError as e:
            raise DataError(f"{self.name}: {e}") from e
        self._head = head_of(scan)
        yield from map(Noticed, scan.notes)
        begun = monotonic()
        for each in played_events(scan):
            if self._rate is not None:
                # From the start, not from the last batch, so that delays do not add up
                stop.wait(max(begun + each.due_s / self._rate - monotonic(), 0))
            if stop.is_set():
                return
            yield EventBatch(each.events, each.first, monotonic())
        yield Ended(f"{self.name}: all {scan.n_events:,} events have been replayed.")

    def close(self) -> None:
        """End the process, if this source started it."""
        if self._own is not None:
            self._own.close()


def _read(path: Path, scanner: str | None) -> ListMode:
    return read_listmode(path, scanner=scanner)

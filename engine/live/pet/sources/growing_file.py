"""A list-mode file that is being written: events are decoded as they arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event
from time import monotonic

from engine.core.errors import EngineError, FileFormatError, GeometryError, SettingsError
from engine.data.listmode import ListMode
from engine.io import LISTMODE_READERS
from engine.io.folder import exists
from engine.io.listmode.tail import ListModeTail
from engine.io.safety.open_input import InputFile
from engine.live.core.frame import Ended, Resumed, SourceLost, Waiting
from engine.live.pet.event_batch import EventArrival, EventBatch

POLL_S = 0.05
QUIET_S = 5.0
"""Time without an event after which the user is informed."""


class GrowingFileSource:
    """Follows list mode of the Siemens mMR or SAFIR while it is written.

    It ends once it contains all events that the header counts. Without a header, it ends when it is
    stopped.

    Parameters
    ----------
    path : list-mode file, or the header that names it
    scanner : scanner of the scan, if the file does not state it
    """

    def __init__(self, path: Path, *, scanner: str | None = None) -> None:
        self._path, self._scanner = path, scanner
        self._tail: ListModeTail | None = None
        self._received, self._last_text = 0, ""
        self._last_s = monotonic()

    @property
    def name(self) -> str:
        """Name of the file."""
        return self._path.name

    @property
    def head(self) -> ListMode | None:
        """The scan without events, once the file is recognised as list mode."""
        return None if self._tail is None else self._tail.head

    can_wait = True
    """The file contains all events that are not read yet."""

    def batches(self, stop: Event) -> Iterator[EventArrival]:
        """Yield events as they are written.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """
        yield Waiting(f"{self.name}: waiting for events.")
        while not stop.is_set():
            events: ListMode | None = None
            try:
                # Repeated until the file has enough bytes to be recognised
                tail = self._tail = self._tail or tail_of(self._path, self._scanner)
                events = tail.new_events()
            except EngineError as e:
                yield from self._failed(e)
                stop.wait(POLL_S)
                continue
            if events is not None:
                self._last_s, self._last_text = monotonic(), ""
                yield EventBatch(events, self._received, self._last_s)
                self._received += events.n_events
            elif tail.is_whole:
                yield Ended(f"{self.name}: the file is complete, {self._received:,} events.")
                return
            else:
                if monotonic() - self._last_s > QUIET_S:
                    yield from self._report_once(
                        Waiting, f"no event for {QUIET_S:g} s. Waiting for more."
                    )
                stop.wait(POLL_S)

    def close(self) -> None:
        """Do nothing: no file stays open between two looks."""

    def _failed(self, fault: EngineError) -> Iterator[EventArrival]:
        """Report missing data or a restarted scan; raise an error that waiting cannot solve."""
        tail = self._tail
        if tail is None:
            # A wrong scanner stays wrong, while a short header may be completed
            if isinstance(fault, SettingsError | GeometryError):
                raise fault
            yield from self._report_once(Waiting, f"cannot be read yet: {fault}")
        elif not exists(tail.path):
            yield from self._report_once(
                SourceLost, "the file is missing. Waiting for it to return."
            )
        elif tail.was_replaced:
            # The new file may be of another scanner
            self._tail, self._received, self._last_text = None, 0, ""
            yield Resumed(f"{fault} The scan starts again.", is_new_scan=True)
        else:
            raise fault

    def _report_once(
        self, kind: Callable[[str], Waiting | SourceLost], text: str
    ) -> Iterator[EventArrival]:
        if text != self._last_text:
            self._last_text = text
            yield kind(f"{self.name}: {text}")


def tail_of(path: Path, scanner: str | None = None) -> ListModeTail:
    """Return the decoder of a growing list-mode file.

    Parameters
    ----------
    path
        list-mode file, or its header
    scanner
        scanner of the scan, if the file does not state it

    Raises
    ------
    EngineError
        if the file does not exist yet, or its format cannot be followed
    """
    with closing(InputFile(path)) as file:
        reader = LISTMODE_READERS.accepting(file)
        if reader is not None:
            tail = reader.tail(file, scanner=scanner)
            if tail is not None:
                return tail
            raise SettingsError(
                f"{path.name}: {reader.name} files cannot be followed while they are written; "
                "replay the complete scan, or use list mode from a Siemens mMR or SAFIR scanner."
            )
    raise FileFormatError(
        f"{path.name}: the file is not in a supported list-mode format; choose a list-mode file."
    )

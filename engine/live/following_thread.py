"""A live reconstruction in a thread: it follows a source, and hands over events and images.

Its consumer may be slow, and sees the newest images only. If the images fail, the thread receives
the rest of the scan all the same, so that the recording has the whole measurement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Event, Thread
from typing import ClassVar, Generic, Protocol, Self, TypeVar

from engine.core.errors import DataError, EngineError, GeometryError, SettingsError
from engine.live.core.frame import Ended, Noticed, SourceEvent
from engine.live.core.source import HasSenders
from engine.live.recording.recorder import LiveRecorder

MAX_EVENTS = 1000
POLL_S = 0.1
"""Longest wait for data that are only recorded."""
REFUSED = (DataError, GeometryError, SettingsError)
"""Errors of the scan or the settings, which the user must know at once."""

Update = TypeVar("Update")


class Source(Protocol):
    """Source of a live scan."""

    @property
    def name(self) -> str:
        """Name for the user."""


class Queue(Protocol):
    """Queue of the data and events of a source."""

    def take(self, timeout_s: float | None = None) -> object:
        """Return the oldest data or event; None if nothing arrived in time."""

    @property
    def has_failed(self) -> bool:
        """True if the source has ended with an error."""


class FollowingThread(ABC, Generic[Update]):
    """Follows one source; the thread starts with `_begin`.

    Parameters
    ----------
    source : source of the scan
    recorder : writes the data of the scan to the disk as they arrive; it is closed at the end

    Attributes
    ----------
    senders : source that refuses senders, and lets the user choose one; None for other sources
    """

    noun: ClassVar[str]
    """Name of the images in messages to the user."""

    def __init__(self, source: Source, recorder: LiveRecorder | None) -> None:
        self.senders = source if isinstance(source, HasSenders) else None
        self._name, self._recorder = source.name, recorder
        self._events: deque[SourceEvent] = deque(maxlen=MAX_EVENTS)
        self._is_new = self._has_ended = False
        self._fault: BaseException | None = None
        self._changed, self._stop = Condition(), Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, timeout_s: float | None = None) -> Update | SourceEvent | None:
        """Return the next event, or the newest images.

        Parameters
        ----------
        timeout_s
            longest wait [s]; None waits until something is new

        Returns
        -------
        news
            None if nothing is new; `Ended` at every call after the end

        Raises
        ------
        Exception
            the error that ended the session
        """
        with self._changed:
            self._changed.wait_for(self._has_something, timeout_s)
            # Events first: they are rare, and new images are always available
            if self._events:
                return self._events.popleft()
            if self._is_new:
                self._is_new = False
                return self._update
            if self._fault is not None:
                raise self._fault
            return Ended(f"{self._name}: ended.") if self._has_ended else None

    @property
    def newest(self) -> Update:
        """The newest state, which `take` may not have returned yet."""
        with self._changed:
            return self._update

    def close(self) -> None:
        """Stop; images and scan remain as they are."""
        self._stop.set()
        # The thread writes images and scan, which must not change afterwards
        self._thread.join()

    def take_texts(self) -> list[str]:
        """Return the texts of the events that `take` has not returned; call it after `close`."""
        with self._changed:
            texts = [each.text for each in self._events if isinstance(each, Noticed)]
            self._events.clear()
        return texts

    def scan_saved(self) -> None:
        """Delete the recording on the disk if all of its data are in the saved scan."""
        recorder = self._recorder
        if recorder is not None and (recorder.is_whole or not self._is_memory_full):
            recorder.discard()

    def interrupted_scan_saved(self, path: Path) -> None:
        """Keep the recording of a scan that the system has ended, which the next start offers."""
        if self._recorder is not None:
            self._recorder.note_saved(path)

    def discard_recording(self) -> None:
        """Delete the recording on the disk, once the scan is saved or not wanted."""
        if self._recorder is not None:
            self._recorder.discard()

    @property
    @abstractmethod
    def _is_memory_full(self) -> bool:
        """True if the memory has only a part of the scan."""

    @property
    @abstractmethod
    def _is_recorded(self) -> bool:
        """True if the source stores its data, also when no image uses them."""

    @abstractmethod
    def _follow_source(self) -> None:
        """Open the queue of the source, and call `_follow_to_end`."""

    @abstractmethod
    def _finish(self) -> None:
        """Finish the images after the end of the source."""

    def _close_work(self) -> None:
        """End the threads of the work, after an error too."""

    def _begin(self, first: Update) -> None:
        """Start the thread; `first` is the state before the first image."""
        self._update = first
        self._thread = Thread(target=self._run, name=f"live {self._name}", daemon=True)
        self._thread.start()

    def _has_something(self) -> bool:
        return bool(self._events or self._is_new or self._fault is not None or self._has_ended)

    def _report(self, event: SourceEvent) -> None:
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def _show(self, update: Update) -> None:
        with self._changed:
            self._update, self._is_new = update, True
            self._changed.notify_all()

    def _run(self) -> None:
        fault: BaseException | None = None
        try:
            try:
                self._follow_source()
            finally:
                self._end_recording()
            self._finish()
        except BaseException as e:  # noqa: BLE001  the consumer raises it
            fault = e
        self._close_work()
        with self._changed:
            self._fault, self._has_ended = fault, True
            self._changed.notify_all()

    def _end_recording(self) -> None:
        if self._recorder is not None:
            self._recorder.close()
            for text in self._recorder.take_notices():
                self._report(Noticed(text))

    def _follow_to_end(self, arrivals: Queue, follow: Callable[[], None]) -> None:
        """Make images with `follow`; if it fails, only record the rest of the scan."""
        try:
            follow()
        except REFUSED:
            raise
        except Exception as e:
            if self._is_recorded and not arrivals.has_failed:
                self._report(Noticed(self._text_of(e)))
                self._receive_rest(arrivals)
            raise

    def _text_of(self, e: Exception) -> str:
        if isinstance(e, EngineError):
            return f"{self._name}: the {self.noun} stop. {e} The scan is recorded to its end."
        return (
            f"{self._name}: internal error in the {self.noun} ({type(e).__name__}: {e}). They "
            "stop, but the scan is recorded to its end."
        )

    def _receive_rest(self, arrivals: Queue) -> None:
        """Receive the remaining data, which are recorded before they arrive here."""
        while not self._stop.is_set():
            arrived = arrivals.take(POLL_S)
            if isinstance(arrived, Ended):
                return
            if isinstance(arrived, SourceEvent):
                self._report(arrived)

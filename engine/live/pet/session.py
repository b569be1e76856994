"""A live reconstruction of list mode in a thread, with images and statistics.

One thread takes all waiting events, updates the image for a short time and provides the newest one.
Its consumer may be slow, and sees the newest image only.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import Condition, Event, Thread
from time import monotonic

from engine.core.backend import Backend
from engine.core.errors import DataError, EngineError
from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner
from engine.live.core.frame import Ended, Noticed, SourceEvent
from engine.live.core.source import HasSenders
from engine.live.pet.event_arrivals import EventArrivals
from engine.live.pet.event_batch import EventArrival, EventBatch, EventSource
from engine.live.pet.following import LivePetWork
from engine.live.pet.recorded import RecordedEvents, recorded_events
from engine.live.pet.updates import LivePetChoices, LivePetUpdate
from engine.live.recording.recorder import LiveRecorder
from engine.live.recording.records import RecordingFile

EVERY_S = 0.6
"""Interval between images, so that each appears within a second,"""
WORK_S = 0.5
"""and the time of it in which the image is updated."""
LOOK_S = 0.1
MOST_AT_ONCE_S = 1.0
"""Most seconds of the scan per batch from a source that can wait."""
MOST_EVENTS = 1000


class LivePetSession:
    """Reconstructs a running list-mode scan in a thread that starts at once.

    Parameters
    ----------
    source : source of the events
    choices : protocol and mode
    on : device and threads
    recorder : writes the events of a growing scan to the disk as they arrive; the session closes it

    Attributes
    ----------
    senders : source that refuses senders, and lets the user choose one; None for other sources
    """

    def __init__(
        self,
        source: EventSource,
        choices: LivePetChoices | None = None,
        *,
        on: Backend,
        recorder: LiveRecorder | None = None,
    ) -> None:
        self._recorder = recorder
        self.senders = source if isinstance(source, HasSenders) else None
        if recorder is not None:
            source = RecordedEvents(source, recorder)
        self._source, self._choices = source, choices or LivePetChoices()
        self._events: deque[SourceEvent] = deque(maxlen=MOST_EVENTS)
        self._is_new = self._has_ended = self._settles = False
        self._fault: BaseException | None = None
        self._changed, self._stop = Condition(), Event()
        self._work = LivePetWork(source, self._choices, on=on, stop=self._stop, say=self._say)
        self._update = self._work.update
        self._thread = Thread(target=self._run, name=f"live {source.name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> LivePetSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, timeout_s: float | None = None) -> LivePetUpdate | SourceEvent | None:
        """Return the next event, or the newest image.

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
            # Events first: they are few, and images come all the time
            if self._events:
                return self._events.popleft()
            if self._is_new:
                self._is_new = False
                return self._update
            if self._fault is not None:
                raise self._fault
            return Ended(f"{self._source.name}: ended.") if self._has_ended else None

    @property
    def newest(self) -> LivePetUpdate:
        """The newest state, which `take` may not have returned yet."""
        with self._changed:
            return self._update

    @property
    def scanner(self) -> Scanner | None:
        """Scanner of the scan, None before it is known."""
        corrections = self._work.corrections
        return None if corrections is None else corrections.head.scanner

    @property
    def settles(self) -> bool:
        """True once all events have come, and a growing image becomes that of a normal run."""
        return self._settles

    def close(self) -> None:
        """Stop; image and scan remain as they are."""
        self._stop.set()
        self._thread.join()

    def scan(self) -> ListMode:
        """Return the events of a growing image as a scan for a normal run; call it after `close`.

        Raises
        ------
        DataError
            if the mode is "sliding", or no event came
        """
        if self._choices.settings.mode == "sliding":
            raise DataError(
                "the scan cannot be saved because sliding mode does not record it; use growing "
                "mode for the next scan."
            )
        recorder = self._recorder
        if recorder is not None and recorder.is_whole:
            # Memory may have space for a part of the scan only
            with suppress(EngineError):
                return recorded_events(RecordingFile(recorder.path))
        scan = self._work.scan()
        if scan is None:
            raise DataError(
                "the scan cannot be saved because no events were received; check that the source "
                "sends them."
            )
        return scan

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

    @property
    def _is_memory_full(self) -> bool:
        return self._work.store.left_out > 0

    def discard_recording(self) -> None:
        """Delete the recording on the disk, once the scan is saved or not wanted."""
        if self._recorder is not None:
            self._recorder.discard()

    def _has_something(self) -> bool:
        return bool(self._events or self._is_new or self._fault is not None or self._has_ended)

    def _say(self, event: SourceEvent) -> None:
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def _hand_over(self) -> None:
        update = self._work.update
        with self._changed:
            self._update, self._is_new = update, True
            self._changed.notify_all()

    def _run(self) -> None:
        fault: BaseException | None = None
        try:
            try:
                with EventArrivals(self._source) as arrivals:
                    self._follow(arrivals)
            finally:
                self._end_recording()
            self._finish()
        except BaseException as e:  # noqa: BLE001  the consumer raises it
            fault = e
        # After an error too: its threads would keep the process alive
        self._work.close()
        with self._changed:
            self._fault, self._has_ended = fault, True
            self._changed.notify_all()

    def _end_recording(self) -> None:
        if self._recorder is not None:
            self._recorder.close()
            for text in self._recorder.take_notices():
                self._say(Noticed(text))

    def _follow(self, arrivals: EventArrivals) -> None:
        # An image needs many events, so it is updated at a fixed interval, unlike CT slices
        work, shown_s, has_ended = self._work, monotonic(), False
        while not (self._stop.is_set() or has_ended):
            arrived = _batch(arrivals, until_s=shown_s + EVERY_S)
            has_ended = any(isinstance(each, Ended) for each in arrived)
            begun_s = monotonic()
            work.take_up(arrived)
            if monotonic() >= shown_s + EVERY_S or has_ended:
                shown_s = monotonic()
                work.refresh(begun_s + WORK_S)  # less if the events took long
                self._hand_over()

    def _finish(self) -> None:
        """Make the image if the scan ended before its sensitivity was ready, then finish it."""
        if self._stop.is_set() or not self._work.wait():
            return
        self._work.refresh(monotonic() + WORK_S)
        self._hand_over()
        if self._choices.settings.mode == "growing":
            self._settles = True
            for _ in self._work.settle():
                self._hand_over()


def _batch(arrivals: EventArrivals, *, until_s: float) -> list[EventArrival]:
    """Take the events in the queue, and those that come until a given time, for one image."""
    batch: list[EventArrival] = []
    # A source that can wait would otherwise deliver a whole stored scan as one batch
    taken_s, most_s = 0.0, MOST_AT_ONCE_S if arrivals.source.can_wait else float("inf")
    while taken_s < most_s:
        left = until_s - monotonic()
        if batch and left <= 0 and not arrivals.waiting_s:
            break
        more = arrivals.take(min(max(left, 0), LOOK_S))
        if more is None:
            break
        batch.append(more)
        if isinstance(more, Ended):
            break
        if isinstance(more, EventBatch):
            taken_s += more.span_s[1] - more.span_s[0]
    return batch

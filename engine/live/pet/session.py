"""A live reconstruction of list mode in a thread, with images and statistics.

One thread takes all waiting events, updates the image for a short time and provides the newest one.
Its consumer may be slow, and sees the newest image only.
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic

from engine.core.backend import Backend
from engine.core.errors import DataError, EngineError
from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner
from engine.live.core.frame import Ended
from engine.live.following_thread import FollowingThread
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
POLL_S = 0.1
MAX_AT_ONCE_S = 1.0
"""Most seconds of the scan per batch from a source that can wait."""


class LivePetSession(FollowingThread[LivePetUpdate]):
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

    noun = "images"

    def __init__(
        self,
        source: EventSource,
        choices: LivePetChoices | None = None,
        *,
        on: Backend,
        recorder: LiveRecorder | None = None,
    ) -> None:
        super().__init__(source, recorder)
        if recorder is not None:
            source = RecordedEvents(source, recorder)
        self._source, self._choices = source, choices or LivePetChoices()
        self._settles = False
        self._work = LivePetWork(source, self._choices, on=on, stop=self._stop, report=self._report)
        self._begin(self._work.update)

    @property
    def scanner(self) -> Scanner | None:
        """Scanner of the scan, None before it is known."""
        corrections = self._work.corrections
        return None if corrections is None else corrections.head.scanner

    @property
    def settles(self) -> bool:
        """True once all events have arrived, and a growing image becomes that of a normal run."""
        return self._settles

    def scan(self) -> ListMode:
        """Return the events of a growing image as a scan for a normal run; call it after `close`.

        Raises
        ------
        DataError
            if the mode is "sliding", or no event arrived
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

    @property
    def _is_memory_full(self) -> bool:
        return self._work.store.left_out > 0

    @property
    def _is_recorded(self) -> bool:
        return self._recorder is not None

    def _follow_source(self) -> None:
        with EventArrivals(self._source) as arrivals:
            self._follow_to_end(arrivals, lambda: self._follow(arrivals))

    def _close_work(self) -> None:
        # Its threads would keep the process alive
        self._work.close()

    def _follow(self, arrivals: EventArrivals) -> None:
        # An image needs many events, so it is updated at a fixed interval, unlike CT slices
        work, shown_s, has_ended = self._work, monotonic(), False
        while not (self._stop.is_set() or has_ended):
            arrived = _batch(arrivals, until_s=shown_s + EVERY_S)
            has_ended = any(isinstance(each, Ended) for each in arrived)
            begun_s = monotonic()
            work.handle(arrived)
            if monotonic() >= shown_s + EVERY_S or has_ended:
                shown_s = monotonic()
                work.refresh(begun_s + WORK_S)  # less if the events took long
                self._show(self._work.update)

    def _finish(self) -> None:
        """Make the image if the scan ended before its sensitivity was ready, then finish it."""
        if self._stop.is_set() or not self._work.wait():
            return
        self._work.refresh(monotonic() + WORK_S)
        self._show(self._work.update)
        if self._choices.settings.mode == "growing":
            self._settles = True
            for _ in self._work.settle():
                self._show(self._work.update)


def _batch(arrivals: EventArrivals, *, until_s: float) -> list[EventArrival]:
    """Take the events in the queue, and those that arrive until a given time, for one image."""
    batch: list[EventArrival] = []
    # A source that can wait would otherwise deliver a whole stored scan as one batch
    read_s, max_s = 0.0, MAX_AT_ONCE_S if arrivals.source.can_wait else float("inf")
    while read_s < max_s:
        left = until_s - monotonic()
        if batch and left <= 0 and not arrivals.waiting_s:
            break
        more = arrivals.take(min(max(left, 0), POLL_S))
        if more is None:
            break
        batch.append(more)
        if isinstance(more, Ended):
            break
        if isinstance(more, EventBatch):
            read_s += more.span_s[1] - more.span_s[0]
    return batch

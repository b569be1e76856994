"""A live reconstruction of list mode that runs by itself: events in, images and figures out.

One thread takes all events that wait, renews the image for a moment and hands the newest over;
whoever looks may be slow, and sees the newest.
"""

from __future__ import annotations

from collections import deque
from threading import Condition, Event, Thread
from time import monotonic

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner
from engine.live.core.frame import Ended, SourceEvent
from engine.live.pet.event_arrivals import EventArrivals
from engine.live.pet.event_batch import EventArrival, EventBatch, EventSource
from engine.live.pet.following import LivePetWork
from engine.live.pet.updates import LivePetChoices, LivePetUpdate

EVERY_S = 0.6
"""From one image to the next, so that each is there within a second,"""
WORK_S = 0.5
"""and for how long of it the image is renewed."""
LOOK_S = 0.1
MOST_AT_ONCE_S = 1.0
"""Seconds of the scan taken together from a source that waits, so that none is dropped."""
MOST_EVENTS = 1000


class LivePetSession:
    """Reconstructs a running list-mode scan in a thread, which begins at once.

    Parameters
    ----------
    source : of the events
    choices : protocol and mode
    on : device and threads
    """

    def __init__(
        self, source: EventSource, choices: LivePetChoices | None = None, *, on: Backend
    ) -> None:
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
        """Return the next event of the source, or the newest image; None if nothing is new.

        After the end, and all before it, `Ended` is returned again and again. A fault is raised.
        """
        with self._changed:
            self._changed.wait_for(self._has_something, timeout_s)
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
        """What was handed over last, or is about to be."""
        with self._changed:
            return self._update

    @property
    def scanner(self) -> Scanner | None:
        """Scanner of the scan, None before the source has told."""
        corrections = self._work.corrections
        return None if corrections is None else corrections.head.scanner

    @property
    def settles(self) -> bool:
        """Whether all events have come, and a growing image becomes the ordinary one."""
        return self._settles

    def close(self) -> None:
        """Stop; image and scan stay as they are then."""
        self._stop.set()
        self._thread.join()

    def scan(self) -> ListMode:
        """Return the events of a growing image as a scan, for an ordinary run; after `close`.

        Raises
        ------
        DataError
            where there is none
        """
        if self._choices.settings.mode == "sliding":
            raise DataError("older events are not kept; follow a scan that grows to keep it.")
        scan = self._work.scan()
        if scan is None:
            raise DataError("no event came, so there is no scan to keep.")
        return scan

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
            with EventArrivals(self._source) as arrivals:
                self._follow(arrivals)
            self._finish()
        except BaseException as e:  # noqa: BLE001  handed to whoever looks, who raises it
            fault = e
        self._work.close()
        with self._changed:
            self._fault, self._has_ended = fault, True
            self._changed.notify_all()

    def _follow(self, arrivals: EventArrivals) -> None:
        work, shown_s, has_ended = self._work, monotonic(), False
        while not (self._stop.is_set() or has_ended):
            arrived = _batch(arrivals, until_s=shown_s + EVERY_S)
            has_ended = any(isinstance(each, Ended) for each in arrived)
            begun_s = monotonic()
            work.take_up(arrived)
            if monotonic() >= shown_s + EVERY_S or has_ended:
                shown_s = monotonic()
                work.refresh(begun_s + WORK_S)  # less of it where the events took their time
                self._hand_over()

    def _finish(self) -> None:
        """Make the image of a scan that ended before its sensitivity was there, and settle it."""
        if self._stop.is_set() or not self._work.wait():
            return
        self._work.refresh(monotonic() + WORK_S)
        self._hand_over()
        if self._choices.settings.mode == "growing":
            self._settles = True
            for _ in self._work.settle():
                self._hand_over()


def _batch(arrivals: EventArrivals, *, until_s: float) -> list[EventArrival]:
    """Take what waits, and what comes until then; no more than is worth one image."""
    batch: list[EventArrival] = []
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

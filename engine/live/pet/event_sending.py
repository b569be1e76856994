"""A stored list-mode scan sent over ZeroMQ as if measured, as `EventStreamSource` receives it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import monotonic

from engine.data.listmode import ListMode
from engine.live.core.message import message_of_end
from engine.live.core.outgoing import Outgoing, outgoing
from engine.live.pet.event_batch import head_of
from engine.live.pet.event_message import message_of_events, message_of_head
from engine.live.pet.event_playing import PlayedEvents, in_time, played_events

ANNOUNCE_S = 2.0
"""The scanner is said so often, for receivers that come later."""


def send_events(
    scan: ListMode,
    address: str,
    *,
    rate: float | None,
    to_all: bool = False,
    stop: Event,
    on_event: Callable[[str], None] = lambda _: None,
) -> int:
    """Send a scan; returns how many events were sent.

    Waits for a receiver before the first event; `to_all` it goes on when nobody is there
    any more, else it waits for the next receiver.

    Parameters
    ----------
    scan
        whose events have times
    address
        tcp://host:port of a receiver, or tcp://*:port to wait for receivers here
    rate
        seconds of the scan in a second, 1: its own pace; None: as fast as they are taken
    to_all
        to all who subscribe (PUB); else each message to one receiver, none is lost (PUSH)
    stop
        set to stop
    on_event
        called with what happens, a sentence each

    Raises
    ------
    DataError
        where the events have no times
    """
    scan = in_time(scan)
    message_of_head(scan)  # refuses what cannot be announced
    with outgoing(address, to_all=to_all, stop=stop, on_event=on_event) as line:
        return _Events(line, scan, rate, to_all, stop).send_all()


class _Events:
    """One scan on its way."""

    def __init__(
        self, line: Outgoing, scan: ListMode, rate: float | None, to_all: bool, stop: Event
    ) -> None:
        self._line, self._scan, self._rate = line, scan, rate
        self._to_all, self._stop = to_all, stop
        self._announced_s = float("-inf")
        self._late_s = 0.0
        self._sent = 0

    def send_all(self) -> int:
        try:
            self._send_events()
        except KeyboardInterrupt:
            self._stop.set()
            raise
        finally:
            self._line.put(message_of_end(self._sent), is_last=True)
        return self._sent

    def _send_events(self) -> None:
        if self._to_all:
            self._line.wait_for_subscriber()
        self._announce()
        begun = monotonic()
        for each in played_events(self._scan):
            self._wait(begun, each)
            if self._stop.is_set():
                return
            self._announce()
            if not self._line.put(message_of_events(each.events, each.first)):
                return
            self._sent += each.events.n_events

    def _wait(self, begun: float, each: PlayedEvents) -> None:
        """Wait until a moment is due; after a receiver was away, time goes on from there."""
        if self._rate is None:
            return
        ahead = begun + self._late_s + each.due_s / self._rate - monotonic()
        if ahead < -1.0:
            self._late_s -= ahead
        self._stop.wait(max(ahead, 0))

    def _announce(self) -> None:
        if self._to_all and self._line.hear():
            self._announced_s = float("-inf")
        if monotonic() - self._announced_s > ANNOUNCE_S:
            self._line.put(message_of_head(head_of(self._scan)))
            self._announced_s = monotonic()

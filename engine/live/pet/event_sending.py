"""Send a stored list-mode scan over ZeroMQ like a scanner, for `EventStreamSource`."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import monotonic

from engine.data.listmode import ListMode
from engine.live.core.message import message_of_end
from engine.live.core.outgoing import Outgoing, outgoing
from engine.live.core.zeromq import ClientKeys
from engine.live.pet.event_batch import head_of
from engine.live.pet.event_message import message_of_events, message_of_head
from engine.live.pet.event_playing import PlayedEvents, in_time, played_events

ANNOUNCE_S = 2.0
"""Interval at which the scanner is sent again, for receivers that connect later."""


def send_events(
    scan: ListMode,
    address: str,
    *,
    rate: float | None,
    to_all: bool = False,
    network: bool = False,
    keys: ClientKeys | None = None,
    stop: Event,
    on_event: Callable[[str], None] = lambda _: None,
) -> int:
    """Send a scan.

    It waits for a receiver before the first event. With `to_all` it continues without receivers,
    otherwise it waits for the next one.

    Parameters
    ----------
    scan
        scan with event times
    address
        tcp://host:port of a receiver, or tcp://*:port to wait for receivers
    rate
        seconds of the scan per second, 1 for its own speed; None: as fast as they are received
    to_all
        True to send to all subscribers (PUB); else each message goes to one receiver (PUSH)
    network
        True to accept receivers on other computers at tcp://*:port
    keys
        keys of the connection; None: neither encrypted nor signed
    stop
        set to stop
    on_event
        called with a sentence about each event

    Returns
    -------
    n_sent
        number of events sent

    Raises
    ------
    DataError
        if the events have no times
    SettingsError
        if the scanner cannot be announced
    """
    scan = in_time(scan)
    message_of_head(scan)  # raises if the scanner cannot be announced
    with outgoing(
        address, to_all=to_all, stop=stop, on_event=on_event, network=network, keys=keys
    ) as line:
        return _Events(line, scan, rate, to_all, stop).send_all()


class _Events:
    """Sending of one scan."""

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
            # Set first, so that the last message is tried only once
            self._stop.set()
            raise
        finally:
            # Also after an error: receivers would otherwise wait for more events
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
        """Wait until an interval is due; after a pause of the receiver, continue from there."""
        if self._rate is None:
            return
        ahead = begun + self._late_s + each.due_s / self._rate - monotonic()
        # More than a second late: without a receiver, which must not get a burst afterwards
        if ahead < -1.0:
            self._late_s -= ahead
        self._stop.wait(max(ahead, 0))

    def _announce(self) -> None:
        # A new subscriber has not seen the scanner
        if self._to_all and self._line.poll_receivers():
            self._announced_s = float("-inf")
        if monotonic() - self._announced_s > ANNOUNCE_S:
            self._line.put(message_of_head(head_of(self._scan)))
            self._announced_s = monotonic()

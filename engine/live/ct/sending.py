"""Send a stored scan over ZeroMQ like a detector, in the form that `StreamSource` receives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event
from time import monotonic

from engine.data.projections import Projections
from engine.live.core.frame import FrameKind
from engine.live.core.message import message_of, message_of_end, message_of_geometry
from engine.live.core.outgoing import Outgoing, outgoing
from engine.live.core.zeromq import ClientKeys
from engine.live.ct.playing import Played, played

ANNOUNCE_S = 2.0
"""Interval at which the geometry is sent again, for receivers that connect later."""


@dataclass(frozen=True)
class Sending:
    """Options for sending a scan.

    Attributes
    ----------
    address : tcp://host:port of a receiver, or tcp://*:port to wait for receivers
    rate : frames per second; None: as fast as they are received
    to_all : True to send to all subscribers (PUB); else each frame goes to one receiver (PUSH)
    plain : True to send frames only, for other programs: no angles, geometry or end
    network : True to accept receivers on other computers at tcp://*:port
    keys : keys of the connection; None: neither encrypted nor signed
    """

    address: str
    rate: float | None = None
    to_all: bool = False
    plain: bool = False
    network: bool = False
    keys: ClientKeys | None = None


def send(
    scan: Projections,
    how: Sending,
    *,
    stop: Event,
    on_event: Callable[[str], None] = lambda _: None,
) -> int:
    """Send a scan.

    It waits for a receiver before the first frame. With `to_all` it continues without receivers,
    otherwise it waits for the next one.

    Parameters
    ----------
    scan
        stored scan
    how
        address, rate and form
    stop
        set to stop
    on_event
        called with a sentence about each event

    Returns
    -------
    n_sent
        number of projections sent
    """
    with outgoing(
        how.address,
        to_all=how.to_all,
        stop=stop,
        on_event=on_event,
        has_token=not how.plain,
        network=how.network,
        keys=how.keys,
    ) as line:
        return _Scan(line, how, scan, stop).send_all()


class _Scan:
    """Sending of one scan."""

    def __init__(self, line: Outgoing, how: Sending, scan: Projections, stop: Event) -> None:
        self._line, self._how, self._scan, self._stop = line, how, scan, stop
        self._announced_s = float("-inf")
        self._sent = 0

    def send_all(self) -> int:
        try:
            self._send_frames()
        except KeyboardInterrupt:
            # Set first, so that the last message is tried only once
            self._stop.set()
            raise
        finally:
            if not self._how.plain:
                # Also after an error: receivers would otherwise wait for more frames
                self._line.put(message_of_end(self._sent), is_last=True)
        return self._sent

    def _send_frames(self) -> None:
        if self._how.to_all:
            self._line.wait_for_subscriber()
        for frame in self._paced():
            self._announce()
            if not self._line.put(message_of(frame, is_bare=self._how.plain)):
                break
            # Receivers compare this number with the projections that they received
            self._sent += frame.kind == FrameKind.PROJECTION

    def _paced(self) -> Iterator[Played]:
        rate, due = self._how.rate, monotonic()
        for frame in played(self._scan):
            if rate is not None:
                self._stop.wait(max(due - monotonic(), 0))
                due = max(due, monotonic() - 1 / rate) + 1 / rate  # no burst of frames after a wait
            if self._stop.is_set():
                return
            yield frame

    def _announce(self) -> None:
        if self._how.to_all and self._line.poll_receivers():
            # A new subscriber has not seen the geometry
            self._announced_s = float("-inf")
        if not self._how.plain and monotonic() - self._announced_s > ANNOUNCE_S:
            self._line.put(message_of_geometry(self._scan.geometry))
            self._announced_s = monotonic()

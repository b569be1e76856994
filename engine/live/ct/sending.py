"""A stored scan sent over ZeroMQ as if measured, in the form that `StreamSource` receives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event
from time import monotonic

from engine.data.projections import Projections
from engine.live.core.frame import FrameKind
from engine.live.core.message import message_of, message_of_end, message_of_geometry
from engine.live.core.outgoing import Outgoing, outgoing
from engine.live.ct.playing import Played, played

ANNOUNCE_S = 2.0
"""The geometry is said so often, for receivers that come later."""


@dataclass(frozen=True)
class Sending:
    """How a scan is sent.

    Attributes
    ----------
    address : tcp://host:port of a receiver, or tcp://*:port to wait for receivers here
    rate : frames in a second; None: as fast as they are taken
    to_all : to all who subscribe (PUB); else each frame to one receiver, none is lost (PUSH)
    plain : send only what others' receivers know: no angles, no geometry, no end
    """

    address: str
    rate: float | None = None
    to_all: bool = False
    plain: bool = False


def send(
    scan: Projections,
    how: Sending,
    *,
    stop: Event,
    on_event: Callable[[str], None] = lambda _: None,
) -> int:
    """Send a scan; returns how many projections were sent.

    Waits for a receiver before the first frame; `to_all` it goes on when nobody is there
    any more, else it waits for the next receiver.
    """
    with outgoing(how.address, to_all=how.to_all, stop=stop, on_event=on_event) as line:
        return _Scan(line, how, scan, stop).send_all()


class _Scan:
    """One scan on its way."""

    def __init__(self, line: Outgoing, how: Sending, scan: Projections, stop: Event) -> None:
        self._line, self._how, self._scan, self._stop = line, how, scan, stop
        self._announced_s = float("-inf")
        self._sent = 0

    def send_all(self) -> int:
        try:
            self._send_frames()
        except KeyboardInterrupt:
            self._stop.set()
            raise
        finally:
            if not self._how.plain:
                self._line.put(message_of_end(self._sent), is_last=True)
        return self._sent

    def _send_frames(self) -> None:
        if self._how.to_all:
            self._line.wait_for_subscriber()
        for frame in self._paced():
            self._announce()
            if not self._line.put(message_of(frame, plain=self._how.plain)):
                break
            self._sent += frame.kind == FrameKind.PROJECTION

    def _paced(self) -> Iterator[Played]:
        rate, due = self._how.rate, monotonic()
        for frame in played(self._scan):
            if rate is not None:
                self._stop.wait(max(due - monotonic(), 0))
                due = max(due, monotonic() - 1 / rate) + 1 / rate  # no rush after a wait
            if self._stop.is_set():
                return
            yield frame

    def _announce(self) -> None:
        if self._how.to_all and self._line.hear():
            self._announced_s = float("-inf")
        if not self._how.plain and monotonic() - self._announced_s > ANNOUNCE_S:
            self._line.put(message_of_geometry(self._scan.geometry))
            self._announced_s = monotonic()

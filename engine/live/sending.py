"""A stored scan sent over ZeroMQ as if measured, in the form that `StreamSource` receives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from engine.data.projections import Projections
from engine.live.frame import FrameKind
from engine.live.message import (
    Buffer,
    message_of,
    message_of_end,
    message_of_geometry,
)
from engine.live.playing import Played, played
from engine.live.zeromq import opened

if TYPE_CHECKING:
    import zmq

ANNOUNCE_S = 2.0
"""The geometry is said so often, for receivers that come later."""
LOOK_MS = 100
WAITING_MESSAGES = 8
"""Frames on their way: so many are lost at most when a receiver goes."""
LINGER_MS = 3000
"""What was sent may take so long to leave when all is done."""


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
    import zmq

    options = {int(zmq.SNDHWM): WAITING_MESSAGES, int(zmq.LINGER): LINGER_MS}
    if how.to_all:
        options[int(zmq.XPUB_VERBOSER)] = 1
    else:
        options[int(zmq.IMMEDIATE)] = 1  # nothing is queued for a receiver that is not there
    with opened(zmq.XPUB if how.to_all else zmq.PUSH, how.address, options) as socket:
        line = _Line(socket, how, scan, stop, on_event)
        sent = line.send_all()
        if stop.is_set():
            socket.setsockopt(zmq.LINGER, LOOK_MS)
        return sent


class _Line:
    """One scan on its way."""

    def __init__(
        self,
        socket: zmq.Socket[bytes],
        how: Sending,
        scan: Projections,
        stop: Event,
        on_event: Callable[[str], None],
    ) -> None:
        self._socket, self._how, self._scan = socket, how, scan
        self._stop, self._on_event = stop, on_event
        self._announced_s = float("-inf")
        self._n_receivers = self._sent = 0

    def send_all(self) -> int:
        try:
            self._send_frames()
        except KeyboardInterrupt:
            self._stop.set()
            raise
        finally:
            if not self._how.plain:
                self._put(message_of_end(self._sent), is_last=True)
        return self._sent

    def _send_frames(self) -> None:
        if self._how.to_all:
            self._wait_for_subscriber()
        for frame in self._paced():
            self._announce()
            if not self._put(message_of(frame, plain=self._how.plain)):
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
        if self._how.to_all and self._hear():
            self._announced_s = float("-inf")
        if not self._how.plain and monotonic() - self._announced_s > ANNOUNCE_S:
            self._put(message_of_geometry(self._scan.geometry))
            self._announced_s = monotonic()

    def _put(self, message: list[Buffer], *, is_last: bool = False) -> bool:
        """Send one message when there is a receiver for it; whether it was sent."""
        import zmq

        begun, is_said = monotonic(), False
        while not self._stop.is_set() or is_last:
            if self._socket.poll(LOOK_MS, zmq.POLLOUT):
                self._socket.send_multipart(message, copy=False)
                return True
            if is_last and self._stop.is_set():
                return False
            if not is_said and monotonic() - begun > 1:
                is_said = True
                self._on_event(f"{self._how.address}: waits for a receiver.")
        return False

    def _wait_for_subscriber(self) -> None:
        begun = monotonic()
        is_said = False
        while not self._stop.is_set() and not self._hear(LOOK_MS):
            if not is_said and monotonic() - begun > 1:
                is_said = True
                self._on_event(f"{self._how.address}: waits for a receiver.")

    def _hear(self, wait_ms: int = 0) -> bool:
        """Count receivers that come and go; whether one has come."""
        came = False
        while self._socket.poll(wait_ms):
            begins = self._socket.recv()[:1] == b"\1"
            self._n_receivers += 1 if begins else -1
            came, wait_ms = came or begins, 0
            word = "comes" if begins else "goes"
            self._on_event(
                f"{self._how.address}: a receiver {word}; {self._n_receivers} are there."
            )
        return came

"""The socket of a sender: messages leave when somebody is there, and who comes and goes is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from engine.live.core.message import Buffer
from engine.live.core.zeromq import opened, sent

if TYPE_CHECKING:
    import zmq

LOOK_MS = 100
WAITING_MESSAGES = 8
"""Messages on their way: so many are lost at most when a receiver goes."""
LINGER_MS = 3000
"""What was sent may take so long to leave when all is done."""


class Outgoing:
    """Sends messages from one socket.

    Parameters
    ----------
    socket : PUSH, or XPUB where it sends to all who subscribe
    address : of the socket, for what is said
    stop : set to stop
    on_event : called with what happens, a sentence each
    """

    def __init__(
        self,
        socket: zmq.Socket[bytes],
        address: str,
        stop: Event,
        on_event: Callable[[str], None],
    ) -> None:
        self._socket, self._address = socket, address
        self._stop, self._on_event = stop, on_event
        self._n_receivers = 0

    def put(self, message: list[Buffer], *, is_last: bool = False) -> bool:
        """Send one message when there is a receiver for it; whether it was sent."""
        begun, is_said = monotonic(), False
        while not self._stop.is_set() or is_last:
            if sent(self._socket, message, LOOK_MS):
                return True
            if is_last and self._stop.is_set():
                return False
            if not is_said and monotonic() - begun > 1:
                is_said = True
                self._on_event(f"{self._address}: waits for a receiver.")
        return False

    def wait_for_subscriber(self) -> None:
        """Wait until somebody subscribes, or it is stopped."""
        begun = monotonic()
        is_said = False
        while not self._stop.is_set() and not self.hear(LOOK_MS):
            if not is_said and monotonic() - begun > 1:
                is_said = True
                self._on_event(f"{self._address}: waits for a receiver.")

    def hear(self, wait_ms: int = 0) -> bool:
        """Count receivers that come and go; whether one has come."""
        came = False
        while self._socket.poll(wait_ms):
            begins = self._socket.recv()[:1] == b"\1"
            self._n_receivers += 1 if begins else -1
            came, wait_ms = came or begins, 0
            word = "comes" if begins else "goes"
            self._on_event(f"{self._address}: a receiver {word}; {self._n_receivers} are there.")
        return came


@contextmanager
def outgoing(
    address: str, *, to_all: bool, stop: Event, on_event: Callable[[str], None]
) -> Iterator[Outgoing]:
    """Open the socket of a sender, and close it when what was sent has left.

    to_all : to all who subscribe (PUB); else each message to one receiver, none is lost (PUSH)
    """
    import zmq

    options = {int(zmq.SNDHWM): WAITING_MESSAGES, int(zmq.LINGER): LINGER_MS}
    if to_all:
        options[int(zmq.XPUB_VERBOSER)] = 1
    else:
        options[int(zmq.IMMEDIATE)] = 1  # nothing is queued for a receiver that is not there
    with opened(zmq.XPUB if to_all else zmq.PUSH, address, options) as socket:
        yield Outgoing(socket, address, stop, on_event)
        if stop.is_set():
            socket.setsockopt(zmq.LINGER, LOOK_MS)

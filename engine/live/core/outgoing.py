"""Socket of a sender: it sends once a receiver exists, and reports receivers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from engine.live.core.message import Buffer
from engine.live.core.senders import new_token, with_token
from engine.live.core.zeromq import ClientKeys, listens, opened, sent

if TYPE_CHECKING:
    import zmq

POLL_MS = 100
WAITING_MESSAGES = 8
"""Most messages in transit; these are lost if the receiver disconnects."""
LINGER_MS = 3000
"""Longest time for sent messages to leave the socket at the end."""


class Outgoing:
    """Sends messages through one socket.

    Parameters
    ----------
    socket : PUSH socket, or XPUB to send to all subscribers
    address : address of the socket, for messages to the user
    stop : set to stop
    on_event : called with a sentence about each event
    token : identifies this sender in every message; None: for receivers of other programs
    """

    def __init__(
        self,
        socket: zmq.Socket[bytes],
        address: str,
        stop: Event,
        on_event: Callable[[str], None],
        token: str | None = None,
    ) -> None:
        self._token = token
        self._socket, self._address = socket, address
        self._stop, self._on_event = stop, on_event
        self._n_receivers = 0

    def put(self, message: list[Buffer], *, is_last: bool = False) -> bool:
        """Send one message once there is a receiver.

        Parameters
        ----------
        message
            parts of the message
        is_last
            True to try once even after `stop`

        Returns
        -------
        is_sent
            False if it was stopped before
        """
        begun, is_reported = monotonic(), False
        if self._token is not None:
            message = with_token(message, self._token)
        while not self._stop.is_set() or is_last:
            if sent(self._socket, message, POLL_MS):
                return True
            # The end of a scan is tried once, so that receivers do not wait for more
            if is_last and self._stop.is_set():
                return False
            if not is_reported and monotonic() - begun > 1:
                is_reported = True
                self._on_event(f"{self._address}: waiting for a receiver.")
        return False

    def wait_for_subscriber(self) -> None:
        """Wait until somebody subscribes, or `stop` is set."""
        begun = monotonic()
        is_reported = False
        while not self._stop.is_set() and not self.poll_receivers(POLL_MS):
            if not is_reported and monotonic() - begun > 1:
                is_reported = True
                self._on_event(f"{self._address}: waiting for a receiver.")

    def poll_receivers(self, wait_ms: int = 0) -> bool:
        """Count receivers that connect and disconnect.

        Parameters
        ----------
        wait_ms
            longest wait for the first change [ms]

        Returns
        -------
        came
            True if a receiver has connected
        """
        came = False
        while self._socket.poll(wait_ms):
            # XPUB delivers subscriptions as messages: 1 subscribes, 0 ends a subscription
            begins = self._socket.recv()[:1] == b"\1"
            self._n_receivers += 1 if begins else -1
            came, wait_ms = came or begins, 0
            word = "connected" if begins else "disconnected"
            self._on_event(
                f"{self._address}: a receiver has {word}; receivers: {self._n_receivers}."
            )
        return came


@contextmanager
def outgoing(
    address: str,
    *,
    to_all: bool,
    stop: Event,
    on_event: Callable[[str], None],
    has_token: bool = True,
    network: bool = False,
    keys: ClientKeys | None = None,
) -> Iterator[Outgoing]:
    """Open the socket of a sender, and close it once its messages have left.

    Parameters
    ----------
    address
        tcp://host:port, or tcp://*:port to wait for receivers
    to_all
        True to send to all subscribers (PUB); else each message goes to one receiver (PUSH)
    stop
        set to stop
    on_event
        called with a sentence about each event
    has_token
        True to identify this run of the sender in every message
    network
        True to accept receivers on other computers at tcp://*:port
    keys
        keys of the connection; None: neither encrypted nor signed
    """
    import zmq

    options = {int(zmq.SNDHWM): WAITING_MESSAGES, int(zmq.LINGER): LINGER_MS}
    if to_all:
        # Reports every subscription and its end, also those of further receivers
        options[int(zmq.XPUB_VERBOSER)] = 1
    else:
        options[int(zmq.IMMEDIATE)] = 1  # queues nothing for a receiver that does not exist
    kind = zmq.XPUB if to_all else zmq.PUSH
    with opened(kind, address, options, network=network, keys=keys) as socket:
        if listens(address) and address.startswith("tcp://"):
            on_event(_listening(address, network))
        token = new_token() if has_token else None
        if token is not None:
            on_event(f"{address}: the token of this sender is {token}.")
        yield Outgoing(socket, address, stop, on_event, token)
        if stop.is_set():
            # After a stop, messages in the queue are discarded
            socket.setsockopt(zmq.LINGER, POLL_MS)


def _listening(address: str, network: bool) -> str:
    if network:
        return f"{address} listens on all networks and accepts receivers on other computers."
    return (
        f"{address} accepts only receivers on this computer. "
        "To accept receivers on other computers, add --network."
    )

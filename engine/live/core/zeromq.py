"""Sockets of ZeroMQ, opened the same way by who sends and who receives.

An address with a star for its host, tcp://*:9667, is opened here for others to connect to; any
other is connected to, whether somebody is there already or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.core.errors import ResourceError, SettingsError
from engine.live.core.message import Buffer

if TYPE_CHECKING:
    import zmq

SCHEMES = ("tcp://", "ipc://")


def is_address(text: str) -> bool:
    """Whether a text is an address of ZeroMQ."""
    return text.startswith(SCHEMES)


@contextmanager
def opened(kind: int, address: str, options: dict[int, int]) -> Iterator[zmq.Socket[bytes]]:
    """Open a socket at an address, and close it with its context.

    Raises
    ------
    SettingsError
        for an address that is none
    ResourceError
        where it cannot be opened, such as a port that is in use
    """
    import zmq

    context = zmq.Context()
    try:
        socket = context.socket(kind)
        for option, value in options.items():
            socket.setsockopt(option, value)
        try:
            if "*" in address:
                socket.bind(address)
            else:
                socket.connect(address)
        except zmq.ZMQError as e:
            raise _fault(address, e) from e
        yield socket
    finally:
        context.destroy()


def sent(socket: zmq.Socket[bytes], message: list[Buffer], wait_ms: int) -> bool:
    """Send a message if it is taken within a time; whether it was.

    Never waits longer: a receiver that goes between the question and the sending would else hold
    the sender for ever.
    """
    import zmq

    if not socket.poll(wait_ms, zmq.POLLOUT):
        return False
    try:
        socket.send_multipart(message, zmq.NOBLOCK, copy=False)
    except zmq.Again:
        return False
    return True


def _fault(address: str, e: Exception) -> SettingsError | ResourceError:
    import zmq

    number = getattr(e, "errno", None)
    if number in (zmq.EADDRINUSE, zmq.EADDRNOTAVAIL, zmq.EACCES if hasattr(zmq, "EACCES") else -1):
        return ResourceError(f"{address}: cannot be opened ({e}); choose another port.")
    return SettingsError(
        f"{address}: no address ({e}); want tcp://host:port, or tcp://*:port to open it here."
    )

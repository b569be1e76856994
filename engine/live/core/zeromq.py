"""Sockets of ZeroMQ, opened in the same way by senders and receivers.

An address with a star as host, tcp://*:9667, is bound, so that others connect to it. Only programs
on this computer can do so, unless the user asks for the network. Any other address is connected to,
even if nobody is there yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.core.errors import ResourceError, SettingsError
from engine.live.core.message import Buffer

if TYPE_CHECKING:
    import zmq
    from zmq.auth.thread import ThreadAuthenticator

SCHEMES = ("tcp://", "ipc://")
LOOPBACK = "tcp://127.0.0.1"
HERE = ("tcp://*", LOOPBACK, "tcp://localhost")
"""Addresses that no other computer can reach without `network`."""


@dataclass(frozen=True)
class ServerKeys:
    """Keys of a socket that accepts only known senders.

    Attributes
    ----------
    secret : secret key of this program
    allowed : public keys of the senders
    on_refused : called in another thread with the key of each sender that is not allowed
    """

    secret: str
    allowed: frozenset[str]
    on_refused: Callable[[str], None] = lambda _: None

    def callback(self, _: str, key: bytes) -> bool:
        """Return True if a key is allowed; the handler of ZeroMQ calls this."""
        is_allowed = key.decode("ascii") in self.allowed
        if not is_allowed:
            self.on_refused(key.decode("ascii"))
        return is_allowed


@dataclass(frozen=True)
class ClientKeys:
    """Keys of a sender.

    Attributes
    ----------
    receiver : public key of the receiver
    public, secret : pair of this program
    """

    receiver: str
    public: str
    secret: str


def is_address(text: str) -> bool:
    """Return True if a text is an address of ZeroMQ."""
    return text.startswith(SCHEMES)


def listens(address: str) -> bool:
    """Return True if others connect to an address, instead of this program to them."""
    return "*" in address


def check_network(address: str, network: bool) -> None:
    """Refuse an address that is open to the network without a request, or the opposite.

    Parameters
    ----------
    address
        source or target of a stream
    network
        True if the user asks for connections from other computers

    Raises
    ------
    SettingsError
        if `network` does not fit the address
    """
    is_tcp = address.startswith("tcp://")
    if is_tcp and listens(address) and not network and not address.startswith(HERE):
        raise SettingsError(
            f"{address}: this address accepts programs on other computers, which is not allowed. "
            "Use tcp://*:PORT to accept only programs on this computer. To accept programs on "
            "other computers, add --network, or check the box in the window."
        )
    if network and not (is_tcp and listens(address)):
        raise SettingsError(
            f"{address}: this address cannot accept programs on other computers. Use tcp://*:PORT. "
            "To accept only programs on this computer, remove --network, or clear the box in the "
            "window."
        )


@contextmanager
def opened(
    kind: int,
    address: str,
    options: dict[int, int],
    *,
    network: bool = False,
    keys: ServerKeys | ClientKeys | None = None,
    prepare: Callable[[zmq.Socket[bytes]], object] = lambda _: None,
) -> Iterator[zmq.Socket[bytes]]:
    """Open a socket at an address, and close it with its context.

    Parameters
    ----------
    kind
        socket type, such as `zmq.PULL`
    address
        tcp:// or ipc:// address
    options
        socket options, set before the socket is connected
    network
        True to listen on all networks; False: tcp://*:port listens on this computer only
    keys
        keys of the connection; None: neither encrypted nor signed
    prepare
        called with the socket before anyone can connect

    Raises
    ------
    SettingsError
        if the address is not valid
    ResourceError
        if it cannot be opened, for example because the port is in use
    """
    import zmq

    context = zmq.Context()
    authenticator = None
    try:
        # Before the socket is bound: without its handler ZeroMQ accepts every key
        authenticator = _authenticator(context, keys)
        socket = context.socket(kind)
        _set_keys(socket, keys)
        # High-water marks count only for connections that are made afterwards
        for option, value in options.items():
            socket.setsockopt(option, value)
        prepare(socket)
        try:
            if listens(address):
                socket.bind(address if network else address.replace("tcp://*", LOOPBACK, 1))
            else:
                socket.connect(address)
        except zmq.ZMQError as e:
            raise _fault(address, e) from e
        yield socket
    finally:
        if authenticator is not None:
            authenticator.stop()
        # Not `term`, which would wait for a socket that is still open
        context.destroy()


def sent(socket: zmq.Socket[bytes], message: list[Buffer], wait_ms: int) -> bool:
    """Send a message within a given time.

    It never waits longer. A receiver that disconnects between the poll and the sending would
    otherwise block the sender forever.

    Parameters
    ----------
    socket
        socket of the sender
    message
        parts of the message
    wait_ms
        longest wait [ms]

    Returns
    -------
    is_sent
        False if no receiver accepted the message in time
    """
    import zmq

    if not socket.poll(wait_ms, zmq.POLLOUT):
        return False
    try:
        socket.send_multipart(message, zmq.NOBLOCK, copy=False)
    except zmq.Again:
        return False
    return True


def _authenticator(
    context: zmq.Context[zmq.Socket[bytes]], keys: ServerKeys | ClientKeys | None
) -> ThreadAuthenticator | None:
    if not isinstance(keys, ServerKeys):
        return None
    from zmq.auth.thread import ThreadAuthenticator

    made = ThreadAuthenticator(context)
    made.start()
    made.configure_curve_callback(domain="*", credentials_provider=keys)
    return made


def _set_keys(socket: zmq.Socket[bytes], keys: ServerKeys | ClientKeys | None) -> None:
    import zmq

    if isinstance(keys, ServerKeys):
        socket.setsockopt(zmq.CURVE_SERVER, 1)
        socket.setsockopt(zmq.CURVE_SECRETKEY, keys.secret.encode())
    elif keys is not None:
        socket.setsockopt(zmq.CURVE_SERVERKEY, keys.receiver.encode())
        socket.setsockopt(zmq.CURVE_PUBLICKEY, keys.public.encode())
        socket.setsockopt(zmq.CURVE_SECRETKEY, keys.secret.encode())


def _fault(address: str, e: Exception) -> SettingsError | ResourceError:
    import zmq

    number = getattr(e, "errno", None)
    # EACCES is a port below 1024 without the right to use it
    if number in (zmq.EADDRINUSE, zmq.EADDRNOTAVAIL, zmq.EACCES if hasattr(zmq, "EACCES") else -1):
        return ResourceError(
            f"{address}: this address cannot be opened ({e}). Choose another port."
        )
    return SettingsError(
        f"{address}: not a valid address ({e}). Expected tcp://host:port, or "
        "tcp://*:port to wait for connections."
    )

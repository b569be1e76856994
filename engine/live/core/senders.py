"""One sender per scan: messages of any other sender are refused, counted and reported.

A sender is known by the token in its messages. Without one it is known by its connection, and only
from this computer: a network address is no identity. The first valid message fixes the sender.
Another one can follow only after the connection of the first has closed, and starts a new scan.
"""

from __future__ import annotations

import ipaddress
import json
import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.core.errors import DataError
from engine.live.core.message import OURS, Buffer, header_of, table_of

if TYPE_CHECKING:
    import zmq

TOKEN = "token"
MOST_TOKEN = 128
MOST_SENDERS = 200
"""Most refused senders that are counted one by one."""


def new_token() -> str:
    """Return a token for one run of a sender."""
    return secrets.token_hex(16)


def with_token(message: Sequence[Buffer], token: str) -> list[Buffer]:
    """Return a message with the token of its sender.

    Parameters
    ----------
    message
        header and data
    token
        token of the sender
    """
    header = json.loads(bytes(message[0]))
    header[OURS] = table_of(header, OURS) | {TOKEN: token}
    return [json.dumps(header).encode(), *message[1:]]


@dataclass(frozen=True)
class Origin:
    """Origin of a message.

    Attributes
    ----------
    token : token of the sender, empty without one
    descriptor : connection of the message
    peer : address and port of the other end; None if the connection has closed
    host : address without the port
    """

    token: str
    descriptor: int
    peer: str | None
    host: str

    @property
    def name(self) -> str:
        """Name of the sender for the user."""
        return self.peer or self.host or "unknown"


class Senders:
    """Decides which messages belong to the scan.

    Parameters
    ----------
    is_listening : True if senders connect to this program; False if it connects to one sender,
        whose address the user has chosen

    Attributes
    ----------
    follows : True if the last accepted message is from another run of a sender with a token, and so
        starts another scan
    has_reconnected : True if it is from another connection, and has no token that shows that the
        sender is still the same run
    """

    def __init__(self, *, is_listening: bool) -> None:
        self._is_listening = is_listening
        self._chosen: Origin | None = None
        self._newest: Origin | None = None
        self.follows = self.has_reconnected = False
        self._refused: dict[str, int] = {}
        self._not_named = 0

    def accepts(self, parts: Sequence[zmq.Frame]) -> tuple[bool, str]:
        """Decide about a message, before its data are read.

        Parameters
        ----------
        parts
            parts of the message

        Returns
        -------
        is_accepted
            True if the message is from the sender of the scan
        text
            "" or a part of a sentence: the reason, at the first message of a refused sender, or
            that another sender follows

        Raises
        ------
        DataError
            if the header cannot be read
        """
        origin = _origin_of(parts)
        self._newest, self.follows, self.has_reconnected = origin, False, False
        if self._is_listening and not origin.token and not _is_this_computer(origin.host):
            return False, self._refuse(
                origin, "has no token and is on another computer; send with `isocenter live send`"
            )
        chosen = self._chosen
        if chosen is None or self._is_same(chosen, origin):
            self.has_reconnected = _is_other_connection(chosen, origin)
            return True, ""
        if _is_open(chosen):
            return False, self._refuse(origin, f"is not the sender of this scan ({chosen.name})")
        self.follows = bool(chosen.token or origin.token)
        self.has_reconnected = True
        return True, f"the sender {origin.name} follows {chosen.name}, which has disconnected"

    def confirm(self) -> None:
        """Fix the sender of the last accepted message, which was valid.

        A sender that has connected again is then known by its newest connection.
        """
        self._chosen = self._newest

    @property
    def is_fixed(self) -> bool:
        """True once the sender of the scan is known."""
        return self._chosen is not None

    @property
    def summary(self) -> str:
        """Sentence about refused messages; empty without any."""
        n = sum(self._refused.values()) + self._not_named
        if not n:
            return ""
        names = ", ".join(list(self._refused)[:5])
        messages = "1 message" if n == 1 else f"{n:,} messages"
        return f"{messages} of other senders were refused ({names})."

    def _is_same(self, chosen: Origin, origin: Origin) -> bool:
        if chosen.token or origin.token:
            return chosen.token == origin.token
        if not self._is_listening:
            return True
        # A closed connection has no other end, but its messages can still wait here
        same = origin.peer is None or origin.peer == chosen.peer
        return origin.descriptor == chosen.descriptor and same

    def _refuse(self, origin: Origin, reason: str) -> str:
        name = origin.name
        if name not in self._refused and len(self._refused) >= MOST_SENDERS:
            self._not_named += 1
            return ""
        is_first = name not in self._refused
        self._refused[name] = self._refused.get(name, 0) + 1
        return f"the sender {name} {reason}" if is_first else ""


def _origin_of(parts: Sequence[zmq.Frame]) -> Origin:
    import zmq

    token = ""
    if len(parts) == 2:
        stated = table_of(header_of(bytes(parts[0].buffer)), OURS).get(TOKEN)
        if stated is not None and not (isinstance(stated, str) and 0 < len(stated) <= MOST_TOKEN):
            raise DataError(
                f"in the header, 'token' is {str(stated)[:40]!r}, expected 1 to {MOST_TOKEN} "
                "characters."
            )
        token = stated or ""
    try:
        descriptor = int(str(parts[0].get(zmq.SRCFD)))
        host = str(parts[0].get("Peer-Address"))
    # Transports without a socket, such as inproc, have no properties
    except (zmq.ZMQError, ValueError):
        return Origin(token, -1, None, "")
    return Origin(token, descriptor, _peer_of(descriptor), host)


def _is_other_connection(chosen: Origin | None, origin: Origin) -> bool:
    if chosen is None or origin.token or origin.peer is None:
        return False
    return origin.peer != chosen.peer


def _peer_of(descriptor: int) -> str | None:
    """Return address and port of the other end of a connection; None if it has closed."""
    try:
        copy = socket.socket(fileno=os.dup(descriptor))
    except OSError:
        return None
    with copy:
        try:
            peer = copy.getpeername()
        except OSError:
            return None
    return f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else str(peer)


def _is_open(origin: Origin) -> bool:
    return origin.peer is not None and _peer_of(origin.descriptor) == origin.peer


def _is_this_computer(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return True  # a local transport (ipc) has no address
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback

"""One sender per scan: messages of any other sender are refused, counted and reported.

A sender is identified by its key (CURVE), otherwise by the token in its messages. Without both it
is identified by its connection, and only on this computer, because a network address proves
nothing. The first valid message selects the sender, unless the user names one. Another sender can
follow only after the first connection has closed, and always starts a new scan.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import secrets
import shlex
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from engine.core.errors import DataError
from engine.live.core.message import OURS, Buffer, header_of, known_header, table_of

if TYPE_CHECKING:
    import zmq

TOKEN = "token"
MAX_TOKEN = 128
KEY_LENGTH = 40
"""Characters of a public key of CURVE."""
TOKEN_PATTERN = re.compile(r"[0-9A-Za-z_.-]+")
MAX_SENDERS = 200
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


class Origin(NamedTuple):
    """Origin of a message.

    Attributes
    ----------
    token : token of the sender, empty without one
    descriptor : connection of the message
    peer : address and port of the other end; None if the connection has closed
    host : address without the port
    key : public key of the sender, proven by CURVE; empty without one
    """

    token: str
    descriptor: int
    peer: str | None
    host: str
    key: str = ""

    @property
    def name(self) -> str:
        """Name of the sender for the user."""
        return self.peer or self.host or "unknown"

    @property
    def identity(self) -> str:
        """Name by which the user can choose the sender: its key, token or address."""
        return f"key:{self.key}" if self.key else f"token:{self.token}" if self.token else self.name


@dataclass(frozen=True)
class RefusedSender:
    """A refused sender.

    Attributes
    ----------
    identity : key, token or address, as the user can choose it
    name : address
    n_messages : number of refused messages
    """

    identity: str
    name: str
    n_messages: int


class Senders:
    """Decides which messages belong to the scan.

    Parameters
    ----------
    is_listening : True if senders connect to this program; False if it connects to one sender,
        whose address the user has chosen
    required : key, token or address of the only sender that is accepted; empty: the first one
    has_keys : True if the socket checks keys; otherwise a key of a message is an unproven claim

    Attributes
    ----------
    chosen : origin of the sender of the scan; None before its first valid message
    follows : True if the last accepted message is from another sender than the messages before it,
        and so starts another scan
    has_reconnected : True if it is from another connection of the sender, and has no token that
        shows that it is still the same run
    """

    def __init__(self, *, is_listening: bool, required: str = "", has_keys: bool = False) -> None:
        self._is_listening, self._required, self._has_keys = is_listening, required, has_keys
        self.chosen: Origin | None = None
        self._newest: Origin | None = None
        self.follows = self.has_reconnected = False
        self._refused: dict[str, RefusedSender] = {}
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
            "" or a sentence: the reason, at the first message of a refused sender, or that another
            sender follows

        Raises
        ------
        DataError
            if the header cannot be read
        """
        origin = _origin_of(parts, self._has_keys)
        self._newest, self.follows, self.has_reconnected = origin, False, False
        reason = self._reason_against(origin)
        if reason:
            return False, self._refuse(origin, reason)
        chosen = self.chosen
        if chosen is None or self._is_same(chosen, origin):
            self.has_reconnected = _is_other_connection(chosen, origin)
            return True, ""
        self.follows = True
        if self._required and not is_named(chosen, self._required):
            return True, f"You have chosen the sender {origin.name} instead of {chosen.name}."
        return True, f"The sender {origin.name} follows {chosen.name}, which has disconnected."

    def confirm(self) -> None:
        """Fix the sender of the last accepted message, which was valid.

        A sender that has connected again is then known by its newest connection.
        """
        self.chosen = self._newest

    def require(self, identity: str) -> None:
        """Accept only one sender from now on.

        Parameters
        ----------
        identity
            key, token or address that the user has chosen
        """
        self._required = identity

    @property
    def is_fixed(self) -> bool:
        """True once the sender of the scan is known."""
        return self.chosen is not None

    @property
    def refused(self) -> tuple[RefusedSender, ...]:
        """Refused senders, in the order of their first message."""
        return tuple(self._refused.values())

    @property
    def summary(self) -> str:
        """Sentence about refused messages; empty without any."""
        n = sum(each.n_messages for each in self._refused.values()) + self._not_named
        if not n:
            return ""
        names = ", ".join(each.name for each in list(self._refused.values())[:5])
        if n == 1:
            return f"1 message of another sender was refused ({names})."
        return f"{n:,} messages of other senders were refused ({names})."

    def _reason_against(self, origin: Origin) -> str:
        is_known = bool(origin.token or origin.key)
        if self._is_listening and not is_known and not _is_this_computer(origin.host):
            return (
                f"The sender {origin.name} has no token and is on another computer; send with "
                "`isocenter live send`."
            )
        chosen = self.chosen
        if self._required:
            if not is_named(origin, self._required):
                wanted = _short(self._required)
                return f"The sender {origin.name} is not the one that you have chosen ({wanted})."
            # The user has decided, also if the first sender is still connected
            if chosen is not None and not is_named(chosen, self._required):
                return ""
        if chosen is None or self._is_same(chosen, origin) or not _is_open(chosen):
            return ""
        refused = f"The sender {origin.name} is not the sender of this scan ({chosen.name})."
        # The sender chooses its token. A token with shell syntax would be dangerous to paste
        if origin.token and not origin.key and not TOKEN_PATTERN.fullmatch(origin.token):
            return refused
        return f"{refused} To accept only it, use --sender {shlex.quote(origin.identity)}."

    def _is_same(self, chosen: Origin, origin: Origin) -> bool:
        if (chosen.key, chosen.token) != (origin.key, origin.token):
            return False
        if chosen.key or chosen.token or not self._is_listening:
            return True
        # A closed connection has no other end, but its messages can still wait here
        same = origin.peer is None or origin.peer == chosen.peer
        return origin.descriptor == chosen.descriptor and same

    def _refuse(self, origin: Origin, reason: str) -> str:
        identity = origin.identity
        known = self._refused.get(identity)
        if known is None and len(self._refused) >= MAX_SENDERS:
            self._not_named += 1
            return ""
        n = 0 if known is None else known.n_messages
        self._refused[identity] = RefusedSender(identity, origin.name, n + 1)
        return "" if known else reason


def is_named(origin: Origin, identity: str) -> bool:
    """Return True if a text names the sender of a message.

    A key and an address cannot be confused with a token, which any sender can choose.

    Parameters
    ----------
    origin
        origin of the message
    identity
        key:KEY, token:TOKEN, an address with or without its port, or a key or token alone
    """
    kind, _, rest = identity.partition(":")
    if kind == "key":
        return bool(rest) and origin.key == rest
    if kind == "token":
        return bool(rest) and origin.token == rest
    if _is_host(identity) or _is_host(identity.rpartition(":")[0]):
        return identity in (origin.host, origin.peer)
    if len(identity) == KEY_LENGTH:
        return origin.key == identity
    return origin.token == identity


def _short(identity: str) -> str:
    return identity if len(identity) <= 20 else f"{identity[:16]}…"


def _is_host(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return False
    return True


def _origin_of(parts: Sequence[zmq.Frame], has_keys: bool) -> Origin:
    import zmq

    token = ""
    if len(parts) == 2:
        text = bytes(parts[0].buffer)
        known = known_header(text)
        ours = table_of(header_of(text), OURS) if known is None else known.facts.ours
        stated = ours.get(TOKEN)
        if stated is not None and not (isinstance(stated, str) and 0 < len(stated) <= MAX_TOKEN):
            raise DataError(
                f"in the header, 'token' is {str(stated)[:40]!r}, expected 1 to {MAX_TOKEN} "
                "characters."
            )
        token = stated or ""
    try:
        descriptor = int(str(parts[0].get(zmq.SRCFD)))
        host = str(parts[0].get("Peer-Address"))
    # Transports without a socket, such as inproc, have no properties
    except (zmq.ZMQError, ValueError):
        return Origin(token, -1, None, "")
    key = _key_of(parts[0]) if has_keys else ""
    try:
        # The system numbers sockets, so a later one with the same descriptor is another one
        peer = _peer_of_socket(descriptor, os.fstat(descriptor).st_ino)
    except OSError:
        peer = None
    return Origin(token, descriptor, peer, host, key)


def _key_of(part: zmq.Frame) -> str:
    import zmq

    try:
        return str(part.get("User-Id"))
    except zmq.ZMQError:
        return ""  # without CURVE, the key is not proven


def _is_other_connection(chosen: Origin | None, origin: Origin) -> bool:
    if chosen is None or origin.token or origin.peer is None:
        return False
    return origin.peer != chosen.peer


@lru_cache(MAX_SENDERS)
def _peer_of_socket(descriptor: int, inode: int) -> str | None:
    """Return `_peer_of`, stored for each socket: asking the system for every frame is slow."""
    return _peer_of(descriptor)


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

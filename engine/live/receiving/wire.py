"""What the receiving process tells the program, and in which form.

Facts are JSON. The parts of a message follow them. Large data are in the shared memory, and only
their position is sent.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import IO

from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.live.core.message import MOST_BYTES, MOST_HEADER_BYTES, Buffer

HEAD = struct.Struct("<IIQq")
"""Sizes of facts, header and data, and the position of data in the shared memory."""
INLINE = -1
"""Position of data that follow directly."""
MOST_FACTS = 2**20


@dataclass(frozen=True)
class Stream:
    """The stream that a process receives.

    Attributes
    ----------
    address : tcp://host:port of a sender, or tcp://*:port to wait for senders
    kind : "frames" or "events"
    subscribe : True if the sender publishes (PUB and SUB)
    network : True to accept senders on other computers
    sender_keys : public keys of the senders that are accepted; empty: no keys are asked for
    sender : key, token or address of the only sender that is accepted; empty: the first one
    """

    address: str
    kind: str
    subscribe: bool = False
    network: bool = False
    sender_keys: tuple[str, ...] = ()
    sender: str = ""


@dataclass(frozen=True)
class Item:
    """One report of the receiving process.

    Attributes
    ----------
    facts : what happened
    header, data : parts of a message; empty without one
    offset : position of the data in the shared memory, or `INLINE`
    n_bytes : size of the data
    """

    facts: Plain
    header: bytes = b""
    data: Buffer = b""
    offset: int = INLINE
    n_bytes: int = 0


def packed(item: Item) -> list[Buffer]:
    """Return the bytes of a report.

    Parameters
    ----------
    item
        report
    """
    facts = json.dumps(item.facts).encode()
    head = HEAD.pack(len(facts), len(item.header), item.n_bytes, item.offset)
    return [b"".join((head, facts, item.header)), item.data]


def read_item(source: IO[bytes]) -> Item | None:
    """Read the next report.

    Parameters
    ----------
    source
        output of the receiving process

    Returns
    -------
    item
        None at the end of the output

    Raises
    ------
    DataError
        if this is no report
    """
    head = source.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    n_facts, n_header, n_bytes, offset = HEAD.unpack(head)
    if n_facts > MOST_FACTS or n_header > MOST_HEADER_BYTES or n_bytes > MOST_BYTES:
        raise DataError("the receiving process has sent a report of a wrong size.")
    facts, header = source.read(n_facts), source.read(n_header)
    data = source.read(n_bytes) if offset == INLINE else b""
    if len(facts) < n_facts or len(header) < n_header:
        return None
    if offset == INLINE and len(data) < n_bytes:
        return None
    return Item(json.loads(facts), header, data, offset, n_bytes)

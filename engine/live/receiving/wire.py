"""Format of the reports from the receiving process to the program.

Facts are JSON, followed by the parts of a message. Large data are in the shared memory; the report
then contains their position.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from io import RawIOBase
from typing import NamedTuple

from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.live.core.message import MAX_BYTES, MAX_HEADER_BYTES, Buffer

HEAD = struct.Struct("<IIQqd")
"""Sizes of facts, header and data, position of data in the shared memory, and time."""
INLINE = -1
"""Position of data that are part of the report."""
MAX_FACTS = 2**20
MAX_READ = 2**18
MESSAGE: Plain = {"event": "message"}
"""Facts of a message without other facts; they are not sent."""


@dataclass(frozen=True)
class Stream:
    """The stream that a process receives.

    Attributes
    ----------
    address : tcp://host:port of a sender, or tcp://*:port to wait for senders
    kind : "frames" or "events"
    subscribe : True if the sender publishes (PUB and SUB)
    network : True to accept senders on other computers
    sender_keys : public keys of accepted senders; empty: senders need no key
    sender : key, token or address of the only accepted sender; empty: the first sender
    frame_shape : (n_rows, n_columns) of the frames, which limits their size; None if unknown
    """

    address: str
    kind: str
    subscribe: bool = False
    network: bool = False
    sender_keys: tuple[str, ...] = ()
    sender: str = ""
    frame_shape: tuple[int, int] | None = None


class Item(NamedTuple):
    """One report of the receiving process.

    Attributes
    ----------
    facts : kind and values of the report
    header, data : parts of a message; empty without one
    offset : position of the data in the shared memory, or `INLINE`
    n_bytes : size of the data
    at_s : time of the report, by `time.monotonic` [s]
    """

    facts: Plain
    header: bytes = b""
    data: Buffer = b""
    offset: int = INLINE
    n_bytes: int = 0
    at_s: float = 0.0


def packed(item: Item) -> list[Buffer]:
    """Return the bytes of a report.

    Parameters
    ----------
    item
        report
    """
    facts = b"" if item.facts == MESSAGE else json.dumps(item.facts).encode()
    head = HEAD.pack(len(facts), len(item.header), item.n_bytes, item.offset, item.at_s)
    return [b"".join((head, facts, item.header)), item.data]


class ItemReader:
    """Reads all reports that have arrived, at once.

    Parameters
    ----------
    source : unbuffered output of the receiving process
    """

    def __init__(self, source: RawIOBase) -> None:
        self._source, self._waiting = source, bytearray()

    def read(self) -> list[Item]:
        """Wait for a report; return it and all others that have arrived.

        Returns
        -------
        items
            empty at the end of the output

        Raises
        ------
        DataError
            if the data are not a report
        """
        found: list[Item] = []
        while not found:
            more = self._source.read(MAX_READ)
            if not more:
                return []
            self._waiting += more
            found, used = _items_in(self._waiting)
            del self._waiting[:used]
        return found


def _items_in(waiting: bytearray) -> tuple[list[Item], int]:
    """Return the complete reports, and their number of bytes."""
    found, used = list[Item](), 0
    with memoryview(waiting) as view:
        while len(view) - used >= HEAD.size:
            n_facts, n_header, n_bytes, offset, at_s = HEAD.unpack_from(view, used)
            if n_facts > MAX_FACTS or n_header > MAX_HEADER_BYTES or n_bytes > MAX_BYTES:
                raise DataError("the receiving process has sent a report of the wrong size.")
            header = used + HEAD.size + n_facts
            data = header + n_header
            end = data + (n_bytes if offset == INLINE else 0)
            if end > len(view):
                break
            facts = json.loads(view[used + HEAD.size : header].tobytes()) if n_facts else MESSAGE
            item = Item(
                facts, view[header:data].tobytes(), view[data:end].tobytes(), offset, n_bytes, at_s
            )
            found.append(item)
            used = end
    return found, used

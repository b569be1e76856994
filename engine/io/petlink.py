"""Siemens PETLINK 32-bit words: coincidences as sinogram addresses, and time tags.

bit 31 = 0: coincidence; bit 30 = 1 prompt, 0 delayed; bits 0 to 29 the address
(plane · n_views + view) · n_tangential + bin. bit 31 = 1: tag; word >> 29 = 4 is a time tag,
its low 29 bits the elapsed ms. Planes go through the segments 0, −1, +1, −2, +2, ...; axial
position a of segment s lies between rings (a, a + s) for s >= 0, (a − s, a) for s < 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.data.listmode import ListMode
from engine.data.triggers import Triggers
from engine.errors import FileFormatError
from engine.geometry.ring import RingScanner
from engine.io.budget import refuse_no_room
from engine.io.file_words import Words
from engine.io.listmode_tail import WordFormat
from engine.io.petlink_gating import is_gating, triggers_in

CHUNK = 4_000_000
"""Words decoded at once: bounds the working memory to some 200 MB."""
EVENT_BYTES = 13
"""Crystals, flag and time of an event, in memory."""
ADDRESS = np.uint32(0x3FFFFFFF)
TIME_MS = np.uint32(0x1FFFFFFF)
PROMPT = np.uint32(0x40000000)
TAG = np.uint32(0x80000000)
MAX_GAP_FRACTION = 0.01
FEW_IN_GAPS = 20
"""More events than this in gaps: not this scanner, or not these words."""


@dataclass(frozen=True)
class Decoded:
    """Events of a word stream, and what was counted on the way.

    Attributes
    ----------
    crystals : (n, 2) int32
    delayed : (n,) bool
    time_ms : (n,) uint32, of the last time tag before each event, from the first tag [ms]
    first_ms, last_ms : first and last time tag [ms]
    n_time_tags, n_other_tags, n_in_gaps : counts
    triggers : when cycles of heart and breath began, from the first tag
    """

    crystals: NDArray[np.int32]
    delayed: NDArray[np.bool_]
    time_ms: NDArray[np.uint32]
    first_ms: int
    last_ms: int
    n_time_tags: int
    n_other_tags: int
    n_in_gaps: int
    triggers: tuple[Triggers, ...] = ()

    @property
    def elapsed_ms(self) -> int:
        """Time the tags span; each tag opens one millisecond [ms]."""
        return self.last_ms - self.first_ms + 1 if self.n_time_tags else 0


@dataclass(frozen=True)
class AddressBook:
    """The crystals behind every sinogram address of a ring scanner."""

    places: NDArray[np.int32]
    """(n_views · n_tangential, 2) places on the ring."""
    rings: NDArray[np.int32]
    """(n_planes, 2) rings."""
    n_places: int
    alive: NDArray[np.bool_]

    @classmethod
    def of(cls, scanner: RingScanner) -> AddressBook:
        """Return the addresses of a scanner without axial compression."""
        s = scanner.settings
        view, t = np.divmod(np.arange(scanner.n_views * s.n_tangential), s.n_tangential)
        places = scanner.places(view, t - s.n_tangential // 2)
        rings = []
        for segment in _segments(s.max_ring_difference):
            a = np.arange(s.n_rings - abs(segment))
            pair = (a, a + segment) if segment >= 0 else (a - segment, a)
            rings.append(np.stack(pair, -1))
        return cls(
            np.stack(places, -1).astype(np.int32),
            np.concatenate(rings).astype(np.int32),
            s.n_crystals_per_ring,
            scanner.alive,
        )

    @property
    def n_addresses(self) -> int:
        """Addresses run from 0 to one below this."""
        return len(self.places) * len(self.rings)

    def crystals(self, addresses: Array) -> NDArray[np.int32]:
        """(n, 2) crystals of addresses in range."""
        plane, transaxial = np.divmod(addresses, np.uint32(len(self.places)))
        return self.rings[plane] * np.int32(self.n_places) + self.places[transaxial]


def _segments(most: int) -> list[int]:
    return [0] + [sign * k for k in range(1, most + 1) for sign in (-1, 1)]


def decode(words: Words, book: AddressBook, where: str) -> Decoded:
    """Decode a stream; refuse what no scanner of this kind can have written.

    Parameters
    ----------
    words
        little-endian uint32, in memory or in a file
    book
        the scanner's addresses
    where
        name of the file, for messages
    """
    n_events = sum(int(np.count_nonzero(part < TAG)) for _, part in _chunks(words))
    refuse_no_room(n_events * EVENT_BYTES, where, "its events")
    crystals = np.empty((n_events, 2), np.int32)
    delayed = np.empty(n_events, np.bool_)
    time_ms = np.empty(n_events, np.uint32)
    n_done = n_tags = n_time = n_gaps = 0
    gating: list[tuple[Array, Array]] = []
    first: int | None = None
    now = 0
    for start, part in _chunks(words):
        is_event = part < TAG
        is_time = (part >> np.uint32(29)) == 4
        tags = part[is_time] & TIME_MS
        if first is None and len(tags):
            first = now = int(tags[0])
        clock = np.concatenate([np.array([now], np.uint32), tags])
        _refuse_backwards(clock, start, is_time, where)
        rows = slice(n_done, n_done + int(np.count_nonzero(is_event)))
        events = part[is_event]
        addresses = events & ADDRESS
        _refuse_out_of_range(addresses, book, n_done, where)
        crystals[rows] = book.crystals(addresses)
        delayed[rows] = (events & PROMPT) == 0
        time_ms[rows] = clock[np.cumsum(is_time)[is_event]] - np.uint32(first or 0)
        is_gate = is_gating(part)
        gating.append((part[is_gate], clock[np.cumsum(is_time)[is_gate]]))
        n_gaps += int(np.count_nonzero(~book.alive[crystals[rows]].all(axis=1)))
        n_done, now = rows.stop, int(clock[-1])
        n_time += len(tags)
        n_tags += len(part) - len(events)
    _refuse_gaps(n_gaps, n_events, where)
    return Decoded(
        crystals,
        delayed,
        time_ms,
        first or 0,
        now,
        n_time,
        n_tags - n_time,
        n_gaps,
        triggers_in(gating, first or 0),
    )


def word_format(book: AddressBook, empty: ListMode, where: str) -> WordFormat:
    """Return how words become events of a scan that is still being written.

    Parameters
    ----------
    book
        the scanner's addresses
    empty
        the scan without events
    where
        name of the file, for messages
    """

    def decoded(words: Array) -> ListMode:
        found = decode(words, book, where)
        return replace(empty, crystals=found.crystals, delayed=found.delayed, time_ms=found.time_ms)

    return WordFormat(
        "<u4",
        lambda ms: int(TAG) | ms,
        lambda words: words[(words >> np.uint32(29)) == 4] & TIME_MS,
        decoded,
    )


def _chunks(words: Words) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    return ((i, np.asarray(words[i : i + CHUNK])) for i in range(0, len(words), CHUNK))


def _refuse_backwards(
    clock: NDArray[np.uint32], start: int, is_time: NDArray[np.bool_], where: str
) -> None:
    back = np.flatnonzero(clock[1:] < clock[:-1])
    if not len(back):
        return
    k = int(back[0])
    word = start + int(np.flatnonzero(is_time)[k])
    raise FileFormatError(
        f"{where}: time runs backwards at word {word:,}, from {clock[k]:,} to {clock[k + 1]:,} ms; "
        "these are not the words of one mMR scan in their order."
    )


def _refuse_out_of_range(
    addresses: NDArray[np.uint32], book: AddressBook, n_before: int, where: str
) -> None:
    bad = np.flatnonzero(addresses >= book.n_addresses)
    if not len(bad):
        return
    k = int(bad[0])
    raise FileFormatError(
        f"{where}: crystal id out of range at event {n_before + k:,}: sinogram address "
        f"{int(addresses[k]):,}, the scanner has {book.n_addresses:,}; the file is damaged or "
        "from another scanner."
    )


def _refuse_gaps(n_gaps: int, n_events: int, where: str) -> None:
    if n_gaps > max(MAX_GAP_FRACTION * n_events, FEW_IN_GAPS):
        raise FileFormatError(
            f"{where}: {n_gaps:,} of {n_events:,} events lie in gaps between detector blocks; "
            "this is not mMR list mode, or its bytes are in another order."
        )

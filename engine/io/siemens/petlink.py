"""Siemens PETLINK 32-bit words: coincidences as sinogram addresses, and time tags.

bit 31 = 0: coincidence; bit 30 = 1 prompt, 0 delayed; bits 0 to 29 the address
(plane · n_views + view) · n_tangential + bin. bit 31 = 1: tag; word >> 29 = 4 is a time tag,
its low 29 bits the elapsed ms. Planes go through the segments 0, −1, +1, −2, +2, ...; axial
position a of segment s is between rings (a, a + s) for s >= 0, (a − s, a) for s < 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.data.listmode import ListMode
from engine.data.timing.triggers import Triggers
from engine.geometry.ring import RingScanner
from engine.io.listmode.tail import WordFormat
from engine.io.safety.budget import refuse_large_data
from engine.io.siemens.petlink_pieces import (
    TAG,
    TIME_MS,
    WordPiece,
    chunks,
    timed_words,
    triggers_in,
)
from engine.io.text.word_list import Words

EVENT_BYTES = 13
"""Memory of an event: two crystals (8), flag (1) and time (4)."""
MAX_GAP_FRACTION = 0.01
FEW_IN_GAPS = 20
"""With more events in gaps than this, the scanner or the format is another one."""


@dataclass(kw_only=True)
class CountedWords:
    """Counts over a word stream, piece by piece.

    Attributes
    ----------
    n_events : number of prompts and delayeds
    first_ms, last_ms : first and last time tag [ms]
    n_time_tags, n_other_tags, n_in_gaps : number of time tags, other tags, and events in gaps
    gating : gating tags and the time of each [ms]
    """

    n_events: int = 0
    first_ms: int = 0
    last_ms: int = 0
    n_time_tags: int = 0
    n_other_tags: int = 0
    n_in_gaps: int = 0
    gating: list[tuple[Array, Array]] = field(default_factory=list)

    @property
    def elapsed_ms(self) -> int:
        """Time that the tags span [ms]; each tag begins a millisecond."""
        return self.last_ms - self.first_ms + 1 if self.n_time_tags else 0

    @property
    def triggers(self) -> tuple[Triggers, ...]:
        """Start times of heart and breathing cycles, relative to the first time tag."""
        return triggers_in(self.gating, self.first_ms)

    def take(self, piece: WordPiece, book: AddressBook, where: str) -> None:
        """Count the next piece.

        Parameters
        ----------
        piece
            next words of the stream, in order
        book
            addresses of the scanner
        where
            file name, for error messages

        Raises
        ------
        FileFormatError
            if time runs backwards, or an address is out of range
        """
        # Check before counting, so that an error leaves the counts as they were.
        piece.refuse_backwards(where)
        piece.refuse_out_of_range(self.n_events, book.n_addresses, where)
        if not self.n_time_tags:
            self.first_ms = piece.first_ms
        self.n_events += len(piece.crystals)
        # The first entry of `clock` is the time before the piece.
        self.n_time_tags += len(piece.clock) - 1
        self.n_other_tags += piece.n_tags - (len(piece.clock) - 1)
        self.n_in_gaps += len(piece.live) - int(np.count_nonzero(piece.live))
        self.last_ms = int(piece.clock[-1])
        if len(piece.gating[0]):
            self.gating.append(piece.gating)

    def refuse_gaps(self, where: str) -> None:
        """Refuse a scan with many events in gaps.

        Parameters
        ----------
        where
            file name, for error messages

        Raises
        ------
        FileFormatError
            if more than 1 % of the events, and more than 20, are in gaps between blocks
        """
        if self.n_in_gaps > max(MAX_GAP_FRACTION * self.n_events, FEW_IN_GAPS):
            raise FileFormatError(
                f"{where}: {self.n_in_gaps:,} of {self.n_events:,} events are in gaps between "
                f"detector blocks, expected at most {100 * MAX_GAP_FRACTION:g} %; choose mMR list "
                "mode in little-endian byte order."
            )


@dataclass(kw_only=True)
class Decoded(CountedWords):
    """Events and counts of a word stream.

    Attributes
    ----------
    crystals : (n, 2) int32
    delayed : (n,) bool
    time_ms : (n,) uint32, last time tag before each event, relative to the first tag [ms]
    """

    crystals: NDArray[np.int32]
    delayed: NDArray[np.bool_]
    time_ms: NDArray[np.uint32]


@dataclass(frozen=True)
class AddressBook:
    """The two crystals of each sinogram address of a ring scanner."""

    places: NDArray[np.int32]
    """(n_views · n_tangential, 2) places on the ring."""
    rings: NDArray[np.int32]
    """(n_planes, 2) rings."""
    scanner: RingScanner

    @classmethod
    def of(cls, scanner: RingScanner) -> AddressBook:
        """Return the addresses of a scanner.

        Parameters
        ----------
        scanner
            ring scanner; its list mode must have span 1
        """
        s = scanner.settings
        view, t = np.divmod(np.arange(scanner.n_views * s.n_tangential), s.n_tangential)
        places = scanner.places(view, t - s.n_tangential // 2)
        rings = []
        # Each ring difference is a segment, in the order 0, −1, +1, −2, +2, ....
        for segment in _segments(s.max_ring_difference):
            a = np.arange(s.n_rings - abs(segment))
            pair = (a, a + segment) if segment >= 0 else (a - segment, a)
            rings.append(np.stack(pair, -1))
        return cls(
            np.stack(places, -1).astype(np.int32),
            np.concatenate(rings).astype(np.int32),
            scanner,
        )

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return both crystals as one int64, for each plane and for each line of a plane."""
        rings = self.rings * np.int32(self.scanner.settings.n_crystals_per_ring)
        tables = np.ascontiguousarray(rings), np.ascontiguousarray(self.places)
        # One lookup of 8 bytes instead of two of 4 bytes: this is the inner loop of reading.
        of_planes, of_places = (table.view(np.int64).ravel() for table in tables)
        return of_planes, of_places

    @property
    def n_addresses(self) -> int:
        """Addresses run from 0 to one below this."""
        return len(self.places) * len(self.rings)

    def crystals(self, addresses: Array) -> NDArray[np.int32]:
        """Return the crystals of addresses.

        Parameters
        ----------
        addresses
            uint32, each below `n_addresses`

        Returns
        -------
        crystals
            (n, 2) int32
        """
        of_planes, of_places = self._pairs
        plane = addresses // np.uint32(len(self.places))
        # A product and a difference are faster than a second division.
        transaxial = addresses - plane * np.uint32(len(self.places))
        # The lower sum never carries into the upper one, because crystal numbers are far below 2³¹.
        both = of_planes.take(plane) + of_places.take(transaxial)
        return both.view(np.int32).reshape(-1, 2)


def _segments(max_difference: int) -> list[int]:
    return [0] + [sign * k for k in range(1, max_difference + 1) for sign in (-1, 1)]


def decode(words: Words, book: AddressBook, where: str) -> Decoded:
    """Decode a stream completely into memory.

    Parameters
    ----------
    words
        little-endian uint32, in memory or in a file
    book
        addresses of the scanner
    where
        file name, for error messages

    Raises
    ------
    FileFormatError
        if this scanner cannot have written the words
    """
    # Two passes: count first, so that the arrays are allocated once and memory is checked before.
    n_events = sum(int(np.count_nonzero(part < TAG)) for _, part in chunks(words))
    refuse_large_data(n_events * EVENT_BYTES, where)
    found = Decoded(
        crystals=np.empty((n_events, 2), np.int32),
        delayed=np.empty(n_events, np.bool_),
        time_ms=np.empty(n_events, np.uint32),
    )
    for each in timed_words(words):
        piece, start = each.piece(book), found.n_events
        found.take(piece, book, where)
        rows = slice(start, found.n_events)
        found.crystals[rows], found.delayed[rows] = piece.crystals, piece.delayed
        found.time_ms[rows] = 0 if piece.time_ms is None else piece.time_ms
    found.refuse_gaps(where)
    return found


def word_format(book: AddressBook, empty: ListMode, where: str) -> WordFormat:
    """Return the word format of a scan that is still being written.

    Parameters
    ----------
    book
        addresses of the scanner
    empty
        the scan without events
    where
        file name, for error messages

    Returns
    -------
    word_format
        makes and finds time tags, and decodes words into events
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

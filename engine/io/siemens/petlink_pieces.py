"""Siemens PETLINK 32-bit words decoded some at a time, in any thread.

What a word means is said in `engine.io.siemens.petlink`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.listmode.event_pieces import EventPiece
from engine.io.siemens.petlink_gating import is_gating
from engine.io.text.word_list import Words

if TYPE_CHECKING:
    from engine.io.siemens.petlink import AddressBook

CHUNK = 1 << 20
"""Words decoded at once: their working memory stays in the processor's caches."""
ADDRESS = np.uint32(0x3FFFFFFF)
TIME_MS = np.uint32(0x1FFFFFFF)
PROMPT = np.uint32(0x40000000)
TAG = np.uint32(0x80000000)


@dataclass(frozen=True)
class Clocked:
    """Words of a stream, and what the clock said before them.

    Attributes
    ----------
    start : of the first word, in the stream
    words : (n,) uint32
    now_ms, first_ms : last time tag before them, and the first of the stream [ms]
    """

    start: int
    words: NDArray[np.uint32]
    now_ms: int
    first_ms: int

    @property
    def stop(self) -> int:
        """Number of the word after them."""
        return self.start + len(self.words)

    def piece(self, book: AddressBook, word_bytes: int = 4) -> WordPiece:
        """Decode them; all that is wrong is said when the piece is taken."""
        words = self.words
        is_event = words < TAG
        at = np.flatnonzero(~is_event)
        tags = words[at]
        is_time = tags >> np.uint32(29) == 4
        clock = np.concatenate([np.array([self.now_ms], np.uint32), tags[is_time] & TIME_MS])
        # the events before each time tag: its place, but for the tags before it
        before = (at - np.arange(len(at)))[is_time]
        events = words[is_event]
        n_each = np.diff(before, prepend=0, append=len(events))
        is_gate = is_gating(tags)
        gating = tags[is_gate], clock[np.cumsum(is_time)[is_gate]]
        addresses = events & ADDRESS
        is_bad = addresses.max(initial=0) >= book.n_addresses
        crystals = np.zeros((len(events), 2), np.int32) if is_bad else book.crystals(addresses)
        return WordPiece(
            scanner=book.scanner,
            book=book,
            crystals=crystals,
            delayed=events < PROMPT,
            time_ms=np.repeat(clock - np.uint32(self.first_ms), n_each),
            end_byte=word_bytes * self.stop,
            start=self.start,
            first_ms=self.first_ms,
            clock=clock,
            n_tags=len(tags),
            gating=gating,
            time_tags_at=at[is_time],
            addresses=addresses if is_bad else None,
        )


@dataclass(frozen=True, kw_only=True)
class WordPiece(EventPiece):
    """Events of some words, and what else they say.

    Attributes
    ----------
    book : the scanner's addresses
    start : of the first word, in the stream
    first_ms : first time tag of the stream [ms]
    clock : (n + 1,) uint32, before the words and at each time tag [ms]
    time_tags_at : (n,) words that are time tags
    n_tags : of any kind
    gating : gating tags, and the clock at each [ms]
    addresses : of the events, where one is out of range
    """

    book: AddressBook
    start: int
    first_ms: int
    clock: NDArray[np.uint32]
    time_tags_at: NDArray[np.intp]
    n_tags: int
    gating: tuple[Array, Array]
    addresses: NDArray[np.uint32] | None

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """(n,) whether each event lies on a line of response: all have an address, but gaps."""
        alive, ends = self.book.scanner.alive, self.crystals
        return np.asarray(alive.take(ends[:, 0]) & alive.take(ends[:, 1]))

    def refuse_backwards(self, where: str) -> None:
        """Refuse a clock that runs backwards."""
        clock = self.clock
        back = np.flatnonzero(clock[1:] < clock[:-1])
        if not len(back):
            return
        k = int(back[0])
        word = self.start + int(self.time_tags_at[k])
        raise FileFormatError(
            f"{where}: time runs backwards at word {word:,}, from {clock[k]:,} to {clock[k + 1]:,} "
            "ms; export the words of one mMR scan in time order."
        )

    def refuse_out_of_range(self, n_before: int, n_addresses: int, where: str) -> None:
        """Refuse an address that the scanner does not have, after so many events."""
        if self.addresses is None:
            return
        k = int(np.argmax(self.addresses >= n_addresses))
        raise FileFormatError(
            f"{where}: crystal id out of range at event {n_before + k:,}: sinogram address "
            f"{int(self.addresses[k]):,}, but the scanner has {n_addresses:,}; the file is damaged "
            "or from another scanner."
        )


def chunks(words: Words) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Yield the number of the first of some words, and those."""
    return ((i, np.asarray(words[i : i + CHUNK])) for i in range(0, len(words), CHUNK))


def clocked(words: Words) -> Iterator[Clocked]:
    """Read a stream, some words at a time, and keep its clock."""
    now: int | None = None
    first = 0
    for start, part in chunks(words):
        times = part[(part >> np.uint32(29)) == 4] & TIME_MS
        if now is None and len(times):
            now = first = int(times[0])
        yield Clocked(start, part, now or 0, first)
        now = int(times[-1]) if len(times) else now

"""Decode Siemens PETLINK 32-bit words in pieces, in any thread.

`engine.io.siemens.petlink` explains the words.

Gating tags are starts of heartbeats and breaths. word >> 27 = 28 is a gating tag; bits 24 to 26 are
its format. Format 0: bit 7 is an R wave. Format 1: bit 15 is an R wave. Otherwise bits 12 to 14 are
the trigger type, 1 for breathing and 2 for the heart. Bits 0 to 9 are, for breathing, 0 at the
start of the gate and 1 at its end; for the heart, the lead, from 0. Phases and waveforms are other
types and are not used.

References
----------
PETLINK guideline, 32-bit packets, section 3.2.3 (gating).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.data.timing.triggers import Triggers
from engine.io.listmode.event_pieces import EventPiece
from engine.io.text.word_list import Words

if TYPE_CHECKING:
    from engine.io.siemens.petlink import AddressBook

CHUNK = 1 << 20
"""Words decoded at once; their working memory fits into the processor caches."""
ADDRESS = np.uint32(0x3FFFFFFF)
TIME_MS = np.uint32(0x1FFFFFFF)
PROMPT = np.uint32(0x40000000)
TAG = np.uint32(0x80000000)
GATING = 0b11100
HEART, BREATH = "ecg", "respiration"
LEADS = 3


@dataclass(frozen=True)
class TimedWords:
    """Words of a stream, with the time before them.

    Attributes
    ----------
    start : number of the first word in the stream
    words : (n,) uint32
    now_ms, first_ms : last time tag before them, and first of the stream [ms]
    """

    start: int
    words: NDArray[np.uint32]
    now_ms: int
    first_ms: int

    @property
    def stop(self) -> int:
        """Number of the word that follows."""
        return self.start + len(self.words)

    def piece(self, book: AddressBook, word_bytes: int = 4) -> WordPiece:
        """Decode the words.

        Parameters
        ----------
        book
            addresses of the scanner
        word_bytes
            size of a word in the file, for the read position

        Returns
        -------
        piece
            it can contain errors, which `CountedWords.take` reports in stream order
        """
        words = self.words
        is_event = words < TAG
        at = np.flatnonzero(~is_event)
        tags = words[at]
        is_time = tags >> np.uint32(29) == 4
        # Entry 0 is the time before the piece, for events before its first tag.
        clock = np.concatenate([np.array([self.now_ms], np.uint32), tags[is_time] & TIME_MS])
        # Number of events before each time tag: its position minus the tags before it.
        before = (at - np.arange(len(at)))[is_time]
        events = words[is_event]
        n_each = np.diff(before, prepend=0, append=len(events))
        is_gate = is_gating(tags)
        gating = tags[is_gate], clock[np.cumsum(is_time)[is_gate]]
        addresses = events & ADDRESS
        is_bad = addresses.max(initial=0) >= book.n_addresses
        # Pieces are decoded in threads, so an address out of range is only noted here.
        crystals = np.zeros((len(events), 2), np.int32) if is_bad else book.crystals(addresses)
        return WordPiece(
            scanner=book.scanner,
            book=book,
            crystals=crystals,
            delayed=events < PROMPT,
            # Each event gets the time of the last tag before it.
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
    """Events and tags of some words.

    Attributes
    ----------
    book : addresses of the scanner
    start : number of the first word in the stream
    first_ms : first time tag of the stream [ms]
    clock : (n + 1,) uint32, time before the words and at each time tag [ms]
    time_tags_at : (n,) positions of the time tags
    n_tags : number of tags of any kind
    gating : gating tags and the time of each [ms]
    addresses : addresses of the events if one is out of range, otherwise None
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
        """Return a mask (n,) of events outside gaps.

        An address in range is always a line of response, unless one of its crystals is a gap.
        """
        alive, ends = self.book.scanner.alive, self.crystals
        return np.asarray(alive.take(ends[:, 0]) & alive.take(ends[:, 1]))

    def refuse_backwards(self, where: str) -> None:
        """Refuse a clock that runs backwards.

        Parameters
        ----------
        where
            file name, for error messages

        Raises
        ------
        FileFormatError
            with the first word that is too early
        """
        clock = self.clock
        # Equal times are allowed; only a step back is damage.
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
        """Refuse an address that the scanner does not have.

        Parameters
        ----------
        n_before
            number of events in earlier pieces, for the error message
        n_addresses
            number of addresses of the scanner
        where
            file name, for error messages

        Raises
        ------
        FileFormatError
            with the first such event
        """
        if self.addresses is None:
            return
        k = int(np.argmax(self.addresses >= n_addresses))
        raise FileFormatError(
            f"{where}: event {n_before + k:,} has the sinogram address {int(self.addresses[k]):,}, "
            f"but the scanner has only {n_addresses:,}; copy the file again, or choose the scanner "
            "that measured it."
        )


def chunks(words: Words) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Yield the number of the first word and the words, in chunks."""
    return ((i, np.asarray(words[i : i + CHUNK])) for i in range(0, len(words), CHUNK))


def timed_words(words: Words) -> Iterator[TimedWords]:
    """Yield the words of a stream in chunks, with the time before each.

    Parameters
    ----------
    words
        little-endian uint32, in memory or in a file
    """
    now: int | None = None
    first = 0
    for start, part in chunks(words):
        times = part[(part >> np.uint32(29)) == 4] & TIME_MS
        # Events before the first tag get its time: they were recorded just before it.
        if now is None and len(times):
            now = first = int(times[0])
        yield TimedWords(start, part, now or 0, first)
        now = int(times[-1]) if len(times) else now


def is_gating(words: Array) -> NDArray[np.bool_]:
    """Return a mask of the gating tags."""
    return np.asarray((words >> np.uint32(27)) == GATING)


def triggers_in(found: Sequence[tuple[Array, Array]], first_ms: int) -> tuple[Triggers, ...]:
    """Return the triggers of gating tags.

    Parameters
    ----------
    found
        gating tags and the time of each [ms], piece by piece
    first_ms
        time at which the scan began [ms]

    Returns
    -------
    triggers
        signals with at least one cycle
    """
    if not any(len(words) for words, _ in found):
        return ()
    words, clock_ms = (np.concatenate(column) for column in zip(*found, strict=True))
    # The clock is uint32, and a tag before the first time tag would wrap around.
    at_ms = clock_ms.astype(np.int64) - first_ms
    signals = {name: at_ms[which] for name, which in _signals(words).items()}
    return tuple(Triggers.at(name, times) for name, times in signals.items() if len(times))


def _signals(words: Array) -> dict[str, NDArray[np.bool_]]:
    """Return a mask of the tags that begin a cycle, for each signal."""
    expanded, bits = (words >> np.uint32(24)) & 7, words & np.uint32(0xFFFF)
    r_wave = ((expanded == 0) & (bits & (1 << 7) > 0)) | ((expanded == 1) & (bits >> 15 == 1))
    kind = np.where((expanded == 1) & (bits >> 15 == 0), (bits >> 12) & 7, 0)
    which = bits & 0x3FF
    # R waves and lead 0 are the same signal in different formats.
    signals = {HEART: r_wave | ((kind == 2) & (which == 0))}
    for lead in range(1, LEADS):
        signals[f"{HEART} {lead + 1}"] = (kind == 2) & (which == lead)
    signals[BREATH] = (kind == 1) & (which == 0)
    return signals

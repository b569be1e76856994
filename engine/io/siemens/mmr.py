"""Siemens mMR 32-bit list mode: an Interfile header and the words it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.core.errors import EngineError, FileFormatError, GeometryError
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.io.base import ListModeReader
from engine.io.folder import entries
from engine.io.interfile.header import InterfileHeader, is_interfile, read_header
from engine.io.listmode.event_pieces import EventPiece, EventPieces
from engine.io.listmode.tail import ListModeTail
from engine.io.safety.cut_off import CutOff, refuse_padding, words_of
from engine.io.safety.open_input import InputFile, open_input
from engine.io.scanners import read_scanner
from engine.io.siemens.facts import info_of, notes_of
from engine.io.siemens.petlink import AddressBook, CountedWords, decode, word_format
from engine.io.siemens.petlink_pieces import TAG, WordPiece, timed_words
from engine.io.text.word_list import Words

SCANNER = "siemens-mmr"
MARK = b"petlink bin address"
LIKE = 3.0
"""The first part of a scan has about the same share of its words as of its time. The shares may
differ by this factor, because the count rate changes during a scan."""
MAX_INSPECTED = 200
"""Headers of a folder that are opened."""
SAMPLE = 200_000
"""Words that are decoded to detect the byte order."""


class SiemensMmr(ListModeReader):
    """Siemens Biograph mMR, 32-bit list mode."""

    format_name: ClassVar[str] = "Siemens list mode (PETLINK)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if is_interfile(file.head):
            return MARK in file.head.lower()
        # The words have no magic number, so only the ending identifies a file without header.
        return file.path.suffix.lower() == ".l"

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        with cls.pieces(file, scanner=scanner) as words:
            return words.whole()

    @classmethod
    @contextmanager
    def pieces(cls, file: InputFile, *, scanner: str | None = None) -> Iterator[MmrWords]:
        ring = ring_named(scanner)
        if not is_interfile(file.head):
            yield MmrWords(file, _adjacent_header(file.path), ring)
            return
        header = read_header(file)
        with open_input(header.data_file, may_be_cut=file.may_be_cut) as data:
            yield MmrWords(data, header, ring)

    @classmethod
    def tail(cls, file: InputFile, *, scanner: str | None = None) -> ListModeTail:
        ring = ring_named(scanner)
        has_header = is_interfile(file.head)
        header = read_header(file) if has_header else _adjacent_header(file.path)
        path = header.data_file if header is not None and has_header else file.path
        if header is not None:
            _refuse_other_scanner(header, ring)
        empty = ListMode(ring, np.empty((0, 2), np.int32), info=info_of(header, None, path))
        words = word_format(AddressBook.of(ring), empty, path.name)
        n_words = None if header is None else header.whole("total listmode word counts")
        return ListModeTail(path, words, empty, n_words=n_words)


class MmrWords(EventPieces):
    """The words of a scan, with the facts of their header if there is one."""

    def __init__(self, data: InputFile, header: InterfileHeader | None, ring: RingScanner) -> None:
        self.scanner, self.name, self.n_bytes = ring, data.name, data.size
        self._file, self._header = data.path, header
        self._words, self._n_rest = _words(data)
        self.max_events = len(self._words)
        if header is not None:
            _refuse_other_scanner(header, ring)
            _refuse_longer(header, len(self._words), data.path)
        # A copy that ended early can be padded with zeros, which would decode as events.
        refuse_padding(self._words, data.name)
        self._book, self._counted = AddressBook.of(ring), CountedWords()

    def pieces(self) -> Iterator[Callable[[], EventPiece]]:
        # Each pass over the words counts from zero.
        self._counted = CountedWords()
        return (partial(each.piece, self._book) for each in timed_words(self._words))

    def take(self, piece: EventPiece) -> None:
        if not isinstance(piece, WordPiece):
            raise TypeError(f"the piece has the type {type(piece).__name__!r}, not 'WordPiece'")
        with self._byte_order():
            self._counted.take(piece, self._book, self.name)

    def scan(self) -> ListMode:
        with self._byte_order():
            self._counted.refuse_gaps(self.name)
        return self._scan(self._counted)

    def whole(self) -> ListMode:
        """Return the scan with all its events, in memory."""
        with self._byte_order():
            found = decode(self._words, self._book, self.name)
        return replace(
            self._scan(found),
            crystals=found.crystals,
            delayed=found.delayed,
            time_ms=found.time_ms,
        )

    def _scan(self, counted: CountedWords) -> ListMode:
        """Return the scan without its events."""
        header, file, n_words = self._header, self._file, len(self._words)
        if header is None:
            _refuse_no_scan(counted, file)
        duration_s, notes = _duration(header, counted, n_words, file)
        cut = CutOff(file.name, counted.n_events, self._n_rest)
        return ListMode(
            scanner=self.scanner,
            crystals=np.empty((0, 2), np.int32),
            triggers=counted.triggers,
            duration_s=duration_s,
            info=info_of(header, counted, file) | cut.facts,
            notes=(*cut.notes, *notes, *notes_of(header, counted)),
        )

    @contextmanager
    def _byte_order(self) -> Iterator[None]:
        """If words cannot be decoded, report swapped bytes if these can be decoded."""
        try:
            yield
        except FileFormatError as e:
            swapped = _byte_order_fault(self._words, self._book, self._file)
            if swapped is None:
                raise
            raise swapped from e


def ring_named(named: str | None) -> RingScanner:
    """Return a ring scanner.

    Parameters
    ----------
    named
        key of a scanner or path of a scanner file; None: Biograph mMR

    Raises
    ------
    GeometryError
        if the scanner is not a ring
    """
    ring = read_scanner(named or SCANNER)
    if not isinstance(ring, RingScanner):
        raise GeometryError(
            f"{named}: mMR list mode needs a ring scanner, not a crystal map; omit the scanner to "
            "use the Biograph mMR."
        )
    return ring


def _adjacent_header(path: Path) -> InterfileHeader | None:
    """Return the header in the same folder that names this data file, if there is one."""
    # Not the suffix: STIR names a corrected header `.hdr.STIR`.
    headers = [each for each in entries(path.parent) if ".hdr" in each.name]
    for candidate in headers[:MAX_INSPECTED]:
        try:
            with open_input(candidate) as file:
                # Sinogram headers in the same folder can name files too.
                if not SiemensMmr.accepts(file):
                    continue
                header = read_header(file)
        except EngineError:
            continue
        if header.text("name of data file") == path.name:
            return header
    return None


def _words(file: InputFile) -> tuple[Words, int]:
    """Return the complete words and the number of bytes after them."""

    def problem(n_whole: int, n_rest: int) -> str:
        return (
            f"{file.name}: the file is truncated; its last word has only {n_rest} of 4 bytes "
            f"(file size: {file.size:,} bytes, complete words: {n_whole:,})"
        )

    return words_of(file, "<u4", 0, lambda words: words < TAG, problem)


def _refuse_other_scanner(header: InterfileHeader, ring: RingScanner) -> None:
    s = ring.settings
    wanted: dict[str, float] = {
        "lm event and tag words format (bits)": 32,
        "number of rings": s.n_rings,
        "number of projections": s.n_tangential,
        "number of views": ring.n_views,
        "maximum ring difference": s.max_ring_difference,
        "axial compression": 1,
        "number of tof time bins": 1,
        "data offset in bytes": 0,
    }
    # A header need not state all of these, so only stated values are compared.
    for key, want in wanted.items():
        got = header.number(key)
        if got is not None and got != want:
            raise GeometryError(
                f"{header.path.name}: {key!r} is {got:g}, but {s.name} has {want:g}; choose list "
                "mode from that scanner."
            )


def _refuse_longer(header: InterfileHeader, n_words: int, data_file: Path) -> None:
    total = header.whole("total listmode word counts")
    # Fewer words are a partial copy, which can be used; more words cannot be explained.
    if total is not None and n_words > total:
        raise FileFormatError(
            f"{data_file.name}: contains {n_words:,} words, but its header {header.path.name} "
            f"states {total:,}; copy both files again."
        )


def _duration(
    header: InterfileHeader | None, counted: CountedWords, n_words: int, data_file: Path
) -> tuple[float, tuple[str, ...]]:
    """Return the duration of the frame [s], with a note if the file is only a part of the scan."""
    elapsed_s = counted.elapsed_ms / 1000
    total = header.whole("total listmode word counts") if header else None
    frame_s = header.number("image duration (sec)") if header else None
    if header is None or total is None or not frame_s:
        return elapsed_s, ()
    words_part, time_part = n_words / total, elapsed_s / frame_s
    # For a complete scan, the header is more precise than the time tags.
    if n_words == total and abs(1 - time_part) < 0.01:
        return frame_s, ()
    if not 1 / LIKE < words_part / max(time_part, 1e-12) < LIKE:
        raise FileFormatError(
            f"{data_file.name}: contains {n_words:,} words in {elapsed_s:g} s, but its header "
            f"{header.path.name} states {total:,} words in {frame_s:g} s; copy both files again."
        )
    note = (
        f"{data_file.name} contains the first {elapsed_s:g} s of {frame_s:g} s: {n_words:,} of the "
        f"{total:,} words stated in its header."
    )
    return elapsed_s, (note,)


def _byte_order_fault(words: Words, book: AddressBook, data_file: Path) -> FileFormatError | None:
    """Return an error about swapped bytes if the first words can be decoded after swapping."""
    sample = np.asarray(words[:SAMPLE]).byteswap()
    try:
        decode(sample, book, data_file.name)
    except FileFormatError:
        return None
    return FileFormatError(
        f"{data_file.name}: the words are big-endian, but mMR list mode is little-endian; swap the "
        "four bytes of every word."
    )


def _refuse_no_scan(counted: CountedWords, data_file: Path) -> None:
    # Any file can end in .l; list mode has at least events and time tags.
    if not counted.n_events or not counted.n_time_tags:
        raise FileFormatError(
            f"{data_file.name}: mMR list mode must contain events and time tags (events: "
            f"{counted.n_events:,}, time tags: {counted.n_time_tags:,}); open its header, or "
            "choose another file."
        )

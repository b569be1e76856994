"""Read SAFIR list mode: a 32-byte signature, then little-endian 64-bit records.

Bit 63 = 1: time in ms, bits 0 to 47. Bit 63 = 0: coincidence; rings A, B in bits 0 to 7 and 8 to
15,
dets A, B in 16 to 31 and 32 to 47, layers A, B in 48 to 51 and 52 to 55, delayed in bit 62. The
positions of the crystals come from a crystal map, or a ring scanner without layers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, ScannerMissingError
from engine.data.formatting import Information
from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner
from engine.io.base import ListModeReader
from engine.io.folder import entries
from engine.io.listmode.safir_lookup import FIELDS, Lookup, Records, bits
from engine.io.listmode.tail import ListModeTail, WordFormat
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.cut_off import CutOff, refuse_padding, words_of
from engine.io.safety.open_input import InputFile
from engine.io.scanners import MAP_SUFFIXES, read_scanner
from engine.io.text.word_list import Words

SIGNATURES = (b"MUPET CListModeData", b"SAFIR CListModeData")
HEADER_BYTES = 32
RECORD_BYTES = 8
CHUNK = 2_000_000
"""Records that are decoded at once."""
IS_TIME = np.uint64(1 << 63)
TIME_MS = np.uint64((1 << 48) - 1)
DELAYED = np.uint64(1 << 62)
MAX_MS = 2**32 - 1
LATE_MS = 1000
"""A first time tag after this time gets a note: the clock began before the scan."""
USED_FRACTION = 0.9
"""A long scan that uses a smaller part of the map's rings or places belongs to another scanner."""

EVENT_BYTES = 34
"""Memory of an event during decoding [bytes]."""


class Safir(ListModeReader):
    """SAFIR list mode."""

    names_scanner = False

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        path = file.path
        # Cheap checks of the file come before the scanner, whose absence is a question to the user.
        records, n_rest = _records(file)
        place = read_scanner(scanner or _adjacent_map(path))
        refuse_padding(records, path.name)
        try:
            events = _decode(records, Lookup.of(place, path), path)
        except FileFormatError as e:
            # Big-endian records look like random crystals. Test that before calling the file
            # damaged.
            if not _swapped(records, place, path):
                raise
            raise FileFormatError(
                f"{path.name}: the records are big-endian, but SAFIR list mode is little-endian; "
                "swap the eight bytes of every record."
            ) from e
        cut = CutOff(path.name, len(events.crystals), n_rest)
        info = {"format": cls.name, "data_file": path.name, "n_time_tags": events.n_time_tags}
        return ListMode(
            scanner=place,
            crystals=events.crystals,
            delayed=events.delayed,
            time_ms=events.time_ms,
            duration_s=(events.last_ms - events.first_ms) / 1000,
            info=info | cut.facts,
            notes=(*cut.notes, *_late_start(events.first_ms)),
        )

    @classmethod
    def tail(cls, file: InputFile, *, scanner: str | None = None) -> ListModeTail:
        path = file.path
        place = read_scanner(scanner or _adjacent_map(path))
        lookup = Lookup.of(place, path)
        info = {"format": cls.name, "data_file": path.name}
        empty = ListMode(place, np.empty((0, 2), np.int32), info=info)

        def decoded(records: Array) -> ListMode:
            found = _decode(records, lookup, path)
            return replace(
                empty, crystals=found.crystals, delayed=found.delayed, time_ms=found.time_ms
            )

        words = WordFormat(
            "<u8",
            lambda ms: int(IS_TIME) | ms,
            # The time flag is the highest bit, so a comparison finds it.
            lambda records: records[records >= IS_TIME] & TIME_MS,
            decoded,
        )
        return ListModeTail(path, words, empty, at=HEADER_BYTES)


@dataclass(frozen=True)
class _Events:
    crystals: NDArray[np.int32]
    delayed: NDArray[np.bool_]
    time_ms: NDArray[np.uint32]
    """Times since the first time tag."""
    first_ms: int
    last_ms: int
    n_time_tags: int


def _late_start(first_ms: int) -> tuple[str, ...]:
    """Return a note if the clock began before the scan."""
    if first_ms < LATE_MS:
        return ()
    text = f"The first time mark is {first_ms:,} ms; times are counted from there."
    return (Information(text),)


def _records(file: InputFile) -> tuple[Words, int]:
    """Return the complete records, and the number of bytes after them."""
    path = file.path
    if not file.head.startswith(SIGNATURES):
        known = ", ".join(repr(mark.decode()) for mark in SIGNATURES)
        raise FileFormatError(
            f"{path.name}: not SAFIR list mode, which starts with one of the signatures {known}; "
            "choose another file."
        )
    if file.size < HEADER_BYTES + RECORD_BYTES:
        raise FileFormatError(
            f"{path.name}: truncated after {file.size:,} bytes, before the first complete record; "
            "copy it again."
        )

    def problem(n_whole: int, n_rest: int) -> str:
        return (
            f"{file.name}: the file is truncated; its last record has only {n_rest} of "
            f"{RECORD_BYTES} bytes (file size: {file.size:,} bytes, complete records: {n_whole:,})"
        )

    return words_of(file, "<u8", HEADER_BYTES, lambda records: records < IS_TIME, problem)


def _adjacent_map(path: Path) -> str:
    # By name, because text files of numbers are also efficiencies or point spread functions.
    maps = [
        p
        for p in entries(path.parent)
        if "crystal_map" in p.name.lower() and p.suffix.lower() in MAP_SUFFIXES
    ]
    if len(maps) == 1:
        return str(maps[0])
    raise ScannerMissingError(
        f"{path.name}: the crystal positions are unknown. Crystal maps in the same folder: "
        f"{len(maps)}, expected: 1. Choose a crystal map as the scanner, or keep "
        "exactly one in this folder (such as crystal_map.txt with `ring det [layer] x y z` in mm).",
        Safir.name,
    )


def _decode(records: Words, lookup: Lookup, path: Path) -> _Events:
    crystals, delayed, times = [], [], []
    n_events = n_tags = now = 0
    first: int | None = None
    refuse_large_data(len(records) * EVENT_BYTES, path.name)
    for start in range(0, len(records), CHUNK):
        part = np.asarray(records[start : start + CHUNK])
        is_time = part >= IS_TIME
        events, tags = part[~is_time], part[is_time] & TIME_MS
        # Events before the first time tag get its time.
        if first is None and len(tags):
            first = now = int(tags[0])
        clock = np.concatenate([np.array([now], np.uint64), tags])
        _refuse_times(clock, path)
        pairs = np.stack([lookup.crystals(events, 0), lookup.crystals(events, 1)], -1)
        # A wrong crystal map is the most likely mistake, and it shows in the numbers.
        _refuse_pairs(pairs, events, n_events, path)
        crystals.append(pairs)
        delayed.append((events & DELAYED) != 0)
        # clock[0] is the last tag of the previous chunk, so each event has the tag before it.
        since = clock[np.cumsum(is_time)[~is_time]] - np.uint64(first or 0)
        times.append(since.astype(np.uint32))
        n_events, n_tags, now = n_events + len(events), n_tags + len(clock) - 1, int(clock[-1])
    decoded = _Events(
        np.concatenate(crystals),
        np.concatenate(delayed),
        np.concatenate(times),
        first or 0,
        now,
        n_tags,
    )
    _refuse_unused(decoded, lookup, path)
    return decoded


def _refuse_times(clock: Records, path: Path) -> None:
    back = np.flatnonzero(clock[1:] < clock[:-1])
    if len(back):
        k = int(back[0])
        raise FileFormatError(
            f"{path.name}: time runs backwards from {clock[k]:,} to {clock[k + 1]:,} ms; export "
            "the records of one scan in time order."
        )
    if int(clock[-1]) > MAX_MS:
        raise FileFormatError(
            f"{path.name}: the last time is {clock[-1]:,} ms, expected at most {MAX_MS:,} ms; copy "
            "the file again."
        )


def _refuse_pairs(pairs: NDArray[np.int32], events: Records, before: int, path: Path) -> None:
    bad = np.flatnonzero((pairs < 0).any(axis=1) | (pairs[:, 0] == pairs[:, 1]))
    if not len(bad):
        return
    k = int(bad[0])
    a, b = (
        ", ".join(
            f"{name} {int(bits(events[k : k + 1], shifts[end], width)[0])}"
            for name, (shifts, width) in FIELDS.items()
        )
        for end in (0, 1)
    )
    if (pairs[k] < 0).any():
        raise FileFormatError(
            f"{path.name}: event {before + k:,} uses a crystal that is not in the crystal map "
            f"(first crystal: {a}; second crystal: {b}); choose the crystal map of this scanner, "
            "or copy the file again."
        )
    raise FileFormatError(
        f"{path.name}: event {before + k:,} uses the same crystal twice ({a}); copy the file again."
    )


def _refuse_unused(decoded: _Events, lookup: Lookup, path: Path) -> None:
    """Refuse a map with many more rings or places than a long scan uses."""
    n_rings, n_places = lookup.n_named
    # Short scans miss rings and places by chance.
    if len(decoded.crystals) < 20 * (n_rings + n_places):
        return
    hit = np.zeros(lookup.table.size, bool)
    flat = np.full(int(lookup.table.max()) + 1, -1, np.int64)
    known = lookup.table.ravel() >= 0
    flat[lookup.table.ravel()[known]] = np.flatnonzero(known)
    hit[flat[np.unique(decoded.crystals)]] = True
    seen = hit.reshape(lookup.table.shape)
    for axis, (what, n) in enumerate((("ring", n_rings), ("det", n_places))):
        last = int(np.flatnonzero(seen.any(axis=tuple({0, 1, 2} - {axis})))[-1])
        if last + 1 < USED_FRACTION * n:
            raise FileFormatError(
                f"{path.name}: the largest {what!r} of an event is {last}, but that of the crystal "
                f"map is {n - 1}; choose this scanner's crystal map."
            )


def _swapped(records: Words, scanner: Scanner, path: Path) -> bool:
    # A sample is enough: random bits would fail within a few records.
    sample = np.asarray(records[:100_000]).byteswap()
    try:
        _decode(sample, Lookup.of(scanner, path), path)
    except FileFormatError:
        return False
    return True

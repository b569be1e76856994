"""Crystal pairs: one line of JSON, then little-endian 64-bit events.

The line holds the scanner and the duration. Of an event, bits 0 to 20 and 21 to 41 are the two
crystals, bits 42 to 62 the time since the start of the scan in units of 0.1 s, and bit 63 marks a
delayed coincidence.

Template of a list-mode reader. Copy it to `engine/io` and add one entry to `LISTMODE` in
`engine/io/format_table.py`:

    Entry("engine.io.crystal_pairs.CrystalPairs")
"""

from __future__ import annotations

import json
from typing import ClassVar

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner
from engine.io.base import ListModeReader
from engine.io.safety.cut_off import CutOff, words_of
from engine.io.safety.open_input import InputFile
from engine.io.scanners import read_scanner
from engine.io.scanners.adjacent_file import stated_scanner

MARK = b'{"format": "crystal pairs"'
BITS = 21
"""Bits of a crystal, and of the time."""
MASK = np.uint64((1 << BITS) - 1)
TICK_MS = 100


class CrystalPairs(ListModeReader):
    """List mode whose events are pairs of crystals."""

    name: ClassVar[str] = "Crystal pairs"
    suffixes: ClassVar[tuple[str, ...]] = (".pairs",)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        # The mark decides, not the suffix: other programs may use the same suffix.
        return file.head.startswith(MARK)

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        place, duration_s, start = _header(file, scanner)
        words, n_rest = words_of(
            file,
            "<u8",
            start,
            lambda piece: np.ones(len(piece), bool),
            lambda n, rest: (
                f"{file.name}: the file is truncated; its last event has only {rest} of 8 bytes "
                f"(complete events: {n:,})"
            ),
        )
        events = words[:]
        crystals = np.stack([events & MASK, (events >> np.uint64(BITS)) & MASK], axis=1)
        if len(crystals) and crystals.max() >= place.n_crystals:
            raise FileFormatError(
                f"{file.name}: an event names crystal {crystals.max():,}, but {place.name} has "
                f"{place.n_crystals:,} crystals; choose the scanner of this scan."
            )
        cut = CutOff(file.name, len(events), n_rest)
        return ListMode(
            scanner=place,
            crystals=crystals.astype(np.int32),
            delayed=events >> np.uint64(3 * BITS) == 1,
            time_ms=((events >> np.uint64(2 * BITS)) & MASK).astype(np.uint32) * np.uint32(TICK_MS),
            duration_s=duration_s,
            info={"format": cls.name} | cut.facts,
            notes=cut.notes,
        )


def _header(file: InputFile, scanner: str | None) -> tuple[Scanner, float, int]:
    """Return scanner, duration [s] and the byte of the first event.

    scanner : the user's choice, which replaces that of the file
    """
    line, end, _ = file.head.partition(b"\n")
    try:  # a damaged file gives one sentence, never a traceback
        header = json.loads(line)
        name, duration_s = str(header["scanner"]), float(header["duration_s"])
    except (KeyError, TypeError, ValueError) as e:
        raise FileFormatError(
            f"{file.name}: the first line is not a valid header ({e}); export the scan again."
        ) from e
    if not end or not duration_s >= 0:
        raise FileFormatError(
            f"{file.name}: the first line ends too late, or its duration {duration_s:g} s is not "
            "possible; export the scan again."
        )
    # A scan must not name a path: it could lead to another computer.
    place = read_scanner(scanner) if scanner else stated_scanner(name, file.path, CrystalPairs.name)
    return place, duration_s, len(line) + len(end)

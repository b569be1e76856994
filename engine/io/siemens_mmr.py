"""Siemens mMR 32-bit list mode: an Interfile header and the words it names."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.data.listmode import ListMode
from engine.errors import EngineError, FileFormatError, GeometryError
from engine.geometry.ring import RingScanner
from engine.io.base import ListModeReader
from engine.io.cut_off import CutOff, words_of
from engine.io.file_words import Words
from engine.io.folder import entries
from engine.io.interfile import FEETWARDS, InterfileHeader, is_interfile, read_header
from engine.io.listmode_tail import ListModeTail
from engine.io.open_input import InputFile, open_input
from engine.io.petlink import TAG, AddressBook, Decoded, decode, word_format
from engine.io.scanners import read_scanner
from engine.io.truncation_traces import refuse_padding
from engine.plain import Plain

SCANNER = "siemens-mmr"
MARK = b"petlink bin address"
LIKE = 3.0
"""A file that holds the first part of a scan has about the same part of its words and of its
time: within this factor, since the count rate changes during a scan."""
MAX_LOOKED_AT = 200
"""Headers in a folder."""
SAMPLE = 200_000
"""Words looked at to tell the byte order."""
FACTS: dict[str, tuple[str, type[str] | type[float]]] = {
    "isotope": ("isotope name", str),
    "half_life_s": ("isotope gamma halflife (sec)", float),
    "branching": ("isotope branching factor", float),
    "radiopharmaceutical": ("radiopharmaceutical", str),
    "injected_bq": ("tracer activity at time of injection (bq)", float),
    "patient_orientation": ("patient orientation", str),
    "frame_s": ("image duration (sec)", float),
    "energy_low_kev": ("energy window lower level (kev) [1]", float),
    "energy_high_kev": ("energy window upper level (kev) [1]", float),
}
"""What is taken from the header; nothing else is, so that no name of a patient can be."""


class SiemensMmr(ListModeReader):
    """Siemens Biograph mMR, 32-bit list mode."""

    name: ClassVar[str] = "Siemens mMR list mode"
    suffixes: ClassVar[tuple[str, ...]] = (".hdr", ".hdr.STIR", ".l")

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if is_interfile(file.head):
            return MARK in file.head.lower()
        return file.path.suffix.lower() == ".l"

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        ring = ring_named(scanner)
        if not is_interfile(file.head):
            return scan_of(file, _header_beside(file.path), ring)
        header = read_header(file)
        with open_input(header.data_file, may_be_cut=file.may_be_cut) as data:
            return scan_of(data, header, ring)

    @classmethod
    def tail(cls, file: InputFile, *, scanner: str | None = None) -> ListModeTail:
        ring = ring_named(scanner)
        has_header = is_interfile(file.head)
        header = read_header(file) if has_header else _header_beside(file.path)
        path = header.data_file if header is not None and has_header else file.path
        if header is not None:
            _refuse_other_scanner(header, ring)
        empty = ListMode(ring, np.empty((0, 2), np.int32), info=_info(header, None, path))
        words = word_format(AddressBook.of(ring), empty, path.name)
        n_words = None if header is None else header.whole("total listmode word counts")
        return ListModeTail(path, words, empty, n_words=n_words)


def scan_of(data: InputFile, header: InterfileHeader | None, ring: RingScanner) -> ListMode:
    """Return the events of words, with the facts of their header where there is one."""
    data_file = data.path
    words, n_rest = _words(data)
    if header is not None:
        _refuse_other_scanner(header, ring)
        _refuse_longer(header, len(words), data_file)
    refuse_padding(words, data_file.name)
    book = AddressBook.of(ring)
    try:
        decoded = decode(words, book, data_file.name)
    except FileFormatError as e:
        swapped = _byte_order_fault(words, book, data_file)
        if swapped is None:
            raise
        raise swapped from e
    if header is None:
        _refuse_no_scan(decoded, data_file)
    duration_s, notes = _duration(header, decoded, len(words), data_file)
    cut = CutOff(data_file.name, len(decoded.crystals), n_rest)
    return ListMode(
        scanner=ring,
        crystals=decoded.crystals,
        delayed=decoded.delayed,
        time_ms=decoded.time_ms,
        triggers=decoded.triggers,
        duration_s=duration_s,
        info=_info(header, decoded, data_file) | cut.facts,
        notes=(*cut.notes, *notes, *_notes(header, decoded)),
    )


def ring_named(named: str | None) -> RingScanner:
    """Return the ring of a name or a scanner file, the mMR's if None."""
    ring = read_scanner(named or SCANNER)
    if not isinstance(ring, RingScanner):
        raise GeometryError(
            f"{named}: mMR list mode needs a ring scanner file, not a crystal map; "
            "leave the scanner out."
        )
    return ring


def _header_beside(path: Path) -> InterfileHeader | None:
    """Return the header in the same folder that names this data file, if there is one."""
    headers = [each for each in entries(path.parent) if ".hdr" in each.name]
    for candidate in headers[:MAX_LOOKED_AT]:
        try:
            with open_input(candidate) as file:
                if not SiemensMmr.accepts(file):
                    continue
                header = read_header(file)
        except EngineError:
            continue
        if header.text("name of data file") == path.name:
            return header
    return None


def _words(file: InputFile) -> tuple[Words, int]:
    """Return the complete words, and how many bytes come after them."""

    def what(n_whole: int, n_rest: int) -> str:
        return (
            f"{file.size:,} bytes are {n_whole:,} complete 4-byte words and {n_rest} more "
            f"{'byte' if n_rest == 1 else 'bytes'}"
        )

    return words_of(file, "<u4", 0, lambda words: words < TAG, what)


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
    for key, want in wanted.items():
        got = header.number(key)
        if got is not None and got != want:
            raise GeometryError(
                f"{header.path.name}: {key!r} is {got:g}, {s.name} has {want:g}; "
                "this is the list mode of another scanner."
            )


def _refuse_longer(header: InterfileHeader, n_words: int, data_file: Path) -> None:
    total = header.whole("total listmode word counts")
    if total is not None and n_words > total:
        raise FileFormatError(
            f"{data_file.name}: holds {n_words:,} words, its header {header.path.name} counts "
            f"{total:,}; the file is padded or belongs to another header."
        )


def _duration(
    header: InterfileHeader | None, decoded: Decoded, n_words: int, data_file: Path
) -> tuple[float, tuple[str, ...]]:
    """Return the frame's length [s] and a note where the file is only part of the scan."""
    elapsed_s = decoded.elapsed_ms / 1000
    total = header.whole("total listmode word counts") if header else None
    frame_s = header.number("image duration (sec)") if header else None
    if header is None or total is None or not frame_s:
        return elapsed_s, ()
    words_part, time_part = n_words / total, elapsed_s / frame_s
    if n_words == total and abs(1 - time_part) < 0.01:
        return frame_s, ()
    if not 1 / LIKE < words_part / max(time_part, 1e-12) < LIKE:
        raise FileFormatError(
            f"{data_file.name}: holds {n_words:,} words in {elapsed_s:g} s, its header "
            f"{header.path.name} counts {total:,} words in {frame_s:g} s; the two do not belong "
            "together or the file is incomplete."
        )
    holds = f"{n_words:,} of the {total:,} words its header counts"
    note = f"{data_file.name} holds the first {elapsed_s:g} s of {frame_s:g} s: {holds}."
    return elapsed_s, (note,)


def _byte_order_fault(words: Words, book: AddressBook, data_file: Path) -> FileFormatError | None:
    """Return the fault of swapped bytes if the first words make sense the other way round."""
    sample = np.asarray(words[:SAMPLE]).byteswap()
    try:
        decode(sample, book, data_file.name)
    except FileFormatError:
        return None
    return FileFormatError(
        f"{data_file.name}: the words are in big-endian byte order, mMR list mode is "
        "little-endian; swap the four bytes of every word."
    )


def _refuse_no_scan(decoded: Decoded, data_file: Path) -> None:
    if not len(decoded.crystals) or not decoded.n_time_tags:
        raise FileFormatError(
            f"{data_file.name}: {len(decoded.crystals):,} events and {decoded.n_time_tags:,} time "
            "tags; without a header this cannot be told to be mMR list mode, so open its header."
        )


def _info(header: InterfileHeader | None, decoded: Decoded | None, data_file: Path) -> Plain:
    info: Plain = {"format": SiemensMmr.name, "data_file": data_file.name}
    if decoded is not None:
        info["n_time_tags"] = decoded.n_time_tags
        info["n_other_tags"] = decoded.n_other_tags
        info["n_events_in_gaps"] = decoded.n_in_gaps
    if header is None:
        return info
    info["header_file"] = header.path.name
    if header.axes:
        info["axes"] = header.axes
    info |= {name: _fact(header, key, kind) for name, (key, kind) in FACTS.items()}
    info["scan_start"] = _moment(header, "study")
    info["injected_at"] = _moment(header, "tracer injection")
    return {name: value for name, value in info.items() if value is not None}


def _fact(header: InterfileHeader, key: str, kind: type[str] | type[float]) -> str | float | None:
    text = header.text(key)
    if text is None:
        return None
    try:
        value = kind(text)
    except ValueError:
        return None
    return value if isinstance(value, str) or math.isfinite(value) else None


def _moment(header: InterfileHeader, what: str) -> str | None:
    """Return the date and time of an event as ISO 8601, as far as the header gives them."""
    date = header.text(f"{what} date (yyyy:mm:dd)")
    if date is None or not re.fullmatch(r"\d{4}:\d\d:\d\d", date):
        return None
    day = date.replace(":", "-")
    key = next((key for key in header.values if key.startswith(f"{what} time")), "")
    time = header.values.get(key, "")
    zone = re.search(r"gmt([+-]\d\d:\d\d)", key)
    if not re.fullmatch(r"\d\d:\d\d:\d\d", time):
        return day
    return f"{day}T{time}{zone[1] if zone else ''}"


def _notes(header: InterfileHeader | None, decoded: Decoded) -> tuple[str, ...]:
    notes = []
    if header is None:
        notes.append("No header names this file: isotope, dates and the frame are not known.")
    if header is not None and header.axes == FEETWARDS:
        notes.append(
            "Positions are in the scanner's frame: for this patient, head first and supine, +z "
            "points towards the feet."
        )
    elif header is not None and header.axes:
        notes.append(
            f"The patient lay {header.position}: images are in the scanner's frame, without "
            "letters for the patient's sides, and a μ-map must be in that frame."
        )
    if decoded.first_ms > 0:
        notes.append(
            f"The first time tag is {decoded.first_ms:,} ms; times are counted from there."
        )
    if decoded.n_in_gaps:
        notes.append(f"{decoded.n_in_gaps:,} events lie in gaps between detector blocks.")
    return tuple(notes)

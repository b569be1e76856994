"""Read CASToR list mode and histograms (`.cdh` with `.cdf`), PET.

List mode states attenuation and normalisation only for the lines of its events. A sensitivity image
needs all lines, which a normalisation provides (`engine.io.castor.normalisation`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import CutOffError, EngineError, FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.formatting import Information
from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner
from engine.geometry.tof import MM_PER_PS, TofBins
from engine.io.base import ListModeReader
from engine.io.castor.crystals import AXES_NOTE, adjacent_table, read_table
from engine.io.castor.header import CastorHeader, is_header, read_header
from engine.io.castor.histogram import is_histogram_mode, read_histogram_scan
from engine.io.castor.normalisation import is_normalisation
from engine.io.castor.records import ACF, NORM, PLACE, TOF, expected, record_of
from engine.io.folder import entries
from engine.io.safety.cut_off import CutOff, words_of
from engine.io.safety.open_input import InputFile, open_input, refuse_not_finite
from engine.io.scanners import read_scanner

HEADER, DATA = ".cdh", ".cdf"
LIST_MODE = ("list-mode", "list", "listmode", "list mode")
FINE = 10
"""Bins per FWHM for times without quantisation; they widen the resolution by 0.2 %."""
HALF_OFF = 0.25
"""Median distance from whole steps above which times lie between steps."""
LATE_MS = 1000
"""A scan that starts later gets a note: its clock began before the frame."""
MAX_BINS = 32_767
MAX_PS = 1e6
OUTSIDE = -1


class Castor(ListModeReader):
    """CASToR list mode, or a histogram of its lines."""

    # The look-up table is in CASToR's configuration folder, rarely next to the scan.
    names_scanner = False

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        try:
            header = read_header(file) if is_header(file.head) else _adjacent_header(file.path)
        except EngineError:
            return "CASToR"  # read() reports the error
        return "CASToR histogram" if is_histogram_mode(header) else "CASToR list mode"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if is_header(file.head):
            return not is_normalisation(file.head)
        return file.path.suffix.lower() == DATA

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        if is_header(file.head):
            header = read_header(file)
            with open_input(header.data_file, may_be_cut=file.may_be_cut) as data:
                return _scan(data, header, scanner)
        return _scan(file, _adjacent_header(file.path), scanner)


def _scan(data: InputFile, header: CastorHeader, named: str | None) -> ListMode:
    _refuse_other_kinds(header)
    if is_histogram_mode(header):
        found = read_histogram_scan(data, header, _scanner(header, named, None))
        notes = (*found.notes, *_axes_note(named))
        info = {**_info(header, data.path), "format": "CASToR histogram"}
        return replace(found, info=info, notes=notes)
    records, n_rest, n_missing = _records(data, header)
    # The look-up table states no TOF bins, so they are derived before the scanner is built.
    tof = _tof_bins(records, header)
    place = _scanner(header, named, tof)
    crystals = _crystals(records, place, data.name)
    bins = _bins(records, place)
    start_ms = _start_ms(records, header, data.name)
    last_ms = int(records["ms"][-1])
    duration_s = header.number("duration (s)", "duration") or (last_ms - start_ms) / 1000
    selected = slice(None) if bins is None else bins != OUTSIDE
    # With TOF, scatter differs from bin to bin, but the file has one rate for each line.
    additive = None if bins is not None else expected(records, duration_s)
    if additive is not None:
        refuse_not_finite(data.path, additive)
    cut = CutOff(data.name, len(records), n_rest, n_missing)
    return ListMode(
        scanner=place,
        crystals=crystals[selected],
        tof_bins=None if bins is None else bins[selected],
        # Times count from the start of the frame. uint32 arithmetic needs a typed scalar.
        time_ms=(records["ms"] - np.uint32(start_ms))[selected],
        additive=additive,
        duration_s=duration_s,
        info=_info(header, data.path) | cut.facts,
        notes=(*cut.notes, *_notes(records, bins, start_ms), *_axes_note(named)),
    )


def _refuse_other_kinds(header: CastorHeader) -> None:
    kind = header.text("data type").lower()
    mode = header.text("data mode").lower()
    # CASToR has SPECT and CT data with the same suffixes.
    if kind not in ("", "pet"):
        raise FileFormatError(
            f"{header.path.name}: the data type is {kind[:20]!r}, expected PET; reconstruct it "
            "with CASToR, and open the image."
        )
    if mode.startswith("norm"):
        raise FileFormatError(
            f"{header.path.name}: this is a CASToR normalisation, not a scan; open the scan and "
            "load this file as its normalisation."
        )
    if mode not in LIST_MODE and not is_histogram_mode(header):
        raise FileFormatError(
            f"{header.path.name}: the data mode is {mode[:20]!r}, expected list-mode or histogram; "
            "correct the header."
        )


def _adjacent_header(path: Path) -> CastorHeader:
    """Return the adjacent header that names this data file."""
    for each in entries(path.parent):
        if each.suffix.lower() != HEADER:
            continue
        try:
            with open_input(each) as file:
                header = read_header(file)
                if header.data_file.name == path.name:
                    return header
        except EngineError:
            continue
    raise FileFormatError(
        f"{path.name}: no CASToR header (.cdh) for this file was found in its folder; copy the "
        "header there."
    )


def _records(data: InputFile, header: CastorHeader) -> tuple[Array, int, int]:
    """Return all complete events, the number of bytes after them, and that of missing events."""
    # The layout depends on flags in the header, so the data cannot be read without it.
    record = record_of(header, data.size)
    promised = header.whole("number of events")

    def problem(n_whole: int, n_rest: int) -> str:
        return (
            f"{data.name}: the file is truncated; its last event has only {n_rest} of "
            f"{record.itemsize} bytes (file size: {data.size:,} bytes, complete events: "
            f"{n_whole:,})"
        )

    words, n_rest = words_of(
        data, f"V{record.itemsize}", 0, lambda part: np.ones(len(part), bool), problem
    )
    if promised and len(words) > promised:
        raise FileFormatError(
            f"{data.name}: contains {len(words):,} events, but its header {header.path.name} "
            f"states {promised:,}; copy both files again, or correct the flags in the header."
        )
    # A file can be cut exactly between two events, which only the header reveals.
    if len(words) < promised and not data.may_be_cut:
        raise CutOffError(
            f"{data.name}: contains only {len(words):,} of the {promised:,} events stated in "
            f"{header.path.name}",
            len(words),
        )
    if not len(words):
        raise FileFormatError(f"{data.name}: contains no events; copy it again.")
    n_missing = max(promised - len(words), 0)
    return np.asarray(data.array(record, (len(words),))), n_rest, n_missing


def _tof_bins(records: Array, header: CastorHeader) -> TofBins | None:
    if TOF not in (records.dtype.names or ()):
        return None
    fwhm_ps = header.number("tof resolution (ps)")
    range_ps = header.number("list tof measurement range (ps)")
    step_ps = header.number("list tof quantization bin size (ps)")
    if not (0 < fwhm_ps <= MAX_PS and 0 < range_ps <= MAX_PS and step_ps >= 0):
        raise FileFormatError(
            f"{header.path.name}: the TOF resolution is {fwhm_ps:g} ps and the TOF measurement "
            f"range is {range_ps:g} ps, expected more than 0 and at most {MAX_PS:g} ps; correct "
            "the header."
        )
    # Continuous times are binned finely enough not to change the resolution.
    width_ps = step_ps or fwhm_ps / FINE
    steps = np.abs(records[TOF].astype(np.float64) / width_ps)
    # CASToR does not say if a quantised time is a multiple of the step or half-way between two. The
    # first needs an odd number of bins, the second an even one.
    between = bool(step_ps) and float(np.median(np.abs(steps - np.rint(steps)))) > HALF_OFF
    n_steps = round(min(range_ps / width_ps, 2 * MAX_BINS))
    n_bins = n_steps + (n_steps % 2 == 0) if not between else n_steps + n_steps % 2
    if n_bins > MAX_BINS:
        raise FileFormatError(
            f"{header.path.name}: states {n_bins:,} TOF bins of {width_ps:g} ps, expected at most "
            f"{MAX_BINS:,}; correct the header."
        )
    return TofBins(fwhm_ps, width_ps, int(n_bins))


def _scanner(header: CastorHeader, named: str | None, tof: TofBins | None) -> Scanner:
    if named is None or Path(named).suffix.lower() == ".lut":
        name = header.text("scanner name") or "CASToR scanner"
        path = Path(named) if named else adjacent_table(header.path, name, Castor.name)
        return read_table(path, name, tof)
    return read_scanner(named)


def _crystals(records: Array, scanner: Scanner, name: str) -> Array:
    """Return the crystals of each event, (n, 2) int32; refuse numbers that do not exist."""
    pairs = np.stack([records["first"], records["second"]], -1)
    most = int(pairs.max())
    if most >= scanner.n_crystals:
        k = int(np.argmax((pairs >= scanner.n_crystals).any(axis=1)))
        raise GeometryError(
            f"{name}: event {k:,} refers to crystal {int(pairs[k].max()):,}, but {scanner.name!r} "
            f"has only {scanner.n_crystals:,} crystals; choose this scan's look-up table, or "
            "correct the flags in the header."
        )
    return pairs.astype(np.int32)


def _bins(records: Array, scanner: Scanner) -> Array | None:
    """Return the TOF bin of each event as int16, −1 outside; None without TOF."""
    if TOF not in (records.dtype.names or ()) or scanner.tof is None:
        return None
    at_mm = records[TOF].astype(np.float64) * MM_PER_PS
    bins = np.floor((at_mm - scanner.tof.edges_mm[0]) / scanner.tof.bin_mm)
    return np.where((bins >= 0) & (bins < scanner.tof.n_bins), bins, OUTSIDE).astype(np.int16)


def _start_ms(records: Array, header: CastorHeader, name: str) -> int:
    """Return the start of the frame on the clock of the events; refuse times that decrease."""
    times = records["ms"]
    back = np.flatnonzero(times[1:] < times[:-1])
    if len(back):
        k = int(back[0])
        raise FileFormatError(
            f"{name}: time runs backwards at event {k + 1:,}, from {times[k]:,} to "
            f"{times[k + 1]:,} ms; export the events of one scan in time order."
        )
    # Event times are in ms, the header is in s.
    stated = 1000 * header.number("start time (s)", "start time")
    # The stated start can refer to the study instead of the clock in the events.
    return round(stated) if 0 <= stated <= int(times[0]) else int(times[0])


def _info(header: CastorHeader, data: Path) -> Plain:
    info: Plain = {
        "format": "CASToR list mode",
        "data_file": data.name,
        "header_file": header.path.name,
        "isotope": header.text("isotope"),
        "calibration_factor": header.number("calibration factor"),
    }
    return {key: value for key, value in info.items() if value}


def _notes(records: Array, bins: Array | None, start_ms: int) -> tuple[str, ...]:
    names = records.dtype.names or ()
    notes: list[str] = []
    if start_ms >= LATE_MS:
        text = f"The scan starts at {start_ms:,} ms; times are counted from there."
        notes.append(Information(text))
    if bins is not None and (n := int(np.count_nonzero(bins == OUTSIDE))):
        notes.append(f"{n:,} events outside the measured TOF range were removed.")
    if ACF in names or NORM in names:
        notes.append(
            "Attenuation and normalisation cover only the lines of the events and are not used; "
            "load a μ-map and a normalisation of all lines (.cdh)."
        )
    if bins is not None and {"scatter", "randoms"} & {*names}:
        notes.append("Scatter and randoms of TOF events are not used.")
    if TOF in names and bins is None:
        notes.append("TOF is not used: the chosen scanner has no TOF bins.")
    if PLACE in names:
        notes.append("Positions within crystals are not used.")
    return tuple(notes)


def _axes_note(named: str | None) -> tuple[str, ...]:
    """Return the note on the axes if the crystals come from a look-up table."""
    return (AXES_NOTE,) if named is None or Path(named).suffix.lower() == ".lut" else ()

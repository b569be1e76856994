"""Read CASToR PET histograms: the counts of each line, little-endian, without gaps.

ms u4; [attenuation correction f4]; [randoms f4: counts/s]; [normalisation correction f4]; for each
TOF bin (counts f4; [scatter f4: counts/s]); crystals u4, u4.

TOF bins are summed, because the file does not state their direction. A line becomes as many events
as it has counts, each with the expected randoms and scatter of the line. A histogram that contains
lines without counts contains all measured lines: then the probability of a line is 1 over its
normalisation correction, and it is 0 for all other lines.
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError, FileFormatError
from engine.data.components import Components
from engine.data.listmode import ListMode
from engine.data.sinogram import MAX_EVENTS
from engine.geometry.scanner import Scanner
from engine.io.castor.header import CastorHeader
from engine.io.castor.records import (
    ACF,
    FLAGS,
    NO_ATTENUATION,
    NORM,
    RANDOMS,
    SCATTER,
    TOF,
    WRONG_CRYSTAL,
    efficiencies_of,
    lines_of,
    pairs_of,
    refuse_several_lines,
)
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.open_input import InputFile

MODE = "histo"
EVENT_BYTES = 30
"""Memory for an event during reading [bytes]."""
COUNTS, MAX_TIME_BINS = "bins", 32_767


def is_histogram_mode(header: CastorHeader) -> bool:
    """Return True for the header of a histogram."""
    return header.text("data mode").lower().startswith(MODE)


def read_histogram_scan(data: InputFile, header: CastorHeader, scanner: Scanner) -> ListMode:
    """Return the counts of a histogram as events on their lines.

    Parameters
    ----------
    data
        open data file
    header
        its header
    scanner
        scanner of the crystal numbers

    Returns
    -------
    scan
        list mode without facts of the header

    Raises
    ------
    EngineError
        if the file is damaged, counts are not whole numbers, or a crystal does not exist
    """
    lines = lines_of(data, header, _record(header))
    # Wrong flags shift all fields, and then crystal numbers are the first to be impossible.
    pairs = pairs_of(lines, scanner, data.name, WRONG_CRYSTAL)
    # Each count becomes one event, so the sum over TOF bins must be a whole number.
    counts = _integer_counts(lines[COUNTS][..., 0].sum(axis=1, dtype=np.float64), data.name)
    n_events = int(counts.sum())
    # A histogram can have far more counts than lines.
    refuse_large_data(n_events * EVENT_BYTES, data.name)
    # The list-mode likelihood of k equal events is that of a bin with k counts.
    rows = np.repeat(np.arange(len(counts)), counts)
    duration_s = header.number("duration (s)", "duration")
    additive = _expected(lines, duration_s, header)
    components, notes = _normalised(lines, pairs, counts, scanner, data.name)
    if lines[COUNTS].shape[1] > 1:
        notes = (
            "TOF bins are summed, because the file does not state their direction.",
            *notes,
        )
    return ListMode(
        scanner=scanner,
        crystals=pairs.astype(np.int32)[rows],
        additive=None if additive is None else additive[rows],
        duration_s=duration_s,
        components=components,
        notes=notes,
    )


def _record(header: CastorHeader) -> np.dtype[np.void]:
    refuse_several_lines(header)
    has = {name: bool(header.number(*FLAGS[name][1])) for name in (ACF, RANDOMS, NORM, SCATTER)}
    n_bins = 1
    if header.number(*FLAGS[TOF][1]):
        n_bins = header.whole("histo tof number of bins")
        if not 1 <= n_bins <= MAX_TIME_BINS:
            raise FileFormatError(
                f"{header.path.name}: states {n_bins:,} TOF bins, expected 1 to "
                f"{MAX_TIME_BINS:,}; correct `Histo TOF number of bins`."
            )
    parts: list[tuple[str, str]] = [("ms", "<u4")]
    parts += [(name, "<f4") for name in (ACF, RANDOMS, NORM) if has[name]]
    bins = (COUNTS, "<f4", (n_bins, 2 if has[SCATTER] else 1))
    return np.dtype([*parts, bins, ("first", "<u4"), ("second", "<u4")])


def _integer_counts(counts: Array, name: str) -> Array:
    """Return the counts of lines as int64, shape (n,); refuse fractions."""
    bad = ~(np.isfinite(counts) & (counts >= 0) & (counts == np.rint(counts)))
    if bad.any():
        k = int(np.argmax(bad))
        raise DataError(
            f"{name}: line {k:,} has {counts[k]:g} counts, expected a whole number of at "
            "least 0; export the uncorrected histogram."
        )
    total = float(counts.sum())
    if not 0 < total <= MAX_EVENTS:
        raise DataError(
            f"{name}: contains {total:,.0f} counts, expected 1 to {MAX_EVENTS:,}; choose another "
            "scan, or export a shorter one."
        )
    return counts.astype(np.int64)


def _expected(lines: Array, duration_s: float, header: CastorHeader) -> Array | None:
    """Return the expected randoms and scatter of each line [counts], float32, or None."""
    # CASToR stores counts/s, but expected counts of the frame are needed.
    rates = np.zeros(len(lines))
    has_scatter = lines[COUNTS].shape[2] > 1
    has_randoms = RANDOMS in (lines.dtype.names or ())
    if not (has_scatter or has_randoms):
        return None
    if duration_s <= 0:
        raise FileFormatError(
            f"{header.path.name}: contains randoms and scatter rates but no `Duration (s)`, which "
            "is needed to convert them to counts; add the duration."
        )
    if has_randoms:
        rates += lines[RANDOMS]
    if has_scatter:
        rates += lines[COUNTS][..., 1].sum(axis=1, dtype=np.float64)
    if not (np.isfinite(rates) & (rates >= 0)).all():
        raise DataError(
            f"{header.path.name}: some randoms or scatter rates are negative, infinite or NaN; "
            "write the histogram again."
        )
    return np.asarray(rates * duration_s, np.float32)


def _normalised(
    lines: Array, pairs: Array, counts: Array, scanner: Scanner, name: str
) -> tuple[Components | None, tuple[str, ...]]:
    """Return the normalisation of all lines if it is known, and notes."""
    names = lines.dtype.names or ()
    notes: tuple[str, ...] = ()
    if ACF in names:
        notes = (f"{name}: {NO_ATTENUATION}",)
    if NORM not in names:
        return None, notes
    # A sensitivity image needs every line. Without empty lines, most of them are missing.
    if counts.all():
        few = (
            f"{name}: contains only lines with counts, so its normalisation does not cover all "
            "lines and is not used; load a normalisation (.cdh)."
        )
        return None, (*notes, few)
    return Components(lines=efficiencies_of(lines, pairs, scanner, name)), notes

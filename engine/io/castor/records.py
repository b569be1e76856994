"""Records of CASToR PET list mode, little-endian, without gaps.

ms u4; [attenuation correction f4]; [kind u1]; [scatter f4, randoms f4: counts/s]; [normalisation
correction f4]; [t1 − t2 f4: ps]; [position in both crystals, f4 per axis]; [number of lines u2];
crystals u4, u4. Corrections are inverse probabilities.
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.data.line_table import LineTable
from engine.geometry.scanner import Scanner
from engine.io.castor.header import CastorHeader
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.open_input import InputFile

ACF, NORM, SCATTER, RANDOMS, TOF, PLACE = "acf", "norm", "scatter", "randoms", "tof", "place"
FLAGS = {
    ACF: ("<f4", ("attenuation correction flag",)),
    "kind": ("u1", ("event kind flag", "list event kind flag", "kind flag")),
    SCATTER: ("<f4", ("scatter correction flag",)),
    RANDOMS: ("<f4", ("random correction flag",)),
    NORM: ("<f4", ("normalization correction flag", "normalisation correction flag")),
    TOF: ("<f4", ("tof information flag",)),
}
"""Parts of a record in order, with the keys that state if they are present."""
PLACES = ("poi info flag", "poi information flag")
LINE_BYTES = 60
"""Memory for a line during reading, without its record [bytes]."""
WRONG_CRYSTAL = "Choose this scan's look-up table, or correct the flags in the header."
NO_ATTENUATION = "its attenuation corrections are not used; load the scan's μ-map."


def record_of(header: CastorHeader, n_bytes: int) -> np.dtype[np.void]:
    """Return the layout of an event.

    Parameters
    ----------
    header
        header of the data
    n_bytes
        size of the data file, from which the number of axes of the positions follows

    Raises
    ------
    FileFormatError
        if events have several lines, or the size fits no layout
    """
    refuse_several_lines(header)
    parts = [("ms", "<u4")]
    parts += [(name, kind) for name, (kind, keys) in FLAGS.items() if header.number(*keys)]
    ends = [("first", "<u4"), ("second", "<u4")]
    if header.number(*PLACES):
        n_events = max(header.whole("number of events"), 1)
        # The header does not state how many coordinates a position has: 8 bytes for each axis.
        more = n_bytes // n_events - np.dtype([*parts, *ends]).itemsize
        if more not in (8, 16, 24):
            raise FileFormatError(
                f"{header.path.name}: the data have {n_bytes:,} bytes for {n_events:,} events, "
                f"which leaves {more} bytes per event for the positions in the crystals, expected "
                "8, 16 or 24; copy both files again."
            )
        return np.dtype([*parts, (PLACE, "<f4", (more // 4,)), *ends])
    return np.dtype([*parts, *ends])


def refuse_several_lines(header: CastorHeader) -> None:
    """Refuse a file whose events are sums over several lines."""
    lines = max(header.whole("maximum number of lines per event"), 1)
    if lines > 1:
        raise FileFormatError(
            f"{header.path.name}: events with up to {lines} lines of response are not supported; "
            "write each event with a single line of response."
        )


def lines_of(data: InputFile, header: CastorHeader, record: np.dtype[np.void]) -> Array:
    """Return the records of all lines; refuse a file of another length than its header states.

    Parameters
    ----------
    data
        open data file
    header
        its header; CASToR calls lines events, too
    record
        record of a line

    Raises
    ------
    EngineError
        if the length differs, there are no lines, or memory is insufficient
    """
    n, rest = divmod(data.size, record.itemsize)
    promised = header.whole("number of events") or n
    if rest or n != promised or not n:
        raise FileFormatError(
            f"{data.name}: the file has {data.size:,} bytes, but {header.path.name} describes "
            f"{promised:,} lines of response of {record.itemsize} bytes; copy both files again."
        )
    refuse_large_data(n * (record.itemsize + LINE_BYTES), data.name)
    return np.asarray(data.array(record, (n,)))


def pairs_of(lines: Array, scanner: Scanner, name: str, remedy: str) -> Array:
    """Return the crystals (n, 2) of lines; refuse crystals that the scanner does not have.

    Parameters
    ----------
    lines
        records
    scanner
        scanner of the crystal numbers
    name
        file, for the error message
    remedy
        remedy for a wrong crystal, for the error message

    Raises
    ------
    GeometryError
        if a crystal does not exist
    """
    pairs = np.stack([lines["first"], lines["second"]], -1)
    most = int(pairs.max())
    if most >= scanner.n_crystals:
        raise GeometryError(
            f"{name}: refers to crystal {most:,}, but {scanner.name!r} has only "
            f"{scanner.n_crystals:,} crystals. {remedy}"
        )
    return pairs


def efficiencies_of(lines: Array, pairs: Array, scanner: Scanner, name: str) -> LineTable:
    """Return the probability of each line: 1 over its normalisation correction.

    Parameters
    ----------
    lines
        records of all lines
    pairs
        their crystals, from `pairs_of`
    scanner
        scanner of the crystal numbers
    name
        file, for error messages

    Raises
    ------
    DataError
        if a correction is negative or not a number, or all are 0
    """
    corrections = lines[NORM].astype(np.float64)
    bad = ~(corrections >= 0) | np.isinf(corrections)
    if bad.any():
        k = int(np.argmax(bad))
        raise DataError(
            f"{name}: the correction of line {k:,} is {corrections[k]:g}, expected at least 0; "
            "write the file again."
        )
    if not corrections.any():
        raise DataError(f"{name}: all normalisation factors are 0; choose another normalisation.")
    with np.errstate(divide="ignore"):
        # A correction of 0 marks a line that detects nothing.
        values = np.where(corrections > 0, 1 / corrections, 0)
    return LineTable.of(pairs, values, scanner.n_crystals, name)


def expected(records: Array, duration_s: float) -> Array | None:
    """Return the expected scatter and randoms of each event's line.

    Parameters
    ----------
    records
        events
    duration_s
        duration of the frame [s]

    Returns
    -------
    counts
        float32 (n,) [counts]; None if the file has no rates
    """
    names = [name for name in (SCATTER, RANDOMS) if name in (records.dtype.names or ())]
    if not names:
        return None
    rates = np.sum([records[name].astype(np.float64) for name in names], axis=0)
    return np.asarray(rates * duration_s, np.float32)

"""Records of CASToR PET list mode, little-endian, without gaps.

ms u4; [attenuation correction f4]; [kind u1]; [scatter f4, randoms f4: counts/s]; [normalisation
correction f4]; [t1 − t2 f4: ps]; [position in both crystals, f4 per axis]; [number of lines u2];
crystals u4, u4. Corrections are inverse probabilities.
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.castor.header import CastorHeader

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
                f"{header.path.name}: {n_bytes:,} bytes for {n_events:,} events leave {more} bytes "
                "each for the positions in the crystals, expected 8, 16 or 24; copy both files "
                "again."
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


def multiplied(records: Array) -> Array | None:
    """Return the probability n · a of each event's line, float32 (n,).

    Parameters
    ----------
    records
        events

    Returns
    -------
    factors
        None if the file has no corrections; 0 where a correction is 0
    """
    names = [name for name in (ACF, NORM) if name in (records.dtype.names or ())]
    if not names:
        return None
    corrections = np.prod([records[name].astype(np.float64) for name in names], axis=0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(corrections > 0, 1 / corrections, 0), np.float32)


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

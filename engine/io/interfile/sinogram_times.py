"""Read and write TOF bins of sinogram files, the slowest index."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from engine.core.json_types import Plain
from engine.data.sinogram import Bins
from engine.data.timing.timed_counts import TimedCounts
from engine.geometry.tof import TofBins
from engine.io.interfile.header import InterfileHeader

ORDER, RISING = "; times of flight run", "towards the second crystal"
"""Direction of the TOF bins in our files; a comment for other programs."""
_MASHED = ("tof mashing factor",)
# Versions of STIR use different keys.
_WIDTH = ("size of unmashed tof time bins (ps)", "size of timing bin (ps)")
_FWHM = ("tof timing resolution (ps)", "timing resolution (ps)")


def tof_of(header: InterfileHeader, n_times: int) -> Plain | None:
    """Return the table `[tof]` of the scanner, None if the header lacks a value.

    Parameters
    ----------
    header
        header of a STIR sinogram
    n_times
        number of TOF bins in the file
    """
    mashed, width, fwhm = (
        next((n for key in keys if (n := header.number(key))), 0.0)
        for keys in (_MASHED, _WIDTH, _FWHM)
    )
    if n_times < 2 or not (width > 0 and fwhm > 0):
        return None
    # The width in the header is that of the scanner. "Mashing" adds neighbouring bins in the file.
    return {"fwhm_ps": fwhm, "bin_ps": width * (mashed or 1), "n_bins": n_times}


def lines_of(tof: TofBins | None, *, is_ordered: bool) -> tuple[list[str], list[str]]:
    """Return the header lines of the TOF bins, and those of the scanner.

    Parameters
    ----------
    tof
        TOF bins; None for a sinogram without TOF
    is_ordered
        True if the direction of the bins is known
    """
    if tof is None:
        return [], []
    bins = [
        "matrix axis label [5] := timing positions",
        f"!matrix size [5] := {tof.n_bins}",
        "TOF mashing factor := 1",
        *([f"{ORDER} := {RISING}"] if is_ordered else []),
    ]
    scanner = [
        f"Maximum number of (unmashed) TOF time bins := {tof.n_bins}",
        f"Size of unmashed TOF time bins (ps) := {tof.bin_ps!r}",
        f"TOF timing resolution (ps) := {tof.fwhm_ps!r}",
    ]
    return bins, scanner


def counted(
    read: Callable[[int], Bins], n_times: int, n_bins: int, *, keeps: bool, is_ordered: bool
) -> tuple[Bins, TimedCounts | None]:
    """Read the counts of all TOF bins.

    Parameters
    ----------
    read
        returns the counts (n_bins,) of a TOF bin
    n_times
        number of TOF bins
    n_bins
        number of bins for each of them
    keeps
        True if the TOF bins are returned as well
    is_ordered
        True if their direction is known

    Returns
    -------
    total, timed
        sum over the TOF bins; the TOF bins, or None
    """
    total = np.zeros(n_bins, np.float32)

    # One pass: each TOF bin is read once, added to the sum, and stored sparsely.
    def each() -> Iterator[Bins]:
        for time in range(n_times):
            values = read(time)
            np.add(total, values, out=total)
            yield values

    if keeps:
        timed = TimedCounts.of(each(), is_ordered=is_ordered)
        return total, timed
    for _ in each():
        pass
    return total, None


def summed_note(name: str, n_times: int) -> str:
    """Return the note that TOF bins were summed."""
    return f"TOF bins are summed: {name} has {n_times} TOF bins of unknown width and resolution."

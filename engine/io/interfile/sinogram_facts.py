"""Read and write TOF bins, energy window and resolution of STIR sinograms.

TOF is the slowest index of the bins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np

from engine.core.json_types import Plain
from engine.data.sinogram import Bins
from engine.data.timing.timed_counts import TimedCounts
from engine.geometry.energy import ELECTRON_KEV, EnergySettings
from engine.geometry.tof import TofBins
from engine.io.interfile.header import InterfileHeader

ORDER, RISING = "; times of flight run", "towards the second crystal"
"""Direction of the TOF bins in our files; a comment for other programs."""
_MASHED = ("tof mashing factor",)
# Versions of STIR use different keys.
_WIDTH = ("size of unmashed tof time bins (ps)", "size of timing bin (ps)")
_FWHM = ("tof timing resolution (ps)", "timing resolution (ps)")
LOW, HIGH = "energy window lower level[1]", "energy window upper level[1]"
RESOLUTION, AT = "energy resolution", "reference energy (in kev)"
MAX_KEV, WIDEST = 2000.0, 0.5


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


def energy_of(header: InterfileHeader) -> Plain | None:
    """Return the table `[energy]` of the scanner, None if the header lacks a value.

    STIR writes −1 for unknown values.

    Parameters
    ----------
    header
        header of a sinogram
    """
    low, high, width = (header.number(key) or 0.0 for key in (LOW, HIGH, RESOLUTION))
    at = header.number(AT) or ELECTRON_KEV
    # The relative resolution is proportional to 1/sqrt(E), and the model uses that at 511 keV.
    resolution = width * sqrt(max(at, 0.0) / ELECTRON_KEV)
    if not (0 < low < ELECTRON_KEV < high <= MAX_KEV and 0 < resolution <= WIDEST):
        return None
    return {"window_kev": (low, high), "resolution": resolution}


def lines_of_energy(energy: EnergySettings | None) -> tuple[list[str], list[str]]:
    """Return the header lines of the energy window, and those of the scanner."""
    if energy is None:
        return [], []
    low, high = energy.window_kev
    window = ["number of energy windows := 1", f"{LOW} := {low!r}", f"{HIGH} := {high!r}"]
    scanner = [
        f"Energy resolution := {energy.resolution!r}",
        f"Reference energy (in keV) := {ELECTRON_KEV!r}",
    ]
    return window, scanner

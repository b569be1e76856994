"""Radioactive decay: remaining activity, and its mean over a frame.

A(t) = A(0) 2^(−t / T½),    A(0) / mean over a frame of length T = λT / (1 − exp(−λT))
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Nuclide:
    """Properties of a positron emitter.

    Attributes
    ----------
    half_life_s : as scanners write it into DICOM files [s]
    branching : positrons per decay
    """

    half_life_s: float
    branching: float


NUCLIDES = {
    "C-11": Nuclide(1223.4, 0.998),
    "N-13": Nuclide(597.9, 0.998),
    "O-15": Nuclide(122.24, 0.999),
    "F-18": Nuclide(6586.2, 0.9686),
    "Ga-68": Nuclide(4062.6, 0.889),
}
"""Common nuclides; state the half-life and the branching of others.

Branching: Table of Radionuclides (Decay Data Evaluation Project, LNE-LNHB), rounded to three
decimals (F-18: four). Ga-68 has 88.88 ± 0.41 %. Half-lives are those of DICOM files of scanners.
"""


def decayed(seconds: float, half_life_s: float) -> float:
    """Return the fraction of an activity that remains after a time.

    Parameters
    ----------
    seconds
        time; negative for the past, with a result above 1
    half_life_s
        half-life
    """
    return float(math.exp2(-seconds / half_life_s))


def frame_factor(frame_s: float, half_life_s: float) -> float:
    """Return the activity at the start of a frame relative to its mean over the frame.

    Parameters
    ----------
    frame_s
        duration of the frame
    half_life_s
        half-life
    """
    decays = math.log(2) * frame_s / half_life_s
    # expm1 keeps the digits of short frames, where 1 − exp(−x) would cancel.
    return decays / -math.expm1(-decays) if decays else 1.0


def seconds_between(one: datetime, other: datetime) -> float | None:
    """Return the time from one moment to another in s.

    Parameters
    ----------
    one
        start
    other
        end

    Returns
    -------
    the difference; None if only one of them has a time zone
    """
    # A zone on one side only: the difference could be wrong by hours.
    if (one.utcoffset() is None) != (other.utcoffset() is None):
        return None
    return _instant_s(other) - _instant_s(one)


def _instant_s(moment: datetime) -> float:
    """Return a moment in s; unlike a difference of datetimes, this respects summer time."""
    zone = moment.utcoffset()
    naive = (moment.replace(tzinfo=None) - datetime.min).total_seconds()
    return naive - (zone.total_seconds() if zone is not None else 0.0)

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
    half_life_s : as scanners write it into DICOM [s]
    branching : positrons for each decay
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
    """Return the part of an activity that is left after a time; before it, if that is negative."""
    return float(math.exp2(-seconds / half_life_s))


def frame_factor(frame_s: float, half_life_s: float) -> float:
    """Return the activity at the start of a frame, as a multiple of the mean over it."""
    decays = math.log(2) * frame_s / half_life_s
    return decays / -math.expm1(-decays) if decays else 1.0


def seconds_between(one: datetime, other: datetime) -> float | None:
    """Return the time from one moment to another [s]; None where only one of them has a zone."""
    if (one.utcoffset() is None) != (other.utcoffset() is None):
        return None
    return _instant_s(other) - _instant_s(one)


def _instant_s(moment: datetime) -> float:
    """Return a moment as seconds; differences of times of one zone would forget its summer time."""
    zone = moment.utcoffset()
    naive = (moment.replace(tzinfo=None) - datetime.min).total_seconds()
    return naive - (zone.total_seconds() if zone is not None else 0.0)

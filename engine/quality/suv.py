"""Standardised uptake values: activity concentration per injected dose and body weight.

    SUV = C [Bq/mL] · weight [g] / dose [Bq]

C and the dose are of the same moment: C of the one that the image is corrected to, the dose decayed
to it. An image that is not corrected holds the mean over its frame; at the frame's start it is
λT / (1 − exp(−λT)) times as much. What is not known is not guessed: there is no SUV without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engine.errors import DataError

DecayCorrection = Literal["injection", "start", "none"]
"""The moment that an image's activity is corrected to; none: it is the mean over its frame."""

HALF_LIVES_S = {"F-18": 6586.2, "O-15": 122.24}
"""Half-lives as scanners write them into DICOM [s]; those of other nuclides have to be said."""
MOST_HALF_LIVES = 10.0
"""Between injection and scan: after more there is nothing left to see, and a date is wrong."""
WEIGHT_KG = (0.005, 500.0)
"""From a mouse to the heaviest that a scanner carries."""
UNIT, CONCENTRATION = "g/mL", "Bq/mL"


@dataclass(frozen=True)
class SuvFacts:
    """What SUV follow from; None where it is not known.

    Attributes
    ----------
    weight_kg : of the body
    dose_bq : activity at the moment of injection
    half_life_s : of the nuclide
    injected, started : moments of the injection and of the start of the frame, both with their
        zones or both without
    decay : what the image is corrected to
    frame_s : length of the frame; wanted for an image that is not corrected
    """

    weight_kg: float | None = None
    dose_bq: float | None = None
    half_life_s: float | None = None
    injected: datetime | None = None
    started: datetime | None = None
    decay: DecayCorrection | None = None
    frame_s: float | None = None


def suv_factor(facts: SuvFacts) -> float:
    """Return what turns Bq/mL into SUV [g/Bq].

    Raises
    ------
    DataError
        names all that is missing or cannot be
    """
    reasons = list(_reasons(facts))
    if reasons:
        raise DataError(f"there is no SUV: {'; '.join(reasons)}.")
    half_life_s, dose_bq = facts.half_life_s or 0.0, facts.dose_bq or 0.0
    if facts.decay != "injection":
        dose_bq *= decayed(_waited_s(facts) or 0.0, half_life_s)
    frame = frame_factor(facts.frame_s or 0.0, half_life_s) if facts.decay == "none" else 1.0
    return frame * 1000 * (facts.weight_kg or 0.0) / dose_bq


def decayed(seconds: float, half_life_s: float) -> float:
    """Return the part of an activity that is left after a time."""
    return float(math.exp2(-seconds / half_life_s))


def frame_factor(frame_s: float, half_life_s: float) -> float:
    """Return the activity at the start of a frame, as a multiple of the mean over it."""
    decays = math.log(2) * frame_s / half_life_s
    return decays / -math.expm1(-decays) if decays else 1.0


def _reasons(facts: SuvFacts) -> Iterator[str]:
    """Yield why there is no SUV."""
    yield from _unknown(facts)
    low, high = WEIGHT_KG
    if facts.weight_kg is not None and not low <= facts.weight_kg <= high:
        yield f"a weight of {facts.weight_kg:g} kg is none of a body ({low:g} to {high:g} kg)"
    for name, value in (("dose", facts.dose_bq), ("half-life", facts.half_life_s)):
        if value is not None and not 0 < value < math.inf:
            yield f"the {name} is {value:g}, want a number above 0"
    if facts.frame_s is not None and not 0 < facts.frame_s < math.inf:
        yield f"the frame takes {facts.frame_s:g} s, want a number above 0"
    if facts.decay != "injection":
        yield from _impossible_times(facts)


def _unknown(facts: SuvFacts) -> Iterator[str]:
    wanted: dict[str, object] = {
        "the weight": facts.weight_kg,
        "the dose": facts.dose_bq,
        "the half-life": facts.half_life_s,
        "what the image's decay is corrected to": facts.decay,
    }
    if facts.decay != "injection":
        wanted |= {"the time of injection": facts.injected, "the start": facts.started}
    if facts.decay == "none":
        wanted["the length of the frame"] = facts.frame_s
    for name, value in wanted.items():
        if value is None:
            yield f"{name} is not known"


def _impossible_times(facts: SuvFacts) -> Iterator[str]:
    if facts.injected is None or facts.started is None:
        return
    waited_s = _waited_s(facts)
    if waited_s is None:
        yield (
            "one of the times of injection and start has a time zone and the other has none, so "
            "what lies between them is not known"
        )
    elif waited_s < 0:
        yield f"the scan starts {-waited_s:,.0f} s before the injection; was a date moved?"
    elif facts.half_life_s and waited_s > MOST_HALF_LIVES * facts.half_life_s:
        yield (
            f"the scan starts {waited_s / facts.half_life_s:,.0f} half-lives after the injection; "
            "was a date moved?"
        )


def _waited_s(facts: SuvFacts) -> float | None:
    """Return the time from injection to start [s], None where the clocks cannot be compared."""
    if facts.injected is None or facts.started is None:
        return None
    if (facts.injected.utcoffset() is None) != (facts.started.utcoffset() is None):
        return None
    return _instant_s(facts.started) - _instant_s(facts.injected)


def _instant_s(moment: datetime) -> float:
    """Return a moment as seconds; differences of times of one zone would forget its summer time."""
    zone = moment.utcoffset()
    naive = (moment.replace(tzinfo=None) - datetime.min).total_seconds()
    return naive - (zone.total_seconds() if zone is not None else 0.0)

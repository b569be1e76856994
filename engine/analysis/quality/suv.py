"""Standardised uptake values: activity concentration per injected dose and body weight.

    SUV = C [Bq/mL] · m / dose [Bq]

m is the body weight W [g], the lean mass [g] after James or Janmahasatian, or the body surface
after Du Bois [cm²]. H is the height:

    James            1.10 W − 128 (W/H)² of men, 1.07 W − 148 (W/H)² of women    [kg, cm]
    Janmahasatian    9270 W / (6680 + 216 B) of men, 9270 W / (8780 + 244 B) of women, B = W/H² [m]
    Du Bois          0.007184 W^0.425 H^0.725 m²                                 [kg, cm]

C and the dose refer to the same moment: that of the decay correction of the image. The dose is
decayed to it. An image without decay correction is the mean over its frame. At the start of the
frame the activity is λT / (1 − exp(−λT)) times as high. No fact is guessed: if one is missing,
there is no SUV.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engine.core.errors import DataError
from engine.data.timing.decay import NUCLIDES, decayed, frame_factor, seconds_between

DecayCorrection = Literal["injection", "start", "none"]
"""Reference time of the decay correction; "none": the image is the mean over its frame."""

SuvKind = Literal["bw", "lbm-james", "lbm-janmahasatian", "bsa"]
"""Normalisation: body weight, lean mass by one of two formulas, or body surface."""
SUV_TITLES: dict[SuvKind, str] = {
    "bw": "SUV by body weight",
    "lbm-james": "SUV by lean mass (James)",
    "lbm-janmahasatian": "SUV by lean mass (Janmahasatian)",
    "bsa": "SUV by body surface (Du Bois)",
}

HALF_LIVES_S = {name: nuclide.half_life_s for name, nuclide in NUCLIDES.items()}
"""Half-lives as scanners write them into DICOM [s]; other nuclides must be stated."""
MAX_HALF_LIVES = 10.0
"""Maximum time from injection to scan. After more no activity is left, so a date is wrong."""
WEIGHT_KG = (0.005, 500.0)
"""From a mouse to the largest load of a patient table."""
HEIGHT_CM = (20.0, 280.0)
DOSE_MBQ = (1e-6, 1e6)
HALF_LIFE_S = (1.0, 1e10)
FRAME_S = (1e-6, 1e6)
"""Beyond any scan: values outside are typed in another unit, or at another place."""
UNIT = "g/mL"
UNITS: dict[SuvKind, str] = {
    "bw": UNIT,
    "lbm-james": "g/mL{SUVlbm}",
    "lbm-janmahasatian": "g/mL{SUVlbm}",
    "bsa": "cm2/mL",
}


@dataclass(frozen=True)
class SuvFacts:
    """Facts for SUV. None if not known.

    Attributes
    ----------
    weight_kg : body weight
    dose_bq : activity at the time of injection
    half_life_s : half-life of the nuclide
    injected, started : times of the injection and of the start of the frame, both with a time
        zone or both without
    decay : reference time of the decay correction
    frame_s : duration of the frame; required for an image without decay correction
    kind : normalisation: body weight, lean mass or surface
    height_cm : body height; required except for SUV by body weight
    sex : "F" or "M"; required for lean mass
    """

    weight_kg: float | None = None
    dose_bq: float | None = None
    half_life_s: float | None = None
    injected: datetime | None = None
    started: datetime | None = None
    decay: DecayCorrection | None = None
    frame_s: float | None = None
    kind: SuvKind = "bw"
    height_cm: float | None = None
    sex: str | None = None


def suv_factor(facts: SuvFacts) -> float:
    """Return the factor from Bq/mL to SUV [g/Bq, or cm²/Bq by body surface].

    Parameters
    ----------
    facts
        facts of patient, injection and scan

    Raises
    ------
    DataError
        if a fact is missing or impossible; the message names all of them
    """
    reasons = suv_obstacles(facts)
    if reasons:
        raise DataError(f"SUV cannot be calculated. {' '.join(reasons)}")
    half_life_s, dose_bq = facts.half_life_s or 0.0, facts.dose_bq or 0.0
    # An image corrected to the injection needs the dose at injection, without any decay.
    if facts.decay != "injection":
        dose_bq *= decayed(_waited_s(facts) or 0.0, half_life_s)
    frame = frame_factor(facts.frame_s or 0.0, half_life_s) if facts.decay == "none" else 1.0
    return frame * body_size(facts) / dose_bq


def body_size(facts: SuvFacts) -> float:
    """Return body weight or lean mass [g], or body surface [cm²].

    Parameters
    ----------
    facts
        with weight, and height and sex if `kind` needs them

    References
    ----------
    James, Research on Obesity (1976); Janmahasatian et al., Clin. Pharmacokinet. 44 (2005) 1051;
    Du Bois & Du Bois, Arch. Intern. Med. 17 (1916) 863.
    """
    weight, height = facts.weight_kg or 0.0, facts.height_cm or 1.0
    is_woman = facts.sex == "F"
    if facts.kind == "lbm-james":
        slope, bend = (1.07, 148.0) if is_woman else (1.10, 128.0)
        return 1000 * (slope * weight - bend * (weight / height) ** 2)
    if facts.kind == "lbm-janmahasatian":
        base, slope = (8780.0, 244.0) if is_woman else (6680.0, 216.0)
        return 1000 * 9270 * weight / (base + slope * weight / (height / 100) ** 2)
    if facts.kind == "bsa":
        return 1e4 * 0.007184 * weight**0.425 * height**0.725
    return 1000 * weight


def suv_obstacles(facts: SuvFacts) -> tuple[str, ...]:
    """Return the reasons why there is no SUV, as sentences; empty if there is one.

    Parameters
    ----------
    facts
        facts of patient, injection and scan
    """
    return tuple(_obstacles(facts))


def _obstacles(facts: SuvFacts) -> Iterator[str]:
    yield from _unknown(facts)
    low, high = WEIGHT_KG
    if facts.weight_kg is not None and not low <= facts.weight_kg <= high:
        yield f"The weight is {facts.weight_kg:g} kg, expected {low:g} to {high:g} kg."
    low, high = HEIGHT_CM
    if facts.height_cm is not None and not low <= facts.height_cm <= high:
        yield f"The height is {facts.height_cm:g} cm, expected {low:g} to {high:g} cm."
    # The formula of James is quadratic in the weight: it falls again for obese patients, and below
    # 0.
    elif facts.height_cm and facts.weight_kg and body_size(facts) <= 0:
        yield "The formula of James gives no lean body mass for this weight and height."
    dose_mbq = None if facts.dose_bq is None else facts.dose_bq / 1e6
    for name, value, unit, (low, high) in (
        ("dose", dose_mbq, "MBq", DOSE_MBQ),
        ("half-life", facts.half_life_s, "s", HALF_LIFE_S),
        ("frame duration", facts.frame_s, "s", FRAME_S),
    ):
        if value is not None and not low <= value <= high:
            yield f"The {name} is {value:g} {unit}, expected {low:g} to {high:g} {unit}."
    # For images corrected to the injection the times do not enter.
    if facts.decay != "injection":
        yield from _impossible_times(facts)


def _unknown(facts: SuvFacts) -> Iterator[str]:
    wanted: dict[str, object] = {
        "The weight is not known.": facts.weight_kg,
        "The dose is not known.": facts.dose_bq,
        "The half-life is not known.": facts.half_life_s,
        "The reference time of the decay correction is not known.": facts.decay,
    }
    if facts.decay != "injection":
        wanted |= {
            "The time of injection is not known.": facts.injected,
            "The start of the scan is not known.": facts.started,
        }
    if facts.kind != "bw":
        wanted["The height is not known."] = facts.height_cm
    if facts.kind.startswith("lbm"):
        wanted["The sex (F or M) is not known."] = facts.sex if facts.sex in ("F", "M") else None
    if facts.decay == "none":
        wanted["The length of the frame is not known."] = facts.frame_s
    yield from (sentence for sentence, value in wanted.items() if value is None)


def _impossible_times(facts: SuvFacts) -> Iterator[str]:
    if facts.injected is None or facts.started is None:
        return
    waited_s = _waited_s(facts)
    if waited_s is None:
        yield (
            "Only one of the times of injection and scan start has a time zone, so "
            "the time between them is not known."
        )
    elif waited_s < 0:
        # De-identified files often have shifted dates, and then not all of them by the same amount.
        yield (
            f"The scan starts {-waited_s:,.0f} s before the injection; check whether "
            "a date was changed."
        )
    elif (
        facts.half_life_s
        and facts.half_life_s > 0
        and waited_s > MAX_HALF_LIVES * facts.half_life_s
    ):
        yield (
            f"The scan starts {waited_s / facts.half_life_s:,.0f} half-lives after the "
            "injection; check whether a date was changed."
        )


def _waited_s(facts: SuvFacts) -> float | None:
    """Return the time from injection to start [s]; None if the times cannot be compared."""
    if facts.injected is None or facts.started is None:
        return None
    return seconds_between(facts.injected, facts.started)

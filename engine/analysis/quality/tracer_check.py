"""Check a tracer file against its scan: available units, missing and differing facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.analysis.quality.suv import SUV_TITLES, SuvKind, suv_obstacles
from engine.analysis.quality.suv_volume import facts_of_scan
from engine.core.json_types import Plain
from engine.data.timing.decay import NUCLIDES, seconds_between
from engine.data.timing.timestamps import moment_of
from engine.data.timing.tracer import Tracer

NAMES = {
    "isotope": "nuclide",
    "scan_start": "start",
    "injected_at": "injection",
    "injected_bq": "injected activity [Bq]",
    "weight_kg": "weight [kg]",
    "height_cm": "height [cm]",
    "sex": "sex",
    "live_fraction": "live fraction",
}
"""Facts that a scan and a tracer file may both state."""
SAME = 1e-3
"""Relative difference up to which numbers count as equal; files round them."""


@dataclass(frozen=True)
class TracerCheck:
    """Result of the check.

    Attributes
    ----------
    given : dose and injection time in one line
    waited_s : time from the injection to the start of the scan [s]; None if one is not known
    concentration : reasons why no calibration can give Bq/mL, as sentences; empty if one can
    suv : reasons why each kind of SUV is not available, as sentences; empty if it is
    notes : notes to check, one sentence each
    """

    given: str
    waited_s: float | None
    concentration: str
    suv: dict[SuvKind, tuple[str, ...]]
    notes: tuple[str, ...]


def check_tracer(tracer: Tracer, stated: Plain) -> TracerCheck:
    """Check a tracer file against the facts of a scan.

    Parameters
    ----------
    tracer
        tracer file
    stated
        facts of the scan, by the keys of the readers

    Returns
    -------
    TracerCheck
        available units, missing facts and differences
    """
    facts = {**stated, **tracer.facts()}
    nuclide = NUCLIDES.get(str(facts.get("isotope")))
    if nuclide is not None:
        # Facts of scan and file come second in the union, so they win over the table of nuclides.
        facts = {"half_life_s": nuclide.half_life_s, "branching": nuclide.branching} | facts
    return TracerCheck(
        _dose_text(facts),
        _waited_s(facts),
        _missing(facts),
        {kind: suv_obstacles(facts_of_scan(facts, "start", kind)) for kind in SUV_TITLES},
        tuple(_notes(tracer, stated, facts)),
    )


def _dose_text(facts: Plain) -> str:
    dose = facts.get("injected_bq")
    words = [f"{dose / 1e6:.4g} MBq" if isinstance(dose, int | float) else ""]
    words.append(str(facts.get("isotope") or ""))
    what = " of ".join(word for word in words if word)
    waited = _waited_s(facts)
    if not what or waited is None:
        return what
    minutes = abs(waited) / 60
    if waited >= 0:
        return f"{what}, injected {minutes:,.0f} min before the scan began"
    return f"{what}, injected {minutes:,.0f} min after the scan began"


def _waited_s(facts: Plain) -> float | None:
    injected, started = moment_of(facts.get("injected_at")), moment_of(facts.get("scan_start"))
    if injected is None or started is None:
        return None
    return seconds_between(injected, started)


def _missing(facts: Plain) -> str:
    wanted = {
        "The half-life is not known.": facts.get("half_life_s"),
        "The number of positrons per decay is not known.": facts.get("branching"),
        "The length of the frame is not known.": facts.get("duration_s"),
    }
    return " ".join(sentence for sentence, value in wanted.items() if not value)


def _notes(tracer: Tracer, stated: Plain, facts: Plain) -> Iterator[str]:
    name = facts.get("isotope")
    if name and name not in NUCLIDES and not (facts.get("half_life_s") and facts.get("branching")):
        yield (
            f"{name} is not one of {', '.join(NUCLIDES)}; check the spelling, or enter "
            "half-life and positrons per decay."
        )
    for name, value, other in differences(tracer, stated):
        yield f"{name}: the scan states {other}. The tracer file states {value}, which is used."


def differences(tracer: Tracer, stated: Plain) -> Iterator[tuple[str, object, object]]:
    """Yield each fact that a tracer file and a scan state differently.

    Parameters
    ----------
    tracer
        tracer file
    stated
        facts of the scan, by the keys of the readers

    Yields
    ------
    name of the fact, value of the tracer file and value of the scan
    """
    for key, value in tracer.facts().items():
        if key in NAMES and key in stated and not _is_same(stated[key], value):
            yield NAMES[key], value, stated[key]


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= SAME * max(abs(one), abs(other))
    # Times are compared as moments: "12:00+01:00" and "11:00Z" are the same.
    first, second = moment_of(one), moment_of(other)
    if first is not None and second is not None:
        return seconds_between(first, second) == 0.0
    return one == other

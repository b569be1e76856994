"""Read the angles of views from files: unit, order and repeated last view.

Views may come in any order, and an angle may occur more than once: filtering weights views by
their neighbours in angle, and repeats share a weight (`engine.recon.filtering.redundancy`). Angles
that go one way need no remark; those in another order get a note. Small steps back (the jitter of
an encoder, less than half a step) still go one way.

A span that is 180 / π times too small is less than a scan can be. One that is 180 / π times too
large is many turns, as real scans have them too: in golden steps, in round ones, or in some whole
number of steps a turn. Others betray themselves by what is left after division: half a turn, a
whole one, or a round number of degrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError, FileFormatError

Unit = Literal["deg", "rad"]
UNITS: dict[str, Unit] = {
    **dict.fromkeys(("deg", "degree", "degrees", "°"), "deg"),
    **dict.fromkeys(("rad", "radian", "radians"), "rad"),
}
WORDS: dict[Unit, str] = {"deg": "degrees", "rad": "radians"}
FEW_VIEWS = 10
"""Below this number of views a span says little about its unit."""
TURN_DEG = 360.0
LARGE_STEP_DEG = 17.0
"""Steps larger than this over many turns, said to be radians, are degrees."""
MANY_TURNS_DEG = 720.0
"""Larger spans are those of many turns, or wrong."""
NEAR_TURN = 2e-3
"""Part by which a span may miss half a turn or a whole one."""
FINE_STEP_DEG, LARGE_ROUND_DEG, ROUND_SPAN_DEG = 0.01, 0.05, 1.0
"""Steps of one turn, of many turns, and spans that people choose are multiples of these,"""
ROUND = 2e-6
"""up to this part of them."""
GOLDEN = ((3 - np.sqrt(5)) / 2, (np.sqrt(5) - 1) / 2)
"""Steps of golden angles, in turns or half turns."""
FIXED = "the format requires degrees, so correct the angles"
ATTRIBUTE = 'set their attribute `units` to "deg" or "rad" in a copy of the file'
"""Ways out where a format has one unit, and where an attribute states it."""
MOST_STATED = 1e7
"""Some 28,000 turns in degrees: a helix or a golden-angle scan has fewer."""
SAME_DEG = 1e-9
"""Angles closer than this are the same."""


@dataclass(frozen=True)
class Angles:
    """Angles that can be used.

    Attributes
    ----------
    rad : (n_views,) angle of each view that is kept [rad]
    n_stated : number of angles the file has; one more than kept where the last repeats the first
    notes : what the user should know
    """

    rad: NDArray[np.float64]
    n_stated: int
    notes: tuple[str, ...] = ()


def unit_named(text: str, where: str) -> Unit | None:
    """Return the unit a file names, None where it names none."""
    if not text.strip():
        return None
    unit = UNITS.get(text.strip().lower())
    if unit is None:
        raise FileFormatError(
            f"{where}: angles in {text.strip()!r}, expected degrees or radians; correct the unit."
        )
    return unit


def read_angles(
    values: NDArray[np.floating], unit: Unit | None, where: str, *, remedy: str = FIXED
) -> Angles:
    """Check the angles of a scan, in any order; refuse a wrong unit and angles that are all alike.

    Parameters
    ----------
    values
        (n,) as they stand in the file
    unit
        their unit, None where the file names none: it is then found from their span
    where
        file and field, for sentences
    remedy
        what to do about a wrong unit, for sentences
    """
    values = np.asarray(values, np.float64).reshape(-1)
    _refuse_not_finite(values, where)
    notes: list[str] = []
    if unit is None:
        unit = "rad" if _too_small(values) else "deg"
        taken = f"{WORDS[unit]}, spanning {_span_text(_in_degrees(values, unit))}"
        notes.append(f"{where}: the angles have no unit; {taken} assumed.")
    degrees = _in_degrees(values, unit)
    if _too_small(degrees) or _too_large(degrees, unit):
        raise _wrong_unit(values, unit, where, remedy)
    _refuse_all_alike(degrees, where)
    backwards = _first_step_back(degrees)
    notes += _order_notes(degrees, backwards, where)
    if backwards is None and _last_repeats_first(degrees):
        degrees = degrees[:-1]
        notes.append(f"{where}: the last view repeats the first after a full turn and is not used.")
    return Angles(np.deg2rad(degrees), len(values), tuple(notes))


def _refuse_not_finite(values: NDArray[np.float64], where: str) -> None:
    if not values.size:
        raise DataError(f"{where}: contains no angles; export the scan again.")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise DataError(
            f"{where}: {len(bad):,} of {len(values):,} angles are not numbers, the first is that "
            f"of view {bad[0]}; correct the angles."
        )
    largest = float(np.abs(values).max())
    if largest > MOST_STATED:
        raise DataError(
            f"{where}: an angle of {largest:g}, expected at most {MOST_STATED:,.0f}; correct the "
            "angles."
        )


def _span(values: NDArray[np.float64]) -> float:
    return float(np.ptp(values))


def _in_degrees(values: NDArray[np.float64], unit: Unit) -> NDArray[np.float64]:
    return values if unit == "deg" else np.rad2deg(values)


def _too_small(degrees: NDArray[np.float64]) -> bool:
    """Whether the span is less than a scan can be, and 180 / π times it is at most a turn."""
    n = len(degrees)
    return n >= FEW_VIEWS and 0 < np.rad2deg(_span(degrees)) <= TURN_DEG * (1 + 1 / n)


def _too_large(degrees: NDArray[np.float64], unit: Unit) -> bool:
    """Whether the span is that of many turns, and π / 180 times it is that of a usual scan."""
    span = _span(degrees)
    if len(degrees) < 3 or span <= MANY_TURNS_DEG:
        return False
    step = span / (len(degrees) - 1)
    if _is_of_many_turns(step):
        return False
    less, by = np.deg2rad(span), np.deg2rad(step)
    ends = (less, less + by)  # the angle after the last one stands in some lists
    if any(abs(end - turn) < NEAR_TURN * turn for end in ends for turn in (180.0, TURN_DEG)):
        return True
    if unit == "rad" and step > LARGE_STEP_DEG:
        return True
    is_scan = less + by >= TURN_DEG / 4 and less <= TURN_DEG
    chosen = _is_round(by, FINE_STEP_DEG) or any(_is_round(end, ROUND_SPAN_DEG) for end in ends)
    return is_scan and chosen


def _is_of_many_turns(step_deg: float) -> bool:
    """Return True if somebody chose this step for many turns."""
    parts = (step_deg % turn / turn for turn in (TURN_DEG / 2, TURN_DEG))
    is_golden = any(abs(part - golden) < ROUND * golden for part in parts for golden in GOLDEN)
    is_whole = _is_round(TURN_DEG / step_deg, 1.0)
    is_fine = _is_round(np.deg2rad(step_deg), FINE_STEP_DEG)
    return is_golden or is_whole or (_is_round(step_deg, LARGE_ROUND_DEG) and not is_fine)


def _is_round(number: float, unit: float) -> bool:
    nearest = round(number / unit) * unit
    return nearest > 0 and abs(number - nearest) < ROUND * nearest


def _span_text(degrees: NDArray[np.float64]) -> str:
    span = _span(degrees)
    return f"{span / TURN_DEG:.1f} turns" if span > MANY_TURNS_DEG else f"{span:.4g}°"


def _wrong_unit(values: NDArray[np.float64], stated: Unit, where: str, remedy: str) -> DataError:
    """Return the sentence with both readings: in the other unit, or converted once too often."""
    degrees = _in_degrees(values, stated)
    other: Unit = "rad" if stated == "deg" else "deg"
    is_small = _too_small(degrees)
    message = (
        f"{where}: {len(values):,} angles from {values.min():.5g} to {values.max():.5g} span "
        f"{_span_text(degrees)} in {WORDS[stated]}, the stated or assumed unit"
    )
    if is_small == (stated == "deg"):
        likely = _span_text(_in_degrees(values, other))
        return DataError(
            f"{message}, but {likely} in {WORDS[other]}, as expected for a scan; {remedy}."
        )
    likely = _span_text(np.rad2deg(degrees) if is_small else np.deg2rad(degrees))
    change = "more" if is_small else "less"
    return DataError(
        f"{message}, but a scan spans 57.3 times {change}, {likely}; they were probably converted "
        f"to {WORDS[stated]} twice, so correct the angles."
    )


def _last_repeats_first(degrees: NDArray[np.float64]) -> bool:
    n = len(degrees)
    if n < 3:
        return False
    span = abs(degrees[-1] - degrees[0])
    step = _span(degrees) / (n - 1)
    return bool(abs(span - TURN_DEG) < 0.1 * step)


def _refuse_all_alike(degrees: NDArray[np.float64], where: str) -> None:
    away = (degrees - degrees[0] + TURN_DEG / 2) % TURN_DEG - TURN_DEG / 2
    if len(degrees) > 1 and np.abs(away).max() <= SAME_DEG:
        raise DataError(
            f"{where}: all {len(degrees):,} views have the same angle ({degrees[0]:g}°); give each "
            "view its own angle."
        )


def _first_step_back(degrees: NDArray[np.float64]) -> int | None:
    """Return the first view after which the angles turn back, None where they go one way."""
    if len(degrees) < 2:
        return None
    steps = (np.diff(degrees) + TURN_DEG / 2) % TURN_DEG - TURN_DEG / 2
    if np.ptp(steps) < 1e-3 and abs(steps[0]) > 0:
        return None
    moving = steps[np.abs(steps) > SAME_DEG]
    typical = float(np.median(moving)) or float(moving[0])  # as many go back as go on
    back = np.flatnonzero(steps * np.sign(typical) < -0.5 * abs(typical))
    return int(back[0]) if len(back) else None


def _order_notes(degrees: NDArray[np.float64], backwards: int | None, where: str) -> list[str]:
    """Say which views are out of order, and how many repeat the angle of another view."""
    notes = []
    if backwards is not None:
        k = backwards
        notes.append(
            f"{where}: the angles are not in order (view {k}: {degrees[k]:.6g}°, view {k + 1}: "
            f"{degrees[k + 1]:.6g}°); each view is used at its own angle."
        )
    ordered = np.sort(degrees)
    n_repeated = int(np.count_nonzero(np.diff(ordered) <= SAME_DEG))
    if n_repeated:
        words = "1 view repeats" if n_repeated == 1 else f"{n_repeated:,} views repeat"
        first = float(ordered[np.flatnonzero(np.diff(ordered) <= SAME_DEG)[0]])
        view = int(np.flatnonzero(np.abs(degrees - first) <= SAME_DEG)[1])
        notes.append(
            f"{where}: {words} the angle of another view (first: view {view} at "
            f"{degrees[view]:.6g}°); these views share one weight."
        )
    return notes

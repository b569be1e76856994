"""Angles of views as files state them: their unit, their order, and the view measured twice.

Seen modulo a turn, the angles of a scan go one way. Small steps back (an encoder's jitter, less
than half a step) are kept.

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

from engine.errors import DataError, FileFormatError

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
FIXED = "the format wants degrees, so correct the angles"
ATTRIBUTE = 'set their attribute units, in a copy of the file, to what they are, "deg" or "rad"'
"""Ways out where a format has one unit, and where an attribute states it."""
MOST_STATED = 1e7
"""Some 28,000 turns in degrees: a helix or a golden-angle scan has fewer."""
MOST_REPEATED = 0.1
"""Part of the views that may stand still."""


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
            f"{where}: angles in {text.strip()!r}, want degrees or radians; correct the unit."
        )
    return unit


def read_angles(
    values: NDArray[np.floating], unit: Unit | None, where: str, *, remedy: str = FIXED
) -> Angles:
    """Check the angles of a scan; refuse a wrong unit and a wrong order.

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
        taken = f"{WORDS[unit]}, a span of {_span_text(_in_degrees(values, unit))}"
        notes.append(f"{where}: the angles have no unit; taken as {taken}.")
    degrees = _in_degrees(values, unit)
    if _too_small(degrees) or _too_large(degrees, unit):
        raise _wrong_unit(values, unit, where, remedy)
    repeats = _last_repeats_first(degrees)
    notes += _order_notes(degrees, where)
    if repeats:
        degrees = degrees[:-1]
        notes.append(f"{where}: the last view repeats the first after a whole turn; left out.")
    return Angles(np.deg2rad(degrees), len(values), tuple(notes))


def _refuse_not_finite(values: NDArray[np.float64], where: str) -> None:
    if not values.size:
        raise DataError(f"{where}: there are no angles; export the scan again.")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise DataError(
            f"{where}: the angle of view {bad[0]} is not a number, and {len(bad):,} of "
            f"{len(values):,} are not; correct the angles."
        )
    largest = float(np.abs(values).max())
    if largest > MOST_STATED:
        raise DataError(
            f"{where}: an angle of {largest:g}, want at most {MOST_STATED:,.0f}; correct the "
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
    """Whether somebody chose this step for many turns."""
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
        f"{_span_text(degrees)} in {WORDS[stated]}, the unit they are read in"
    )
    if is_small == (stated == "deg"):
        likely = _span_text(_in_degrees(values, other))
        return DataError(f"{message}, and {likely} in {WORDS[other]}, as a scan would; {remedy}.")
    likely = _span_text(np.rad2deg(degrees) if is_small else np.deg2rad(degrees))
    change = "more" if is_small else "less"
    return DataError(
        f"{message}, and a scan would span 57.3 times {change}, {likely}; they look converted to "
        f"{WORDS[stated]} twice, so correct the angles."
    )


def _last_repeats_first(degrees: NDArray[np.float64]) -> bool:
    n = len(degrees)
    if n < 3:
        return False
    span = abs(degrees[-1] - degrees[0])
    step = _span(degrees) / (n - 1)
    return bool(abs(span - TURN_DEG) < 0.1 * step)


def _order_notes(degrees: NDArray[np.float64], where: str) -> list[str]:
    """Refuse angles that do not go one way; say which views stand still."""
    if len(degrees) < 2:
        return []
    steps = (np.diff(degrees) + TURN_DEG / 2) % TURN_DEG - TURN_DEG / 2
    if np.ptp(steps) < 1e-3 and abs(steps[0]) > 0:
        return []
    typical, moving = float(np.median(steps)), steps[steps != 0]
    if typical == 0 and len(moving) > len(steps) / 2:
        typical = float(moving[0])  # as many go back as go on
    if typical == 0:
        raise DataError(
            f"{where}: {int((steps == 0).sum()) + 1:,} of {len(degrees):,} views have the same "
            f"angle ({degrees[0]:g}°); give every view its own angle."
        )
    back = np.flatnonzero(steps * np.sign(typical) < -0.5 * abs(typical))
    if len(back):
        k = int(back[0])
        raise DataError(
            f"{where}: the angles change direction, view {k} is at {degrees[k]:.6g}° and view "
            f"{k + 1} at {degrees[k + 1]:.6g}°; put angles and views in the order of the scan."
        )
    still = np.flatnonzero(steps == 0)
    if len(still) > MOST_REPEATED * len(degrees):
        raise DataError(
            f"{where}: {len(still):,} of {len(degrees):,} views have the angle of the view before "
            f"(the first at {degrees[still[0]]:.6g}°); give every view its own angle."
        )
    if len(still):
        return [
            f"{where}: {len(still):,} views have the angle of the view before, the first is view "
            f"{still[0] + 1} at {degrees[still[0]]:.6g}°."
        ]
    return []

"""Read the angles of views from files: unit, order and repeated last view.

Views can be in any order, and an angle can occur more than once: filtering weights views by their
neighbours in angle, and repeats share a weight (`engine.recon.filtering.redundancy`). Angles in one
direction need no note; those in another order get one. Small steps back (jitter of an encoder, less
than half a step) still count as one direction.

A span that is 180 / π times too small is smaller than that of any scan. A span that is 180 / π
times too large is many turns, which real scans have too: with golden steps, round steps, or a whole
number of steps per turn. Other spans are recognised as wrong by the result of the division: half a
turn, a full turn, or a round number of degrees.
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
"""With fewer views, the span says little about the unit."""
TURN_DEG = 360.0
LARGE_STEP_DEG = 17.0
"""Larger steps over many turns, stated in radians, are degrees."""
MANY_TURNS_DEG = 720.0
"""Larger spans are many turns, or wrong."""
NEAR_TURN = 2e-3
"""Relative tolerance of a span of half a turn or a full turn."""
FINE_STEP_DEG, LARGE_ROUND_DEG, ROUND_SPAN_DEG = 0.01, 0.05, 1.0
"""Steps of one turn, steps of many turns, and spans that people choose are multiples of these."""
ROUND = 2e-6
"""Relative tolerance of such a multiple."""
GOLDEN = ((3 - np.sqrt(5)) / 2, (np.sqrt(5) - 1) / 2)
"""Steps of golden angles, in turns or half turns."""
FIXED = "The format requires degrees, so correct the angles."
ATTRIBUTE = 'Set their attribute `units` to "deg" or "rad" in a copy of the file.'
"""Remedies for formats with a fixed unit, and for formats with an attribute for it."""
MAX_STATED = 1e7
"""Some 28,000 turns in degrees: a helix or a golden-angle scan has fewer."""
SAME_DEG = 1e-9
"""Angles closer than this are the same."""


@dataclass(frozen=True)
class Angles:
    """Checked angles of a scan.

    Attributes
    ----------
    rad : (n_views,) angle of each view that is used [rad]
    n_stated : number of angles in the file; one more than used if the last repeats the first
    notes : notes for the user
    """

    rad: NDArray[np.float64]
    n_stated: int
    notes: tuple[str, ...] = ()


def unit_named(text: str, where: str) -> Unit | None:
    """Return the unit that a file names.

    Parameters
    ----------
    text
        such as "deg" or "radians"; blank if the file names none
    where
        file and field, for error messages

    Returns
    -------
    unit
        None if the file names none

    Raises
    ------
    FileFormatError
        if the unit is unknown
    """
    if not text.strip():
        return None
    unit = UNITS.get(text.strip().lower())
    if unit is None:
        raise FileFormatError(
            f"{where}: the unit of the angles is {text.strip()!r}, expected degrees or radians; "
            "correct the unit."
        )
    return unit


def read_angles(
    values: NDArray[np.floating], unit: Unit | None, where: str, *, remedy: str = FIXED
) -> Angles:
    """Check the angles of a scan and convert them to radians.

    Parameters
    ----------
    values
        (n,) angles as in the file, in any order
    unit
        stated unit; None: the file names none, and the span decides
    where
        file and field, for messages
    remedy
        remedy for a wrong unit, for error messages

    Raises
    ------
    DataError
        if angles are missing or not finite, all equal, or apparently in another unit
    """
    values = np.asarray(values, np.float64).reshape(-1)
    _refuse_not_finite(values, where)
    notes: list[str] = []
    if unit is None:
        # A span of 2π read as degrees is smaller than that of any scan.
        unit = "rad" if _too_small(values) else "deg"
        span = _span_text(_in_degrees(values, unit))
        notes.append(
            f"{where}: the angles have no unit; {WORDS[unit]} are assumed, which span {span}."
        )
    degrees = _in_degrees(values, unit)
    if _too_small(degrees) or _too_large(degrees, unit):
        raise _wrong_unit(values, unit, where, remedy)
    _refuse_all_alike(degrees, where)
    backwards = _first_step_back(degrees)
    notes += _order_notes(degrees, backwards, where)
    # Some scanners take a last view at 360° to measure drift; it would weigh 0° twice.
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
            f"{where}: {len(bad):,} of {len(values):,} angles are not numbers, starting with view "
            f"{bad[0]}; correct the angles."
        )
    largest = float(np.abs(values).max())
    if largest > MAX_STATED:
        raise DataError(
            f"{where}: an angle is {largest:g}, expected at most {MAX_STATED:,.0f}; correct the "
            "angles."
        )


def _span(values: NDArray[np.float64]) -> float:
    return float(np.ptp(values))


def _in_degrees(values: NDArray[np.float64], unit: Unit) -> NDArray[np.float64]:
    return values if unit == "deg" else np.rad2deg(values)


def _too_small(degrees: NDArray[np.float64]) -> bool:
    """Return True if the span is too small for a scan, and 180 / π times it is at most one turn."""
    n = len(degrees)
    return n >= FEW_VIEWS and 0 < np.rad2deg(_span(degrees)) <= TURN_DEG * (1 + 1 / n)


def _too_large(degrees: NDArray[np.float64], unit: Unit) -> bool:
    """Return True if the span is many turns, and π / 180 times it is that of a common scan."""
    span = _span(degrees)
    if len(degrees) < 3 or span <= MANY_TURNS_DEG:
        return False
    step = span / (len(degrees) - 1)
    if _is_of_many_turns(step):
        return False
    less, by = np.deg2rad(span), np.deg2rad(step)
    ends = (less, less + by)  # some lists end with the angle after the last view
    if any(abs(end - turn) < NEAR_TURN * turn for end in ends for turn in (180.0, TURN_DEG)):
        return True
    # Degrees that are read as radians: a step of 0.3° becomes 17°.
    if unit == "rad" and step > LARGE_STEP_DEG:
        return True
    is_scan = less + by >= TURN_DEG / 4 and less <= TURN_DEG
    chosen = _is_round(by, FINE_STEP_DEG) or any(_is_round(end, ROUND_SPAN_DEG) for end in ends)
    return is_scan and chosen


def _is_of_many_turns(step_deg: float) -> bool:
    """Return True if this is a typical step of scans with many turns."""
    parts = (step_deg % turn / turn for turn in (TURN_DEG / 2, TURN_DEG))
    # Golden-angle scans step by 137.5° or 111.2°, so they span thousands of degrees.
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
    """Return an error with both explanations: the other unit, or a conversion applied twice."""
    degrees = _in_degrees(values, stated)
    other: Unit = "rad" if stated == "deg" else "deg"
    is_small = _too_small(degrees)
    message = (
        f"{where}: {len(values):,} angles from {values.min():.5g} to {values.max():.5g} span "
        f"{_span_text(degrees)} in {WORDS[stated]}, the stated or assumed unit."
    )
    if is_small == (stated == "deg"):
        likely = _span_text(_in_degrees(values, other))
        return DataError(
            f"{message} In {WORDS[other]} they span {likely}, as expected for a scan. {remedy}"
        )
    likely = _span_text(np.rad2deg(degrees) if is_small else np.deg2rad(degrees))
    return DataError(
        f"{message} A scan is expected to span {likely}. Correct the angles, which were probably "
        f"converted to {WORDS[stated]} twice."
    )


def _last_repeats_first(degrees: NDArray[np.float64]) -> bool:
    n = len(degrees)
    if n < 3:
        return False
    span = abs(degrees[-1] - degrees[0])
    step = _span(degrees) / (n - 1)
    return bool(abs(span - TURN_DEG) < 0.1 * step)


def _refuse_all_alike(degrees: NDArray[np.float64], where: str) -> None:
    # Differences modulo a turn: 0° and 360° are the same view.
    away = (degrees - degrees[0] + TURN_DEG / 2) % TURN_DEG - TURN_DEG / 2
    if len(degrees) > 1 and np.abs(away).max() <= SAME_DEG:
        raise DataError(
            f"{where}: all {len(degrees):,} views have the same angle ({degrees[0]:g}°); give each "
            "view its own angle."
        )


def _first_step_back(degrees: NDArray[np.float64]) -> int | None:
    """Return the first view after which the angles turn back, None if they have one direction."""
    if len(degrees) < 2:
        return None
    # Modulo a turn: from 359° to 0° is a step forward.
    steps = (np.diff(degrees) + TURN_DEG / 2) % TURN_DEG - TURN_DEG / 2
    if np.ptp(steps) < 1e-3 and abs(steps[0]) > 0:
        return None
    moving = steps[np.abs(steps) > SAME_DEG]
    # The median is 0 if as many steps go back as forward; then the first step decides.
    typical = float(np.median(moving)) or float(moving[0])
    back = np.flatnonzero(steps * np.sign(typical) < -0.5 * abs(typical))
    return int(back[0]) if len(back) else None


def _order_notes(degrees: NDArray[np.float64], backwards: int | None, where: str) -> list[str]:
    """Return notes about views out of order and views that repeat an angle."""
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
        first = float(ordered[np.flatnonzero(np.diff(ordered) <= SAME_DEG)[0]])
        view = int(np.flatnonzero(np.abs(degrees - first) <= SAME_DEG)[1])
        notes.append(
            f"{where}: some views repeat the angle of another view (number: {n_repeated:,}, first: "
            f"view {view} at {degrees[view]:.6g}°); these views share one weight."
        )
    return notes

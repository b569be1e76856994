"""Angles of views as files state them: their unit, their order, and the view measured twice.

Seen modulo a turn, the angles of a scan go one way. Small steps back (an encoder's jitter, less
than half a step) are kept.
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
FEW_VIEWS = 10
"""Below this number of views a span says little about its unit."""
TURN_DEG = 360.0
LARGE_STEP_RAD = 0.3
"""Steps larger than this over many turns are degrees taken for radians."""
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


def read_angles(values: NDArray[np.floating], unit: Unit | None, where: str) -> Angles:
    """Check the angles of a scan; refuse a wrong unit and a wrong order.

    Parameters
    ----------
    values
        (n,) as they stand in the file
    unit
        their unit, None where the file names none: it is then found from their span
    where
        file and field, for sentences
    """
    values = np.asarray(values, np.float64).reshape(-1)
    _refuse_not_finite(values, where)
    notes: list[str] = []
    if unit is None:
        unit = "rad" if _degrees_impossible(values) else "deg"
        notes.append(f"{where}: the angles have no unit; taken as {_words(values, unit)}.")
    elif unit == "deg" and _degrees_impossible(values):
        raise _wrong_unit(values, "deg", "rad", where)
    elif unit == "rad" and _radians_impossible(values):
        raise _wrong_unit(values, "rad", "deg", where)
    degrees = values if unit == "deg" else np.rad2deg(values)
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


def _span(values: NDArray[np.float64]) -> float:
    return float(np.ptp(values))


def _degrees_impossible(values: NDArray[np.float64]) -> bool:
    """Whether the span is that of a scan in radians: at most a turn, far too little in degrees."""
    n = len(values)
    return n >= FEW_VIEWS and 0 < _span(values) <= 2 * np.pi * (1 + 1 / n)


def _radians_impossible(values: NDArray[np.float64]) -> bool:
    """Whether many turns of large steps, or a span of 180 or 360, betray degrees."""
    span = _span(values)
    if len(values) < 3 or span <= 4 * np.pi:
        return False
    step = span / (len(values) - 1)
    whole = any(abs(span + k * step - turn) < 0.01 * turn for turn in (180, 360) for k in (0, 1))
    return step > LARGE_STEP_RAD or whole


def _words(values: NDArray[np.float64], unit: Unit) -> str:
    span = _span(values)
    if unit == "deg":
        return f"degrees, a span of {span:.4g}°"
    return f"radians, a span of {np.rad2deg(span):.4g}°"


def _wrong_unit(values: NDArray[np.float64], stated: Unit, likely: Unit, where: str) -> DataError:
    low, high = float(values.min()), float(values.max())
    return DataError(
        f"{where}: angles of {low:.5g} to {high:.5g} are {_words(values, stated)}, as the file "
        f"says, or {_words(values, likely)}, which a scan of {len(values):,} views has; "
        "correct the unit."
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

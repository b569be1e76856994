"""Angles of the views: from a list, or from the first and last views.

After a whole turn, the next view equals the first. After half a turn in a parallel beam, it is the
mirror image of the first. d is the root mean square difference of two views, `step` that of
neighbours. A difference much smaller than that of distant views means the same view. If an object
equals its own mirror image, the views after a quarter and half of the scan decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.core.arrays import Array
from engine.io.xray.angles import Unit

NEAR = 2.5
"""Largest difference of equal views, in steps,"""
FAR = 0.5
"""and relative to the difference in the other reading."""
AS_FAR = 0.8
"""Smallest difference of the middle view, relative to the view after a quarter of the scan."""
SHIFTS = 0.15
"""Largest offset of the axis from the centre, as a fraction of the columns."""
SAME = 1e-6
"""Largest deviation of even angles, as a fraction of a step."""


@dataclass(frozen=True)
class ViewAngles:
    """Angles as the table `angles` of a sidecar, with the reason.

    Attributes
    ----------
    table : entries of the sidecar
    text, why : description and reason for the user
    is_sure : True if it needs no confirmation
    degrees : (n_views,) angle of each view of a list [°]; None for even steps
    """

    table: dict[str, object]
    text: str
    why: str
    is_sure: bool = True
    degrees: Array | None = None

    def assumed(self) -> ViewAngles:
        """Return even steps marked as an assumption, which the scan then states."""
        return replace(
            self, table={**self.table, "assumed": True}, text=f"{self.text}, even steps assumed"
        )


def sampled(n_views: int) -> list[int]:
    """Return the views that `from_views` needs.

    Parameters
    ----------
    n_views
        number of views of the scan

    Returns
    -------
    sampled
        seven numbers: the first three, a quarter, half, and the last two
    """
    wanted = (0, 1, 2, round(n_views / 4), round(n_views / 2), n_views - 2, n_views - 1)
    return [min(max(view, 0), n_views - 1) for view in wanted]


def even(total_deg: float, n_views: int, *, with_end: bool, first: float = 0.0) -> ViewAngles:
    """Return even steps over a total angle.

    Parameters
    ----------
    total_deg
        total angle [°]
    n_views
        number of views
    with_end
        True if the last view is at the end, False if it is one step before
    first
        angle of the first view [°]
    """
    step = total_deg / max(n_views - with_end, 1)
    end = ", last view at the end" if with_end else ""
    text = f"{total_deg:g}° in steps of {step:.6g}°{end}"
    return ViewAngles({"first": first, "step": step}, text, "")


def as_table(values: Array) -> dict[str, object]:
    """Return angles as a first angle and a step if they are even, otherwise as a list.

    Parameters
    ----------
    values
        (n,) angles in one unit
    """
    # Over the whole range, so that rounding in the file does not add up.
    first, n = float(values[0]), len(values)
    step = float(values[-1] - values[0]) / max(n - 1, 1)
    if np.allclose(values, first + step * np.arange(n), rtol=0, atol=SAME * abs(step)):
        return {"first": first, "step": step}
    return {"values": [float(value) for value in values]}


def of_list(
    values: Array, n_views: int, n_flats: int, n_darks: int, *, stated: Unit | None = None
) -> ViewAngles | None:
    """Return the angles of a list with a suitable length.

    If the list also has entries for flats and darks, the table states which to leave out.

    Parameters
    ----------
    values
        (n,), (n, 1) or (1, n)
    n_views, n_flats, n_darks
        number of images of the scan by role
    stated
        unit of the list; found from its range if None

    Returns
    -------
    angles
        None if the list does not have one number for each view, or all numbers are equal
    """
    if values.size != max(values.shape, default=0):
        return None
    values = values.reshape(-1)
    # Columns with gaps are read as NaN, and are not angles.
    if not np.isfinite(values).all() or len(values) < n_views or n_views < 2:
        return None
    parts = _left_out(values, n_views, n_flats, n_darks) if len(values) > n_views else []
    if parts is None:
        return None
    is_used = np.ones(len(values), bool)
    for start, end in parts:
        is_used[start : end + 1] = False
    views = values[is_used]
    span = float(np.ptp(views))
    if not span:
        return None
    unit = stated or _unit_of(span)
    table: dict[str, object] = {"unit": unit} if unit == "rad" else {}
    why = f"it contains {len(values):,} numbers, one per view"
    if parts:
        table["leave_out"] = [list(part) for part in parts]
        why = f"it contains {len(values):,} numbers, including flats and darks"
    degrees = np.asarray(np.rad2deg(views) if unit == "rad" else views, np.float64)
    return ViewAngles(table, f"a list over {np.ptp(degrees):.5g}°", why, degrees=degrees)


def _unit_of(span: float) -> Unit:
    """Return the unit of a list that states none.

    Radians if the range is between 150° and about two turns when read as radians.
    """
    return "rad" if np.rad2deg(span) > 150 and span < 4.1 * np.pi else "deg"


def _left_out(
    values: Array, n_views: int, n_flats: int, n_darks: int
) -> list[tuple[int, int]] | None:
    """Return the parts of a list to leave out, as first and last number.

    The remaining steps are the most even ones.
    """
    extra = len(values) - n_views
    # Only lengths that the numbers of flats and darks explain; anything else is another list.
    if extra not in {n for n in (n_flats, n_darks, n_flats + n_darks) if n}:
        return None
    tried = {}
    for front in {0, extra, extra // 2, n_flats, n_darks, extra - n_flats, extra - n_darks}:
        if 0 <= front <= extra:
            views = values[front : front + n_views]
            steps = np.diff(views)
            # Equal angles have perfectly even steps, so they get a penalty.
            tried[front] = float(np.abs(steps - np.median(steps)).mean() + (np.ptp(views) == 0))
    front = min(tried, key=lambda each: tried[each])
    parts = [(0, front - 1), (front + n_views, len(values) - 1)]
    return [(start, end) for start, end in parts if end >= start]


def from_views(views: Array, n_views: int, *, parallel: bool) -> ViewAngles:
    """Return a whole or half a turn from the similarity of the first and last views.

    Parameters
    ----------
    views
        (7, columns) views of `sampled`, 0 in air
    n_views
        number of views of the scan
    parallel
        True if the last view of half a turn is a mirror image
    """
    first, last = views[0], views[-1]
    # Pairs of neighbours at both ends; the median ignores one jump of the stage.
    pairs = ((0, 1), (1, 2), (5, 6))
    step = float(np.median([_differ(views[i], views[k]) for i, k in pairs]))
    same, mirrored = _differ(first, last), _mirrored(first, last)
    is_whole = same < NEAR * step and same < FAR * mirrored
    is_half = mirrored < NEAR * step and mirrored < FAR * same
    # An object that equals its mirror image: the view half way decides.
    if max(same, mirrored) < NEAR * step:
        quarter, half = (_mirrored(first, views[k]) for k in (3, 4))
        is_whole, is_half = half < FAR * quarter, half > AS_FAR * quarter
    if is_whole:
        # Less than half a step from the first view: the last view repeats it.
        with_end = same < 0.5 * step or _is_round(n_views - 1)
        turn = even(360.0, n_views, with_end=with_end)
        return ViewAngles(turn.table, turn.text, "the last view is next to the first")
    if is_half:
        with_end = mirrored < 0.5 * step or _is_round(n_views - 1)
        turn = even(180.0, n_views, with_end=with_end)
        return ViewAngles(turn.table, turn.text, "the last view is the mirror image of the first")
    turn = even(180.0 if parallel else 360.0, n_views, with_end=_is_round(n_views - 1))
    return ViewAngles(turn.table, turn.text, "first and last views do not show it", is_sure=False)


def _is_round(n: int) -> bool:
    """Return True for a number of steps that people choose: 180, 360, 720, 1000, ..."""
    return n > 0 and (n % 90 == 0 or n % 100 == 0)


def _differ(one: Array, other: Array) -> float:
    return float(np.sqrt(np.mean(np.square(one - other))))


def _mirrored(one: Array, other: Array) -> float:
    """Return the smallest difference of a view from the shifted mirror image of another."""
    n = len(one)
    # The axis is seldom exactly in the middle of the detector, hence the shifts.
    turned, reach = other[::-1], max(int(SHIFTS * n), 1)
    least = np.inf
    for shift in range(-reach, reach + 1):
        a, b = (one[shift:], turned[: n - shift]) if shift >= 0 else (one[:shift], turned[-shift:])
        least = min(least, _differ(a, b))
    return least

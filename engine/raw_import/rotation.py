"""Angles of the views: from a list, or from the first and last views.

After a whole turn the view after the last one is the first. After half a turn, in parallel beams,
it is the mirror image of the first. d is the root mean square of what two views differ by, `step`
that of neighbours: whatever is much less than views far apart differ by is the same view again.
An object that is its own mirror image tells by the views a quarter and half way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.core.arrays import Array
from engine.io.xray.angles import Unit

NEAR = 2.5
"""The same view again differs by at most so many steps,"""
FAR = 0.5
"""and by at most this part of what the other reading differs by."""
AS_FAR = 0.8
"""Part of what the view a quarter of the way differs by that one far away differs by at least."""
SHIFTS = 0.15
"""Largest offset of the axis from the centre, as a fraction of the columns."""
SAME = 1e-6
"""Part of a step by which even angles may differ."""


@dataclass(frozen=True)
class ViewAngles:
    """Angles as the table `angles` of a sidecar, with the reason.

    Attributes
    ----------
    table : keys of the sidecar
    text, why : for people
    is_sure : whether it need not be asked about
    degrees : (n_views,) angle of each view of a list [°]; None of even steps
    """

    table: dict[str, object]
    text: str
    why: str
    is_sure: bool = True
    degrees: Array | None = None

    def assumed(self) -> ViewAngles:
        """Return even steps as an assumption, which the scan then states."""
        return replace(
            self, table={**self.table, "assumed": True}, text=f"{self.text}, even steps assumed"
        )


def sampled(n_views: int) -> list[int]:
    """Return the views that `from_views` looks at."""
    wanted = (0, 1, 2, round(n_views / 4), round(n_views / 2), n_views - 2, n_views - 1)
    return [min(max(view, 0), n_views - 1) for view in wanted]


def even(total_deg: float, n_views: int, *, with_end: bool, first: float = 0.0) -> ViewAngles:
    """Return even steps over so many degrees; with the last view at their end, or before it."""
    step = total_deg / max(n_views - with_end, 1)
    end = ", last view at the end" if with_end else ""
    text = f"{total_deg:g}° in steps of {step:.6g}°{end}"
    return ViewAngles({"first": first, "step": step}, text, "")


def as_table(values: Array) -> dict[str, object]:
    """Return angles as the first and a step where they are even, else as a list."""
    first, n = float(values[0]), len(values)
    step = float(values[-1] - values[0]) / max(n - 1, 1)
    if np.allclose(values, first + step * np.arange(n), rtol=0, atol=SAME * abs(step)):
        return {"first": first, "step": step}
    return {"values": [float(value) for value in values]}


def of_list(
    values: Array, n_views: int, n_flats: int, n_darks: int, *, stated: Unit | None = None
) -> ViewAngles | None:
    """Return the angles of a list of the right length; where it is longer, which to leave out.

    Parameters
    ----------
    values
        (n,), (n, 1) or (1, n)
    n_views, n_flats, n_darks
        images of the scan
    stated
        unit of the list; found from its span if None
    """
    if values.size != max(values.shape, default=0):
        return None
    values = values.reshape(-1)
    if not np.isfinite(values).all() or len(values) < n_views or n_views < 2:
        return None
    parts = _left_out(values, n_views, n_flats, n_darks) if len(values) > n_views else []
    if parts is None:
        return None
    kept = np.ones(len(values), bool)
    for start, end in parts:
        kept[start : end + 1] = False
    views = values[kept]
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
    """Return the unit of a list that states none: radians of half a turn to two turns, or more."""
    return "rad" if np.rad2deg(span) > 150 and span < 4.1 * np.pi else "deg"


def _left_out(
    values: Array, n_views: int, n_flats: int, n_darks: int
) -> list[tuple[int, int]] | None:
    """Return the parts of a list that leave the most even steps, as first and last number."""
    extra = len(values) - n_views
    if extra not in {n for n in (n_flats, n_darks, n_flats + n_darks) if n}:
        return None
    tried = {}
    for front in {0, extra, extra // 2, n_flats, n_darks, extra - n_flats, extra - n_darks}:
        if 0 <= front <= extra:
            views = values[front : front + n_views]
            steps = np.diff(views)
            tried[front] = float(np.abs(steps - np.median(steps)).mean() + (np.ptp(views) == 0))
    front = min(tried, key=lambda each: tried[each])
    parts = [(0, front - 1), (front + n_views, len(values) - 1)]
    return [(start, end) for start, end in parts if end >= start]


def from_views(views: Array, n_views: int, *, parallel: bool) -> ViewAngles:
    """Return a whole or half a turn from how the first views are like the last.

    Parameters
    ----------
    views
        (7, columns): those of `sampled`, 0 where there is air
    n_views
        of the scan
    parallel
        whether half a turn ends with a mirror image
    """
    first, last = views[0], views[-1]
    pairs = ((0, 1), (1, 2), (5, 6))
    step = float(np.median([_differ(views[i], views[k]) for i, k in pairs]))
    same, mirrored = _differ(first, last), _mirrored(first, last)
    is_whole = same < NEAR * step and same < FAR * mirrored
    is_half = mirrored < NEAR * step and mirrored < FAR * same
    if max(same, mirrored) < NEAR * step:  # an object like its mirror image: half way round tells
        quarter, half = (_mirrored(first, views[k]) for k in (3, 4))
        is_whole, is_half = half < FAR * quarter, half > AS_FAR * quarter
    if is_whole:
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
    """Return True if so many steps are what people choose: 180, 360, 720, 1000, ..."""
    return n > 0 and (n % 90 == 0 or n % 100 == 0)


def _differ(one: Array, other: Array) -> float:
    return float(np.sqrt(np.mean(np.square(one - other))))


def _mirrored(one: Array, other: Array) -> float:
    """Least difference of a view from the mirror image of another, moved by some columns."""
    n = len(one)
    turned, reach = other[::-1], max(int(SHIFTS * n), 1)
    least = np.inf
    for shift in range(-reach, reach + 1):
        a, b = (one[shift:], turned[: n - shift]) if shift >= 0 else (one[:shift], turned[-shift:])
        least = min(least, _differ(a, b))
    return least

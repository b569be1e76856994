"""Angles of the views: from a list, from numbers in names, or from the first and last views.

After a whole turn the view after the last one is the first. After half a turn, in parallel beams,
it is the mirror image of the first. d is the root mean square of what two views differ by, `step`
that of neighbours: whatever is much less than views far apart differ by is the same view again.
An object that is its own mirror image tells by the views a quarter and half way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.arrays import Array
from engine.errors import EngineError, SettingsError
from engine.importing.answers import AUTO
from engine.io.open_input import open_input
from engine.io.xray.sidecar_angles import listed_angles

NEAR = 2.5
"""The same view again differs by at most so many steps,"""
FAR = 0.5
"""and by at most this part of what the other reading differs by."""
AS_FAR = 0.8
"""Part of what the view a quarter of the way differs by that one far away differs by at least."""
SHIFTS = 0.15
"""How far the axis may be from the middle, as part of the columns."""
EVEN = 0.02
"""Part of the typical step by which steps of angles in names may differ."""
SAME = 1e-6
"""Part of a step by which even angles may differ."""
NUMBER = re.compile(r"[-+]?\d+(?:[.,p]\d+)?")
DECIMAL = re.compile(r"\d[.,p]\d")
WORD = re.compile(r"ang|deg|theta|rot|phi", re.IGNORECASE)


@dataclass(frozen=True)
class ViewAngles:
    """What the angles are, as the table `angles` of a sidecar, and why.

    Attributes
    ----------
    table : keys of the sidecar
    text, why : for people
    is_sure : whether it need not be asked about
    """

    table: dict[str, object]
    text: str
    why: str
    is_sure: bool = True


def sampled(n_views: int) -> list[int]:
    """Return the views that `from_views` looks at."""
    wanted = (0, 1, 2, round(n_views / 4), round(n_views / 2), n_views - 2, n_views - 1)
    return [min(max(view, 0), n_views - 1) for view in wanted]


def even(total_deg: float, n_views: int, *, with_end: bool, first: float = 0.0) -> ViewAngles:
    """Return even steps over so many degrees; with the last view at their end, or before it."""
    step = total_deg / max(n_views - with_end, 1)
    end = ", the last view at the end of it" if with_end else ""
    text = f"{total_deg:g}° in steps of {step:.6g}°{end}"
    return ViewAngles({"first": first, "step": step}, text, "")


def as_table(values: Array) -> dict[str, object]:
    """Return angles as the first and a step where they are even, else as a list."""
    first, n = float(values[0]), len(values)
    step = float(values[-1] - values[0]) / max(n - 1, 1)
    if np.allclose(values, first + step * np.arange(n), rtol=0, atol=SAME * abs(step)):
        return {"first": first, "step": step}
    return {"values": [float(value) for value in values]}


def in_files(
    texts: Sequence[Path], folder: Path, n_views: int, n_flats: int, n_darks: int
) -> ViewAngles | None:
    """Return the angles of a text with one for each view, or for each image of all kinds."""
    for path in texts:
        try:
            with open_input(path) as file:
                values = listed_angles(file)
        except EngineError:
            continue
        name = path.relative_to(folder).as_posix()
        found = of_list(values, n_views, n_flats, n_darks)
        if found is not None:
            table: dict[str, object] = {"file": name, **found.table}
            return ViewAngles(table, f"{name}: {found.text}", found.why)
    return None


def of_list(values: Array, n_views: int, n_flats: int, n_darks: int) -> ViewAngles | None:
    """Return the angles of a list of the right length; where it is longer, which to leave out."""
    if values.ndim != 1 or not np.isfinite(values).all() or len(values) < n_views or n_views < 2:
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
    unit = "rad" if span < 4.1 * np.pi and np.rad2deg(span) > 150 and span < 15 else "deg"
    table: dict[str, object] = {"unit": unit} if unit == "rad" else {}
    why = f"it holds {len(values):,} numbers, one for each view"
    if parts:
        table["leave_out"] = [list(part) for part in parts]
        why = f"it holds {len(values):,} numbers, those of flats and darks too"
    degrees = np.rad2deg(span) if unit == "rad" else span
    return ViewAngles(table, f"a list over {degrees:.5g}°", why)


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


def in_names(files: Sequence[Path]) -> ViewAngles | None:
    """Return angles that stand in the names of the files: even, and no plain counter."""
    if len(files) < 4:
        return None
    spans = [list(NUMBER.finditer(path.stem)) for path in files]
    if len({len(each) for each in spans}) != 1:
        return None
    for k in range(len(spans[0])):
        texts = [each[k].group() for each in spans]
        before = files[0].stem[: spans[0][k].start()][-6:]
        after = files[0].stem[spans[0][k].end() :][:4]
        is_named = WORD.search(before) or after.lower().startswith("deg")
        if not is_named and not any(DECIMAL.search(text) for text in texts):
            continue
        values = np.array([float(text.replace(",", ".").replace("p", ".")) for text in texts])
        steps = np.diff(values)
        typical = float(np.median(steps))
        if typical and np.abs(steps - typical).max() <= EVEN * abs(typical) + 0.011:
            text = f"from {values[0]:g}° to {values[-1]:g}°, as the names of the files say"
            return ViewAngles(as_table(values), text, f"as in {files[-1].name}")
    return None


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
    return ViewAngles(turn.table, turn.text, "first and last views do not tell", is_sure=False)


def _is_round(n: int) -> bool:
    """Whether so many steps are what people choose: 180, 360, 720, 1000, ..."""
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


def as_said(said: str, n_views: int, folder: Path, n_flats: int, n_darks: int) -> ViewAngles:
    """Return the angles that an answer says: degrees in all, FIRST:STEP, or a text file."""
    first, colon, step = said.partition(":")
    try:
        if colon:
            start, by = float(first), float(step)
            text = f"from {start:g}° in steps of {by:g}°"
            return ViewAngles({"first": start, "step": by}, text, "")
        with_end = said in AUTO and n_views > 1 and (n_views - 1) % 90 == 0
        return even(float(said), n_views, with_end=with_end)
    except ValueError:
        pass
    path = next((each for each in (folder / said, Path(said)) if each.is_file()), None)
    try:
        if path is None:
            raise SettingsError(
                f"--angles {said!r}: want degrees in all (360), FIRST:STEP (0:0.5), or a text file "
                "of one angle a line."
            )
        with open_input(path) as file:
            values = listed_angles(file)
        turn = of_list(values, n_views, n_flats, n_darks)
        name = path.absolute().relative_to(folder).as_posix()
    except (EngineError, ValueError) as e:
        raise SettingsError(str(e)) from e
    if turn is None:
        raise SettingsError(
            f"{name}: {len(values):,} angles, the scan has {n_views:,} views, {n_flats:,} flats "
            f"and {n_darks:,} darks; correct the list."
        )
    return ViewAngles({"file": name, **turn.table}, f"{name}: {turn.text}", "")

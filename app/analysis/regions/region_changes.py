"""Changes of regions from the first displayed volume to the second, with their verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.language.translation import tr
from app.views.fusion.fusion_text import compares_regions, measures_both, pair_names
from app.views.state import ViewState
from app.views.text import as_exact_as, with_error
from engine.analysis.regions import (
    Difference,
    MeasuredRegion,
    compared,
    difference_between,
    difference_within,
)

PERCENT = 100.0
SIGNIFICANT = "*"
"""Marks a significant change in the table of regions."""
MAX_CHANGES = 3
"""Sentences about differences that fit below the table."""


def change_of(
    first: MeasuredRegion, second: MeasuredRegion, *, is_paired: bool
) -> Difference | None:
    """Return the mean in the second volume minus that in the first; None without errors.

    Parameters
    ----------
    first, second
        one region in both volumes
    is_paired
        True if both volumes are from one scan with the same replicates
    """
    if first.region != second.region or first.figures is None or second.figures is None:
        return None
    if first.errors is None or second.errors is None:
        return None
    difference = difference_within if is_paired else difference_between
    return difference(second.figures, first.figures, (second.errors, first.errors))


def seconds_of(second: Sequence[MeasuredRegion], view: ViewState) -> dict[str, MeasuredRegion]:
    """Return the regions in the second volume by name, also without error maps.

    Parameters
    ----------
    second
        regions measured in a second volume, which may no longer be displayed
    view
        display settings of both volumes
    """
    if not measures_both(view):
        return {}
    return {each.region.name: each for each in second if each.image == view.fusion.name}


def second_of(second: Sequence[MeasuredRegion], view: ViewState) -> dict[str, MeasuredRegion]:
    """Return the regions in the second volume by name; empty if they cannot be compared now.

    Parameters
    ----------
    second
        regions measured in a second volume, which may no longer be displayed
    view
        display settings of both volumes
    """
    return seconds_of(second, view) if compares_regions(view) else {}


def changes_of(
    measured: Mapping[str, MeasuredRegion], second: Sequence[MeasuredRegion], view: ViewState
) -> dict[str, Difference]:
    """Return the change of each region by name; empty without a comparison.

    Parameters
    ----------
    measured
        regions in the first volume by name
    second
        regions in the second volume
    view
        display settings of both volumes
    """
    found = dict[str, Difference]()
    for name, there in second_of(second, view).items():
        here = measured.get(name)
        if here is None:
            continue
        change = change_of(here, there, is_paired=bool(view.fusion.same_scan))
        if change is not None:
            found[name] = change
    return found


def change_text(change: Difference, view: ViewState) -> str:
    """Return a change for the table of regions, such as "−4.5 ± 0.6 *".

    Parameters
    ----------
    change
        the change
    view
        display settings, for the unit
    """
    shown = with_error(view.to_shown(change.value), view.to_shown(change.error.sd), 1)
    return f"{shown} {SIGNIFICANT}" if change.is_significant else shown


def change_sentence(change: Difference, before: float, view: ViewState) -> str:
    """Return a change with its direction, interval and significance in one sentence.

    Parameters
    ----------
    change
        the change
    before
        mean in the first volume, in its unit
    view
        display settings of both volumes
    """
    lower, upper = pair_names(view)
    share = ""
    if before > 0:
        part, error = (PERCENT * each / before for each in (change.value, change.error.sd))
        share = f" ({as_exact_as(part, error, 1)} %)"
    return _sentence(change, upper, lower, share, view)


def pairs_of(
    measured: Mapping[str, MeasuredRegion], chosen: Sequence[str], view: ViewState
) -> list[str]:
    """Return the differences of the selected regions from others in the same image, in sentences.

    A difference is that of the selected region minus the other one, as in the figures below.

    Parameters
    ----------
    measured
        regions of one image by name
    chosen
        names of the selected regions; several are compared with each other only
    view
        display settings
    """
    # The selected ones first, because only the first regions are compared.
    ordered = sorted(measured.values(), key=lambda each: each.region.name not in chosen)
    found = [
        pair
        for pair in compared(ordered)
        if (pair.one in chosen) + (pair.other in chosen) >= min(len(chosen), 2) > 0
    ]
    return [
        _sentence(pair.difference, pair.one, pair.other, "", view) for pair in found[:MAX_CHANGES]
    ]


def _sentence(change: Difference, upper: str, lower: str, share: str, view: ViewState) -> str:
    """Return a difference with its interval and significance in one sentence."""
    sd, half = view.to_shown(change.error.sd), view.to_shown(change.error.half_width)
    value = view.to_shown(change.value)
    shown = f"{with_error(value, sd, 1)} {view.shown_unit}".rstrip() + share
    low, high = (as_exact_as(end, sd, 1) for end in (value - half, value + half))
    if change.is_significant:
        return tr(
            "{second} − {first}: {change}, 95 %: {low} to {high}, significant",
            second=upper,
            first=lower,
            change=shown,
            low=low,
            high=high,
        )
    return tr(
        "{second} − {first}: {change}, 95 %: {low} to {high}, not significant",
        second=upper,
        first=lower,
        change=shown,
        low=low,
        high=high,
    )


def legend_of(measured: Mapping[str, MeasuredRegion], view: ViewState, *, has_changes: bool) -> str:
    """Return the meaning of the means, of ± and of the mark in the table; empty without errors.

    Parameters
    ----------
    measured
        regions in the first volume by name
    view
        display settings of both volumes
    has_changes
        True if the table has changes
    """
    n = next((each.errors.n for each in measured.values() if each.errors is not None), 0)
    if not n:
        return ""
    words = tr("± 1 standard deviation of the noise, from {n} replicates", n=n)
    if not has_changes:
        return words
    mark = tr("{mark} significant (95 %, each region)", mark=SIGNIFICANT)
    return f"{words}; {mark}"

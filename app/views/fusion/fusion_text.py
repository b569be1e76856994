"""Captions and cursor values for two volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.language.translation import tr
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion import comparing
from app.views.fusion.resampling import index_at
from app.views.planes.placing import VolumePlacing
from app.views.slices.labels import shortened, shortened_name
from app.views.text import sentence
from app.views.volume_facts import MIN_SHARE, min_value
from engine.geometry import Point
from engine.results import VISIBLE, difference_parts

if TYPE_CHECKING:
    from app.views.state import ViewState

NAME_LENGTH = 20
"""Largest number of characters of a name in the status line."""
SIGNS = {"difference": "−", "compare": "−", "ratio": "/", "significance": "−"}


def caption_parts(state: ViewState, part: str) -> tuple[str, ...]:
    """Return the parts of a pane's caption for two volumes.

    Parameters
    ----------
    state
        display settings of both volumes
    part
        "both", or "upper" or "difference" for panes next to that of the first volume

    Returns
    -------
    empty without a second volume
    """
    fusion = state.fusion
    if not fusion.has_values:
        return ()
    lower, upper = named(state), named(fusion)
    # An opaque error hides the image, so the caption names only the error.
    if fusion.is_error and fusion.mode == "blend" and fusion.opacity == 1:
        return (upper,)
    if part == "difference":
        return _comparison_caption(state)
    if fusion.is_side_by_side:
        return (upper,) if part == "upper" else (lower,)
    if fusion.blinks:
        return (upper,) if fusion.blinks_up else (lower,)
    if fusion.compares:
        # Without a comparison the views show the first volume, and the warning says why.
        return (lower,) if fusion.obstacle(fusion.mode) else _comparison_caption(state)
    share = f" {100 * fusion.opacity:.0f} %" if fusion.mode == "blend" else ""
    # The caption lists the volumes in the order in which they are painted.
    below, above = (upper, lower) if fusion.is_below else (lower, upper)
    return below, f"+ {above}{share}"


def _comparison_caption(state: ViewState) -> tuple[str, ...]:
    fusion = state.fusion
    lower, upper = pair_names(state)
    # The note at the lower edge states the unit of a significance.
    states_unit = fusion.compared.unit and fusion.mode != "significance"
    unit = f" [{fusion.compared.shown_unit}]" if states_unit else ""
    return (f"{upper} {SIGNS[fusion.mode]} {lower}{unit}",)


def pair_names(state: ViewState, max_length: int = VISIBLE) -> tuple[str, str]:
    """Return short names of the first and the second volume, which always differ.

    Parameters
    ----------
    state
        display settings of both volumes
    max_length
        largest number of characters of a name
    """
    # Names of two images of one scan share most words; only the differences are shown.
    lower, upper = difference_parts(state.name, state.fusion.name)
    if lower == upper:
        # Files of two folders can have one name.
        lower, upper = f"{lower} (1)", f"{upper} (2)"
    if max_length < VISIBLE:
        return shortened(lower, max_length), shortened(upper, max_length)
    return shortened_name(lower), shortened_name(upper)


def warning_of(state: ViewState) -> str:
    """Return the warning about both volumes, and why they cannot be compared.

    Parameters
    ----------
    state
        display settings of both volumes
    """
    fusion = state.fusion
    if not fusion.has_values:
        return ""
    return " ".join(filter(None, (fusion.warning, fusion.obstacle(fusion.mode))))


def note_of(state: ViewState, part: str = "both") -> str:
    """Return a note about the limits of an error or a significance; empty for other volumes.

    Parameters
    ----------
    state
        display settings of both volumes
    part
        part of the view, as for `caption_parts`
    """
    fusion = state.fusion
    if not fusion.has_values or state.volume is None:
        return ""
    if fusion.is_error and fusion.unit == "%":
        least = state.shown_text(min_value(state.volume), 2)
        return tr(
            "hidden: < {percent:.0f} % of window ({least})",
            percent=100 * MIN_SHARE,
            least=least,
        )
    if fusion.mode == "significance" and fusion.limit is not None:
        return tr("difference / its error, limit ±{limit:.1f} (95 %)", limit=fusion.limit)
    is_difference = fusion.mode == "difference" or part == "difference"
    if is_difference and not fusion.obstacle(fusion.mode):
        return _direction(state)
    return ""


def _direction(state: ViewState) -> str:
    """Return the meaning of the sign of a difference."""
    higher = pair_names(state)[1]
    if state.fusion.compared.colour_map == "difference":
        return tr("red: higher in {name}", name=higher)
    return tr("above 0: higher in {name}", name=higher)


def explanation_of(state: ViewState) -> str:
    """Return the sentences that explain a comparison; empty without one.

    Parameters
    ----------
    state
        display settings of both volumes
    """
    fusion = state.fusion
    if not fusion.shows_comparison or fusion.mode == "ratio" or fusion.obstacle(fusion.mode):
        return ""
    direction = f"{sentence(_direction(state))}."
    if fusion.mode != "significance" or fusion.limit is None:
        return direction
    chance = tr("About 5 % of unchanged voxels exceed ±{limit:.1f} by chance.", limit=fusion.limit)
    return f"{direction} {chance}"


def measures_both(state: ViewState) -> bool:
    """Return True if regions have a mean in both volumes: two images of one unit, not moved.

    Parameters
    ----------
    state
        display settings of both volumes
    """
    return _has_two_images(state) and state.fusion.placing == VolumePlacing()


def compares_regions(state: ViewState) -> bool:
    """Return True if means of regions of the two volumes can be compared with their errors.

    Parameters
    ----------
    state
        display settings of both volumes
    """
    return asks_for_comparison(state) and not region_obstacle(state)


def asks_for_comparison(state: ViewState) -> bool:
    """Return True if two images of one unit are displayed that both have an error map.

    Parameters
    ----------
    state
        display settings of both volumes
    """
    if not _has_two_images(state):
        return False
    images = (state.volume, state.fusion.volume)
    return all(each is not None and each.error is not None for each in images)


def _has_two_images(state: ViewState) -> bool:
    """Return True if two images of one unit are displayed, and no error map."""
    fusion = state.fusion
    if state.volume is None or fusion.volume is None or fusion.is_error:
        return False
    return state.unit == fusion.unit


def region_obstacle(state: ViewState) -> str:
    """Return the reason why regions of the two volumes cannot be compared.

    Parameters
    ----------
    state
        display settings of both volumes, which both have an error map

    Returns
    -------
    a sentence; empty if they can be compared
    """
    fusion = state.fusion
    if state.volume is None or fusion.volume is None:
        return ""
    if fusion.placing != VolumePlacing():
        return tr("The second volume is rotated or moved, so regions are not compared in it.")
    return comparing.noise_obstacle(state.volume, fusion.volume, fusion.same_scan)


def named(appearance: VolumeAppearance) -> str:
    """Return the name of a volume with its unit.

    Parameters
    ----------
    appearance
        display settings of the volume
    """
    return f"{shortened_name(appearance.name)} [{appearance.shown_unit or tr('no unit')}]"


def upper_value(state: ViewState, point_mm: Point | None = None) -> str:
    """Return the value of the upper volume at a point.

    Parameters
    ----------
    state
        display settings of both volumes
    point_mm
        point (x, y, z); None for the cursor

    Returns
    -------
    text with unit; empty without a second volume
    """
    fusion = state.fusion
    # The first volume states its own error, in its unit.
    if fusion.volume is None or (fusion.is_error and fusion.unit == state.unit):
        return ""
    index = index_at(fusion.volume, fusion.placing, point_mm or state.cursor_mm)
    if fusion.is_error and index is not None and np.isnan(fusion.volume.values[index]):
        return ""
    # A statement is clearer than an empty field: the cursor is inside the first volume.
    if index is None:
        return tr("outside the second volume")
    if fusion.is_error and fusion.unit == "%":
        # The error is uncertain itself, so more digits have no meaning.
        return fusion.shown_text(float(fusion.volume.values[index]), 2)
    return fusion.text_of(index)


def values_text(state: ViewState, point_mm: Point | None = None) -> str:
    """Return the values of the displayed volumes at a point, with their names if there are two.

    Parameters
    ----------
    state
        display settings of both volumes
    point_mm
        point (x, y, z); None for the cursor

    Returns
    -------
    text with units; empty without a volume
    """
    at, fusion = point_mm or state.cursor_mm, state.fusion
    text, other = state.text_at(at), upper_value(state, at)
    if not text or not other:
        return text
    if fusion.is_error:
        return f"{text} | {shortened(fusion.name, NAME_LENGTH)}: {other}"
    lower, upper = pair_names(state, NAME_LENGTH)
    return f"{lower}: {text} | {upper}: {other}"

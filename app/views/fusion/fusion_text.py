"""Captions and cursor values for two volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.language.translation import tr
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion import comparing
from app.views.fusion.resampling import index_at
from app.views.slices.labels import shortened_name
from engine.results import difference_parts

if TYPE_CHECKING:
    from app.views.state import ViewState

SIGNS = {"difference": "−", "ratio": "/"}


def caption_parts(state: ViewState, part: str) -> tuple[str, ...]:
    """Return the parts of a pane's caption for two volumes.

    Parameters
    ----------
    state
        display settings of both volumes
    part
        "both", or "lower" or "upper" for panes side by side

    Returns
    -------
    empty without a second volume
    """
    fusion = state.fusion
    if not fusion.has_values:
        return ()
    lower, upper = named(state), named(fusion)
    if fusion.is_side_by_side:
        return (upper,) if part == "upper" else (lower,)
    if fusion.compares:
        return _compared(state)
    share = f" {100 * fusion.opacity:.0f} %" if fusion.mode == "blend" else ""
    # The caption lists the volumes in the order in which they are painted.
    below, above = (upper, lower) if fusion.is_below else (lower, upper)
    return below, f"+ {above}{share}"


def _compared(state: ViewState) -> tuple[str, ...]:
    fusion = state.fusion
    # Names of two images of one scan share most words; only the differences are shown.
    lower, upper = difference_parts(state.name, fusion.name)
    unit = f" [{fusion.compared.unit}]" if fusion.compared.unit else ""
    names = (shortened_name(lower), SIGNS[fusion.mode], f"{shortened_name(upper)}{unit}")
    return (" ".join(names),)


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
    why = comparing.obstacle(fusion.mode, state.unit, fusion.unit)
    return " ".join(filter(None, (fusion.warning, why)))


def named(appearance: VolumeAppearance) -> str:
    """Return the name of a volume with its unit.

    Parameters
    ----------
    appearance
        display settings of the volume
    """
    return f"{shortened_name(appearance.name)} [{appearance.shown_unit or tr('no unit')}]"


def upper_value(state: ViewState) -> str:
    """Return the value of the upper volume at the cursor.

    Parameters
    ----------
    state
        display settings of both volumes

    Returns
    -------
    text with unit; empty without a second volume
    """
    fusion = state.fusion
    if fusion.volume is None:
        return ""
    index = index_at(fusion.volume, fusion.placing, state.cursor_mm)
    # A statement is clearer than an empty field: the cursor is inside the first volume.
    return tr("outside the second volume") if index is None else fusion.text_of(index)

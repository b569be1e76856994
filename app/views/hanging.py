"""Hanging protocols: the kind of the displayed data, and the layout that suits it."""

from __future__ import annotations

from typing import Literal

from app.views.layout import ViewLayout
from app.views.state import ViewState
from app.views.volume_kind import is_anatomical

HangingKind = Literal["activity", "fused", "anatomy", "panels", "frames"]
HANGINGS: dict[HangingKind, ViewLayout] = {
    "activity": ViewLayout(),
    "fused": ViewLayout("main", "axial"),
    "anatomy": ViewLayout("main", "axial"),
    "panels": ViewLayout(),
    "frames": ViewLayout(),
}
"""First layout of each kind.

A projection shows all of a PET at once, and little of a CT. Panels resolve poorly along one axis,
so the four views show the sharp slice large (`OrthoView`).
"""


def kind_of(state: ViewState, *, has_frames: bool) -> HangingKind | None:
    """Return the kind of the displayed data; None without a volume.

    Parameters
    ----------
    state
        display settings of the volumes
    has_frames
        True if the volume is one of several time frames
    """
    volume, fusion = state.volume, state.fusion
    if volume is None:
        return None
    if fusion.volume is not None and not fusion.is_error:
        are_anatomical = is_anatomical(volume), is_anatomical(fusion.volume)
        if are_anatomical[0] != are_anatomical[1]:
            return "fused"
    if state.blurred_axis is not None:
        return "panels"
    if is_anatomical(volume):
        return "anatomy"
    return "frames" if has_frames else "activity"

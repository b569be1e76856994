"""Choose the colours, windows and mode in which two volumes are shown together.

Volumes with one unit are compared, so both have one colour map and one window. PET over CT or MR
is hot metal over grey. The choices are made once for each pair; the user may change them.
"""

from __future__ import annotations

from app.views.colour import windows
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion import comparing
from app.views.fusion.fusion_state import OVERLAY_MAPS
from app.views.state import ViewState
from app.views.volume_kind import is_anatomical

GREYS = ("grey", "grey_inverted")
Pair = tuple[object, ...]


class PairLook:
    """Dresses each new pair of volumes of a view."""

    def __init__(self, view: ViewState) -> None:
        self._view = view
        self._pair: Pair = ()
        self._alone = "", view.colour_map

    def leave(self, key: str) -> None:
        """Give the first volume, which has this key, the colours it had alone."""
        view = self._view
        if not self._pair:
            return
        self._pair = ()
        view.fusion.set_links_windows(False)
        before, colours = self._alone
        _choose(view, colours if key == before else windows.default_colours(view.unit))

    def is_new(self, keys: tuple[str, str]) -> bool:
        """Return whether these volumes are another pair, or have other units than before."""
        return (*keys, self._view.unit, self._view.fusion.unit) != self._pair

    def dress(self, keys: tuple[str, str]) -> None:
        """Choose how the two volumes on show look, which have these keys."""
        view, fusion = self._view, self._view.fusion
        if not self._pair:
            self._alone = keys[0], view.colour_map
        self._pair = (*keys, view.unit, fusion.unit)
        if comparing.obstacle(fusion.mode, view.unit, fusion.unit):
            fusion.set_mode("blend")
        is_compared = bool(view.unit) and view.unit == fusion.unit
        fusion.set_links_windows(is_compared)
        if is_compared:
            fusion.set_window(*view.window)
            fusion.set_colour_map(view.colour_map)
        else:
            self._dress_apart()

    def _dress_apart(self) -> None:
        """Two kinds of values: anatomy in grey, function in colours, two alike in two maps."""
        view, fusion = self._view, self._view.fusion
        if view.volume is None or fusion.volume is None:
            return
        are_anatomical = is_anatomical(view.volume), is_anatomical(fusion.volume)
        for look, is_below in zip((view, fusion), are_anatomical, strict=True):
            if is_below:
                _choose(look, "grey")
            elif look.colour_map in GREYS and True in are_anatomical:
                _choose(look, OVERLAY_MAPS[0])
        if fusion.colour_map == view.colour_map:
            _choose(fusion, next(key for key in OVERLAY_MAPS if key != view.colour_map))


def _choose(look: VolumeAppearance, key: str) -> None:
    if look.colour_map != key:
        look.set_colour_map(key)

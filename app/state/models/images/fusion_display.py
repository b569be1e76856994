"""Choose the colours, windows and mode in which two volumes are shown together.

Volumes with one unit are compared, so both have one colour map and one window. PET over CT or MR
is hot metal over grey. The error of a volume has colours of its own. The choices are made once for
each pair; the user may change them.
"""

from __future__ import annotations

from app.views.colour import windows
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion.fusion_state import OVERLAY_MAPS, FusionMode
from app.views.state import ViewState
from app.views.volume_kind import is_anatomical

GREYS = ("grey", "grey_inverted")
ERROR_MAPS = ("viridis", "cividis")
Pair = tuple[object, ...]


class PairAppearance:
    """Chooses colours and windows for each new pair of volumes in a view."""

    def __init__(self, view: ViewState) -> None:
        self._view = view
        self._pair: Pair = ()
        self._alone = "", view.colour_map
        self._before_error: tuple[FusionMode, float, str] | None = None

    def leave(self, key: str) -> None:
        """Restore the colours that the first volume had before the fusion.

        Parameters
        ----------
        key
            key of the volume that is shown now
        """
        view = self._view
        if not self._pair:
            return
        self._pair = ()
        self._restore_before_error()
        view.fusion.set_links_windows(False)
        # Another volume than before gets the default colours of its unit instead.
        before, colours = self._alone
        _set_colour_map(view, colours if key == before else windows.default_colours(view.unit))

    def is_new(self, keys: tuple[str, str]) -> bool:
        """Return True if the pair or one of its units has changed.

        Parameters
        ----------
        keys
            keys of the first and the second volume
        """
        return (*keys, self._view.unit, self._view.fusion.unit) != self._pair

    def dress(self, keys: tuple[str, str]) -> None:
        """Choose colours, windows and mode for the two volumes.

        Parameters
        ----------
        keys
            keys of the first and the second volume
        """
        view, fusion = self._view, self._view.fusion
        # Only the first pair is stored: later pairs already have fusion colours.
        if not self._pair:
            self._alone = keys[0], view.colour_map
        self._pair = (*keys, view.unit, fusion.unit)
        if fusion.is_error:
            self._colour_error()
            return
        self._restore_before_error()
        # A difference of two units has no meaning, so the mode falls back to blending.
        if fusion.obstacle(fusion.mode):
            fusion.set_mode("blend")
        # Two empty units are equal too, but say nothing about the quantities.
        is_compared = bool(view.unit) and view.unit == fusion.unit
        fusion.set_links_windows(is_compared)
        if is_compared:
            fusion.set_window(*view.window)
            fusion.set_colour_map(view.colour_map)
        else:
            self._colour_two_quantities()

    def _colour_error(self) -> None:
        """Show the error of the first volume alone, in colours and a window of its own."""
        fusion = self._view.fusion
        if self._before_error is None:
            self._before_error = fusion.mode, fusion.opacity, fusion.colour_map
        fusion.set_links_windows(False)
        # Opaque: the slices show the error, and a lower opacity lets the image through.
        fusion.set_mode("blend")
        fusion.set_opacity(1.0)
        # Two quantities in one colour map could be mistaken for each other.
        maps = [key for key in ERROR_MAPS if key != self._view.colour_map]
        _set_colour_map(fusion, maps[0])

    def _restore_before_error(self) -> None:
        """Restore the settings of the fusion from before an error was shown."""
        if self._before_error is not None:
            mode, opacity, colours = self._before_error
            self._before_error = None
            self._view.fusion.set_mode(mode)
            self._view.fusion.set_opacity(opacity)
            _set_colour_map(self._view.fusion, colours)

    def _colour_two_quantities(self) -> None:
        """Choose colours for different quantities: anatomy in grey, function in colours."""
        view, fusion = self._view, self._view.fusion
        if view.volume is None or fusion.volume is None:
            return
        are_anatomical = is_anatomical(view.volume), is_anatomical(fusion.volume)
        # Anatomy is grey. Function keeps a colour map of its own, but grey over grey cannot be
        # read.
        for appearance, is_below in zip((view, fusion), are_anatomical, strict=True):
            if is_below:
                _set_colour_map(appearance, "grey")
            elif appearance.colour_map in GREYS and True in are_anatomical:
                _set_colour_map(appearance, OVERLAY_MAPS[0])
        # With equal colours nobody could tell which volume a value belongs to.
        if fusion.colour_map == view.colour_map:
            _set_colour_map(fusion, next(key for key in OVERLAY_MAPS if key != view.colour_map))


def _set_colour_map(appearance: VolumeAppearance, key: str) -> None:
    if appearance.colour_map != key:
        appearance.set_colour_map(key)

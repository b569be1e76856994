"""Show two open volumes in the views. Each returns with the window that it had."""

from __future__ import annotations

from app.state.models.images.fusion_display import PairAppearance
from app.state.models.images.open_volume import OpenVolume
from app.state.models.images.volume_display import VolumeDisplay
from app.state.models.images.volume_origin import PairingNote
from app.views.colour.windows import Window
from app.views.planes.placing import VolumePlacing
from app.views.state import ViewState

Keyed = tuple[str, OpenVolume | None]
"""Key that was selected, and the volume behind it in the unit of the view."""


class PairDisplay:
    """Puts a volume, and another one over it, into the state of the views."""

    def __init__(self, view: ViewState) -> None:
        self._view = view
        self._display = VolumeDisplay(view)
        self._appearance = PairAppearance(view)
        self._keys: tuple[str, str] = "", ""
        self._windows: dict[str, Window] = {}
        self._base: OpenVolume | None = None
        self._stated_axes: dict[object, str] = {}

    def show(
        self, base: Keyed, overlay: Keyed, note: PairingNote, *, refit: bool, switched: bool
    ) -> None:
        """Show two volumes.

        Parameters
        ----------
        base
            the lower one, or the only one
        overlay
            the one over it
        note
            warning and note about the pair
        refit
            True fits window and cursor to the base
        switched
            True if another key was selected; its stored window is restored
        """
        view = self._view
        self._keys = keys = base[0], overlay[0]
        self._show_base(base[1], refit=refit, switched=switched)
        # Links must be off while stored windows return, or the first would overwrite the second.
        if switched:
            view.fusion.set_links_windows(False)
        self._show_overlay(base[1], overlay[1], note)
        if switched:
            self._restore_windows()
        if view.fusion.volume is None or base[1] is None:
            self._appearance.leave(base[0])
        elif switched or self._appearance.is_new(keys):
            self._appearance.dress(keys)

    def _show_base(self, base: OpenVolume | None, *, refit: bool, switched: bool) -> None:
        view = self._view
        cursor, had_volume = view.cursor_mm, view.volume is not None
        before, self._base = self._base, base
        is_other = _is_other_scan(before, base)
        if is_other and before is not None:
            self._stated_axes[before.subject] = view.stated_axes
            # Otherwise a grid of equal size would get the letters of another patient.
            view.state_axes("")
        view.name = base.name if base is not None else ""
        view.subject = base.subject if base is not None else None
        volume = base.volume if base is not None else None
        # `set_volume` rebuilds all slices; skip it if only the overlay has changed.
        if volume is None or volume is not view.volume or refit:
            self._display.show(volume, refit=refit)
            if switched and had_volume:  # both have one coordinate system
                view.set_cursor(cursor)
        if is_other and base is not None:
            view.state_axes(self._stated_axes.get(base.subject, ""))

    def _show_overlay(
        self, base: OpenVolume | None, overlay: OpenVolume | None, note: PairingNote
    ) -> None:
        fusion = self._view.fusion
        fusion.set_messages(*note)
        fusion.subject = overlay.subject if overlay is not None else None
        if base is None or overlay is None:
            if fusion.volume is not None:
                fusion.set_second_volume(None, VolumePlacing(), "")
            return
        is_error = overlay.kind == "error"
        if is_error and not fusion.is_error and fusion.volume is not None:
            # Another quantity needs a window of its own, even in the same unit.
            fusion.set_second_volume(None, VolumePlacing(), "")
        fusion.set_second_volume(
            overlay.volume,
            overlay.placing_over(base),
            overlay.name,
            is_error=is_error,
            same_scan=base.origin.is_same_scan(overlay.origin),
        )

    # Windows

    def keep_windows(self) -> None:
        """Store the windows of both volumes; call it before another key is selected."""
        for key, appearance in zip(self._keys, (self._view, self._view.fusion), strict=True):
            if key and appearance.volume is not None:
                self._windows[key] = appearance.window

    def _restore_windows(self) -> None:
        for key, appearance in zip(self._keys, (self._view, self._view.fusion), strict=True):
            if key in self._windows:
                appearance.set_window(*self._windows[key])

    def forget_windows(self, *keys: str) -> None:
        """Forget the stored windows of volumes.

        Parameters
        ----------
        keys
            keys of the volumes; none for all
        """
        for key in keys or tuple(self._windows):
            self._windows.pop(key, None)

    def forget_scans(self) -> None:
        """Forget windows and axes of all volumes: a new scan may be of another patient."""
        self._windows, self._stated_axes = {}, {}


def _is_other_scan(was: OpenVolume | None, now: OpenVolume | None) -> bool:
    """Return True if a volume may belong to another scan than the one that was shown before it."""
    if was is None or now is None or was.subject == now.subject:
        return False
    return was.origin.is_same_scan(now.origin) is not True

"""Show successive images. Window and cursor adapt until the user changes them."""

from __future__ import annotations

from app.views.state import ViewState
from engine.data import Volume


class VolumeDisplay:
    """Shows volumes in a view."""

    def __init__(self, state: ViewState) -> None:
        self._state = state
        self._fitted = state.window
        self._placed = state.cursor_mm

    def show(self, volume: Volume | None, *, refit: bool = False) -> None:
        """Show a volume.

        Parameters
        ----------
        volume
            the volume; None clears the view
        refit
            True fits the window to it and moves the cursor to a bright voxel
        """
        state = self._state
        window, cursor = state.window, state.cursor_mm
        # Values that differ from the last automatic ones come from the user and stay.
        is_fitted, is_placed = window == self._fitted, cursor == self._placed
        # This call may change both itself, for example for another unit or a smaller grid.
        state.set_volume(volume)
        if refit and is_fitted:
            state.auto_window()
        if refit and is_placed:
            state.centre_on_structures()
        if is_fitted or state.window != window:
            self._fitted = state.window
        if is_placed or state.cursor_mm != cursor:
            self._placed = state.cursor_mm

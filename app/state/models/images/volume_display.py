"""Showing one image after another: window and cursor follow until the user sets them."""

from __future__ import annotations

from app.views.state import ViewState
from engine.data import Volume


class VolumeDisplay:
    """Puts volumes on show."""

    def __init__(self, state: ViewState) -> None:
        self._state = state
        self._fitted = state.window
        self._placed = state.cursor_mm

    def show(self, volume: Volume | None, *, refit: bool = False) -> None:
        """Show a volume; `refit` fits the window to it and finds something to look at."""
        state = self._state
        window, cursor = state.window, state.cursor_mm
        is_fitted, is_placed = window == self._fitted, cursor == self._placed
        state.set_volume(volume)
        if refit and is_fitted:
            state.auto_window()
        if refit and is_placed:
            state.find_something()
        if is_fitted or state.window != window:
            self._fitted = state.window
        if is_placed or state.cursor_mm != cursor:
            self._placed = state.cursor_mm

"""Showing one image after another: the window follows until the user sets one."""

from __future__ import annotations

from app.views.state import ViewState
from engine.data.volume import Volume


class Display:
    """Puts volumes on show."""

    def __init__(self, state: ViewState) -> None:
        self._state = state
        self._fitted = state.window

    def show(self, volume: Volume | None, *, refit: bool = False) -> None:
        """Show a volume; `refit` fits the window to it, unless the user has set one."""
        state = self._state
        before = state.window
        untouched = before == self._fitted
        state.set_volume(volume)
        if refit and untouched:
            state.auto_window()
        if untouched or state.window != before:
            self._fitted = state.window

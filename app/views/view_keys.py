"""Keys without a modifier in a view."""

from __future__ import annotations

from PySide6.QtCore import Qt

ZOOM_STEP = 1.2
KEYS = {
    Qt.Key.Key_Left: lambda view: view.step_arrow(-1, 0),
    Qt.Key.Key_Right: lambda view: view.step_arrow(1, 0),
    Qt.Key.Key_Up: lambda view: view.step_arrow(0, -1),
    Qt.Key.Key_Down: lambda view: view.step_arrow(0, 1),
    Qt.Key.Key_PageUp: lambda view: view.step(1),
    Qt.Key.Key_PageDown: lambda view: view.step(-1),
    Qt.Key.Key_Plus: lambda view: view.zoom(ZOOM_STEP, view.cursor_uv()),
    # On many keyboards "+" needs Shift, and "=" is on the same key.
    Qt.Key.Key_Equal: lambda view: view.zoom(ZOOM_STEP, view.cursor_uv()),
    Qt.Key.Key_Minus: lambda view: view.zoom(1 / ZOOM_STEP, view.cursor_uv()),
    Qt.Key.Key_0: lambda view: view.fit(),
    Qt.Key.Key_A: lambda view: view.state.auto_window(),
    Qt.Key.Key_B: lambda view: view.state.toggle_slab(),
    Qt.Key.Key_I: lambda view: view.state.toggle_interpolation(),
    Qt.Key.Key_L: lambda view: view.state.set_draws_lines(not view.state.draws_lines),
    Qt.Key.Key_O: lambda view: view.state.fusion.toggle_hidden(),
    Qt.Key.Key_M: lambda view: view.mirror(),
    Qt.Key.Key_R: lambda view: view.state.reset(),
    Qt.Key.Key_T: lambda view: view.turn(),
    Qt.Key.Key_X: lambda view: view.state.toggle_crosshair(),
    Qt.Key.Key_Z: lambda view: view.state.toggle_magnifier(),
}

ANYWHERE = (Qt.Key.Key_B, Qt.Key.Key_L, Qt.Key.Key_O, Qt.Key.Key_X, Qt.Key.Key_Z)
"""Keys that act on the last used view from anywhere in the window, except in text fields."""

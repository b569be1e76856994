"""Tests of floating panels: undock, dock, and restore at the next start."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QWidget

from app.shell.side_panels import FloatingPanels, SidePanel


def test_panel_floats_returns_and_is_remembered(qtbot, preferences):
    def opened() -> tuple[QMainWindow, SidePanel, QAction, FloatingPanels]:
        window, panel, action = QMainWindow(), SidePanel("Steps", QWidget()), QAction("Apart")
        qtbot.addWidget(window)
        window.addDockWidget(window.dockWidgetArea(panel).LeftDockWidgetArea, panel)
        window.show()
        return window, panel, action, FloatingPanels(preferences, {panel: action})

    window, panel, action, floating = opened()
    action.setChecked(True)
    assert panel.isFloating()
    assert panel.isVisible()
    place = QRect(40, 60, 380, 500)
    panel.setGeometry(place)
    floating.remember()
    window.close()

    _, panel, action, floating = opened()
    assert action.isChecked()
    assert panel.geometry() == place
    panel.set_floating(False)
    assert not panel.isFloating()
    assert panel.isVisible()
    assert not action.isChecked()
    floating.remember()
    assert preferences.floating == ()

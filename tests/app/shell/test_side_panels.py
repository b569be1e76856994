"""Panels in windows of their own: they float, come back, and are remembered."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QWidget

from app.shell.side_panels import PanelsApart, SidePanel


def test_a_panel_floats_comes_back_and_is_remembered(qtbot, preferences):
    def opened() -> tuple[QMainWindow, SidePanel, QAction, PanelsApart]:
        window, panel, action = QMainWindow(), SidePanel("Steps", QWidget()), QAction("Apart")
        qtbot.addWidget(window)
        window.addDockWidget(window.dockWidgetArea(panel).LeftDockWidgetArea, panel)
        window.show()
        return window, panel, action, PanelsApart(preferences, {panel: action})

    window, panel, action, apart = opened()
    action.setChecked(True)
    assert panel.isFloating()
    assert panel.isVisible()
    place = QRect(40, 60, 380, 500)
    panel.setGeometry(place)
    apart.remember()
    window.close()

    _, panel, action, apart = opened()
    assert action.isChecked()
    assert panel.geometry() == place
    panel.set_apart(False)
    assert not panel.isFloating()
    assert panel.isVisible()
    assert not action.isChecked()
    apart.remember()
    assert preferences.apart == ()

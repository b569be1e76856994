"""The panels beside the views; they keep the widths that the user gave them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget


class SidePanel(QDockWidget):
    """A panel without a title, that stays where it is."""

    resized = Signal()

    def __init__(self, name: str, inside: QWidget) -> None:
        super().__init__(name)
        self.setObjectName(name)
        self.setTitleBarWidget(QWidget())
        self.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        self.setWidget(inside)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class PanelWidths(QObject):
    """Knows the widths that are wanted: Qt takes them away in a narrow window for good."""

    def __init__(self, window: QMainWindow, wanted: dict[SidePanel, int]) -> None:
        super().__init__(window)
        self._window, self._wanted = window, wanted
        self._settled_px = -1
        for panel in wanted:
            panel.resized.connect(self._note)
        self._apply()

    def settle(self) -> None:
        """Give the panels their widths back, as far as there is room; after each resize."""
        if self._window.width() > self._settled_px:
            self._apply()
        self._settled_px = self._window.width()

    def _note(self) -> None:
        """Take the widths for wanted, unless they follow from those of the window."""
        if self._window.width() == self._settled_px:
            self._wanted = {panel: panel.width() for panel in self._wanted}

    def _apply(self) -> None:
        panels, widths = list(self._wanted), list(self._wanted.values())
        self._window.resizeDocks(panels, widths, Qt.Orientation.Horizontal)

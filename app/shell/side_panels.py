"""The panels beside the views: they keep their widths, or float in windows of their own."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.state.models.preferences import Preferences
from app.ui.theme.widgets import fitted

NOWHERE = QDockWidget.DockWidgetFeature.NoDockWidgetFeatures
CLOSABLE = QDockWidget.DockWidgetFeature.DockWidgetClosable
APART_PX = QSize(420, 760)


class SidePanel(QDockWidget):
    """A panel without a title, that stays where it is unless it is told to float.

    Its place in a window of its own is remembered; closing that puts the panel back.
    """

    resized = Signal()
    floating_changed = Signal(bool)

    def __init__(self, name: str, inside: QWidget) -> None:
        super().__init__(name)
        self.setObjectName(name)
        self._no_title = QWidget()
        self.setTitleBarWidget(self._no_title)
        self.setFeatures(NOWHERE)
        self.setWidget(inside)
        self.place = QRect()

    def set_floating(self, on: bool) -> None:
        """Float in a window of its own, or be in the main window."""
        if on == self.isFloating():
            return
        if not on:
            self.place = self.geometry()
        self.setTitleBarWidget(None if on else self._no_title)  # type: ignore[arg-type]
        self.setFeatures(CLOSABLE if on else NOWHERE)
        self.setFloating(on)
        if on:
            self._find_place()
        self.show()
        self.floating_changed.emit(on)

    def _find_place(self) -> None:
        """Be where it was, unless that screen is gone."""
        screen = QGuiApplication.screenAt(self.place.center())
        if self.place.isNull() or screen is None:
            self.resize(fitted(APART_PX, self.screen().availableSize()))
        else:
            self.setGeometry(self.place)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.isFloating() and event.spontaneous():
            event.ignore()
            self.set_floating(False)
        else:
            super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class FloatingPanels(QObject):
    """Lets actions float panels, and remembers which of them float and where."""

    def __init__(self, preferences: Preferences, panels: dict[SidePanel, QAction]) -> None:
        super().__init__()
        self._preferences, self._panels = preferences, panels
        for panel, action in panels.items():
            panel.place = preferences.place_of(panel.objectName())
            action.setCheckable(True)
            action.toggled.connect(panel.set_floating)
            panel.floating_changed.connect(action.setChecked)
            action.setChecked(panel.objectName() in preferences.floating)

    def remember(self) -> None:
        """Keep which panels float, and where; before the window closes."""
        floating = [panel for panel in self._panels if panel.isFloating()]
        self._preferences.floating = tuple(panel.objectName() for panel in floating)
        for panel in self._panels:
            place = panel.geometry() if panel in floating else panel.place
            self._preferences.remember_place(panel.objectName(), place)


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
            self._wanted = {
                panel: px if panel.isFloating() else panel.width()
                for panel, px in self._wanted.items()
            }

    def _apply(self) -> None:
        panels, widths = list(self._wanted), list(self._wanted.values())
        self._window.resizeDocks(panels, widths, Qt.Orientation.Horizontal)

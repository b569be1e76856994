"""Panels at the sides of the views: they keep their widths, or float in separate windows."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QToolButton, QWidget

from app.language.translation import tr
from app.state.models.preferences import Preferences
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import fitted, icon_button, label, remove_widgets
from app.views.literal_text import literal_tip

NOWHERE = QDockWidget.DockWidgetFeature.NoDockWidgetFeatures
CLOSABLE = QDockWidget.DockWidgetFeature.DockWidgetClosable
FLOATING_PX = QSize(420, 760)


class SidePanel(QDockWidget):
    """A panel with its own title, docked or floating.

    The position of the floating window is remembered. Closing it docks the panel again.

    Signals
    -------
    resized : the panel has another size
    floating_changed : the panel begins or ends to float
    closed : the user folds the docked panel
    chosen : the user chose another panel in the title, by its index

    Parameters
    ----------
    name : name of the panel
    inside : content
    theme : the theme, for a panel with a title and a button that folds it; None for neither
    """

    resized = Signal()
    floating_changed = Signal(bool)
    closed = Signal()
    chosen = Signal(int)

    def __init__(self, name: str, inside: QWidget, theme: Theme | None = None) -> None:
        super().__init__(name)
        self.setObjectName(name)
        self._titles = QHBoxLayout()
        self._no_title = QWidget() if theme is None else self._title_row(theme)
        self.setTitleBarWidget(self._no_title)
        self.setFeatures(NOWHERE)
        self.setWidget(inside)
        self.place = QRect()

    def set_titles(self, titles: dict[int, str], current: int) -> None:
        """Show the titles of the panels that share this place.

        Parameters
        ----------
        titles
            titles by index; a single one is a heading, several are buttons
        current
            index of the displayed panel
        """
        remove_widgets(self._titles)
        if len(titles) == 1:
            self._titles.addWidget(label(titles[current], "heading"))
            return
        for index, title in titles.items():
            made = QToolButton()
            made.setText(title)
            made.setToolTip(literal_tip(tr("Show: {title}", title=title)))
            made.setCheckable(True)
            made.setChecked(index == current)
            made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            made.setProperty("role", "title")
            made.clicked.connect(partial(self.chosen.emit, index))
            self._titles.addWidget(made)

    def _title_row(self, theme: Theme) -> QWidget:
        made = QWidget()
        # The style sheet gives it the background of the panels.
        made.setObjectName("Results")
        made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(made)
        row.setContentsMargins(14, 6, 6, 4)
        row.addLayout(self._titles)
        row.addStretch(1)
        row.addWidget(icon_button("remove", theme, self.closed.emit, tr("Fold this panel")))
        return made

    def set_floating(self, on: bool) -> None:
        """Float the panel in a separate window, or dock it.

        Parameters
        ----------
        on
            True to float
        """
        if on == self.isFloating():
            return
        if not on:
            self.place = self.geometry()
        # A floating window needs the title bar of the desktop, by which it can be moved.
        self.setTitleBarWidget(None if on else self._no_title)  # type: ignore[arg-type]
        self.setFeatures(CLOSABLE if on else NOWHERE)
        self.setFloating(on)
        if on:
            self._find_place()
        # Qt hides a dock when it starts or stops to float.
        self.show()
        self.floating_changed.emit(on)

    def _find_place(self) -> None:
        """Restore the last position if its screen still exists."""
        screen = QGuiApplication.screenAt(self.place.center())
        if self.place.isNull() or screen is None:
            self.resize(fitted(FLOATING_PX, self.screen().availableSize()))
        else:
            self.setGeometry(self.place)

    def closeEvent(self, event: QCloseEvent) -> None:
        # Spontaneous: the user closed the window. Otherwise the program is ending.
        if self.isFloating() and event.spontaneous():
            event.ignore()
            self.set_floating(False)
        else:
            super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class FloatingPanels(QObject):
    """Actions that float panels; their state and position are remembered."""

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
        """Store which panels float, and where; call before the window closes."""
        floating = [panel for panel in self._panels if panel.isFloating()]
        self._preferences.floating = tuple(panel.objectName() for panel in floating)
        for panel in self._panels:
            place = panel.geometry() if panel in floating else panel.place
            self._preferences.remember_place(panel.objectName(), place)


class PanelWidths(QObject):
    """Keep the preferred widths of panels, which Qt would reduce permanently in a narrow window."""

    def __init__(self, window: QMainWindow, wanted: dict[SidePanel, int]) -> None:
        super().__init__(window)
        self._window, self._wanted = window, wanted
        # Less than any width, so that the first resize applies the widths.
        self._last_width_px = -1
        for panel in wanted:
            panel.resized.connect(self._note_widths)
        self._apply_widths()

    def restore(self) -> None:
        """Restore the widths as far as space allows; call after each resize."""
        # Only a wider window can give space back.
        if self._window.width() > self._last_width_px:
            self._apply_widths()
        self._last_width_px = self._window.width()

    def _note_widths(self) -> None:
        """Store the widths as preferred, unless a resize of the window caused them."""
        if self._window.width() == self._last_width_px:
            self._wanted = {
                panel: px if panel.isFloating() else panel.width()
                for panel, px in self._wanted.items()
            }

    def _apply_widths(self) -> None:
        panels, widths = list(self._wanted), list(self._wanted.values())
        self._window.resizeDocks(panels, widths, Qt.Orientation.Horizontal)

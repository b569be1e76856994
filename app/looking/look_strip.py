"""The column of buttons beside the views: each is a way of looking, or a tool for the pointer."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from app.look.icons import set_icon
from app.look.theme import Theme
from app.views.plain_text import plain_tip

BUTTON_PX, ICON_PX, MARGIN_PX = 30, 18, 3


class LookStrip(QWidget):
    """Buttons one below the other, in groups."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("Strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(BUTTON_PX + 2 * MARGIN_PX)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(MARGIN_PX, MARGIN_PX + 1, MARGIN_PX, MARGIN_PX)
        self._column.setSpacing(2)
        self._column.addStretch(1)

    def add(
        self, name: str, icon: str, words: str, *, clicked: Callable[[bool], object] | None = None
    ) -> QToolButton:
        """Add a button; one that answers a click with whether it is down stays down.

        Parameters
        ----------
        name
            for who hears the screen
        icon
            of those that the window has
        words
            what it does, with its key
        clicked
            called with whether it is down; None for one that opens a menu
        """
        made = QToolButton()
        made.setAccessibleName(name)
        made.setToolTip(plain_tip(f"{name}. {words}"))
        made.setProperty("role", "tool")
        made.setFixedSize(BUTTON_PX, BUTTON_PX)
        made.setIconSize(QSize(ICON_PX, ICON_PX))
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_icon(made, icon, self._theme)
        if clicked is None:
            made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        else:
            made.setCheckable(True)
            made.clicked.connect(clicked)
        self._insert(made)
        return made

    def end_group(self) -> None:
        """Part what comes from what there is."""
        rule = QFrame()
        rule.setProperty("role", "rule")
        rule.setFixedHeight(1)
        self._column.insertSpacing(self._column.count() - 1, 3)
        self._insert(rule)
        self._column.insertSpacing(self._column.count() - 1, 3)

    def _insert(self, widget: QWidget) -> None:
        self._column.insertWidget(self._column.count() - 1, widget)

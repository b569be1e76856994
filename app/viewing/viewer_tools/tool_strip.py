"""The column of tool buttons next to the views."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QToolButton, QWidget

from app.ui.theme.icons import set_icon
from app.ui.theme.theme import Theme
from app.views.literal_text import literal_tip

BUTTON_PX, ICON_PX, MARGIN_PX, GAP_PX, RULE_PX = 30, 18, 3, 2, 9


class ViewerToolStrip(QWidget):
    """A column of buttons in groups; two columns if the height is not sufficient."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("Strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._groups: list[list[QToolButton]] = [[]]
        self._rules: list[QFrame] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(MARGIN_PX, MARGIN_PX + 1, MARGIN_PX, MARGIN_PX)
        self._grid.setSpacing(GAP_PX)
        self._abreast = 0
        self._arrange(1)

    def add(
        self, name: str, icon: str, words: str, *, clicked: Callable[[bool], object] | None = None
    ) -> QToolButton:
        """Add a button. A button with an action stays pressed while its tool is active.

        Parameters
        ----------
        name
            accessible name
        icon
            key of `icons.GLYPHS`
        words
            function and key, for the tooltip
        clicked
            called with True if the button is now pressed; None for a button with a menu
        """
        made = QToolButton()
        made.setAccessibleName(name)
        made.setToolTip(literal_tip(f"{name}. {words}"))
        made.setProperty("role", "tool")
        made.setFixedSize(BUTTON_PX, BUTTON_PX)
        made.setIconSize(QSize(ICON_PX, ICON_PX))
        # By default a click does not give the focus to a tool button.
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_icon(made, icon, self._theme)
        made.setCheckable(True)
        if clicked is None:
            made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        else:
            made.clicked.connect(clicked)
        self._groups[-1].append(made)
        self._arrange(self._abreast, again=True)
        return made

    def end_group(self) -> None:
        """Add a separator."""
        rule = QFrame()
        rule.setProperty("role", "rule")
        rule.setFixedHeight(1)
        self._rules.append(rule)
        self._groups.append([])

    def minimumSizeHint(self) -> QSize:
        """Return the height of two columns."""
        return QSize(self.width(), self._height(2))

    def sizeHint(self) -> QSize:
        """Return the height of one column."""
        return QSize(self.width(), self._height(1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Change to two columns if one does not fit."""
        super().resizeEvent(event)
        self._arrange(1 if event.size().height() >= self._height(1) else 2)

    def _height(self, abreast: int) -> int:
        # Each group starts a new row, so rows are counted per group and rounded up.
        rows = sum(-(-len(group) // abreast) for group in self._groups)
        every = rows * (BUTTON_PX + GAP_PX) + len(self._rules) * (RULE_PX + GAP_PX)
        return every + 2 * MARGIN_PX + 1

    def _arrange(self, abreast: int, *, again: bool = False) -> None:
        """Place the buttons in a number of columns."""
        if abreast == self._abreast and not again:
            return
        for row in range(self._grid.rowCount()):
            # QGridLayout keeps stretch and height of rows that are no longer used.
            self._grid.setRowStretch(row, 0)
            self._grid.setRowMinimumHeight(row, 0)
        self._abreast, row = abreast, 0
        self.setFixedWidth(abreast * (BUTTON_PX + GAP_PX) - GAP_PX + 2 * MARGIN_PX)
        for rule, group in zip([None, *self._rules], self._groups, strict=True):
            if rule is not None:
                self._grid.addWidget(rule, row, 0, 1, abreast)
                self._grid.setRowMinimumHeight(row, RULE_PX)
                row += 1
            for place, button in enumerate(group):
                self._grid.addWidget(button, row + place // abreast, place % abreast)
            row += -(-len(group) // abreast)
        self._grid.setRowStretch(row, 1)

"""The column of tool buttons next to the views."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from app.ui.theme.icons import set_icon
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import word_under_icon
from app.views.literal_text import literal_tip

BUTTON_PX, MARGIN_PX, GAP_PX, RULE_PX = 30, 3, 2, 9


class ViewerToolStrip(QWidget):
    """A column of buttons with an icon and a word, in groups; icons alone if it is too low."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("Strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._sizes: dict[QToolButton, QSize] = {}
        self._n_rules, self._offers_labels = 0, True
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(MARGIN_PX, MARGIN_PX + 1, MARGIN_PX, MARGIN_PX)
        self._column.setSpacing(GAP_PX)
        self._column.addStretch(1)

    def add(
        self, name: str, icon: str, words: str, *, clicked: Callable[[bool], object] | None = None
    ) -> QToolButton:
        """Add a button. A button with an action stays pressed while its tool is active.

        Parameters
        ----------
        name
            word below the icon
        icon
            key of `icons.GLYPHS`
        words
            function and key, for the tooltip
        clicked
            called with True if the button is now pressed; None for a button with a menu
        """
        made = QToolButton()
        made.setText(name)
        made.setAccessibleName(name)
        made.setToolTip(literal_tip(f"{name}. {words}"))
        # By default a click does not give the focus to a tool button.
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_icon(made, icon, self._theme)
        made.setCheckable(True)
        if clicked is None:
            made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        else:
            made.clicked.connect(clicked)
        self._sizes[made] = word_under_icon(made)
        self._column.insertWidget(self._column.count() - 1, made)
        self._set_labels(on=True)
        return made

    def end_group(self) -> None:
        """Add a separator."""
        self._n_rules += 1
        rule = QFrame()
        rule.setProperty("role", "rule")
        rule.setFixedHeight(1)
        self._column.insertSpacing(self._column.count() - 1, RULE_PX // 2)
        self._column.insertWidget(self._column.count() - 1, rule)
        self._column.insertSpacing(self._column.count() - 1, RULE_PX // 2)

    def minimumSizeHint(self) -> QSize:
        """Return the height without the words."""
        return QSize(self.width(), self._height(BUTTON_PX))

    def sizeHint(self) -> QSize:
        """Return the height with the words."""
        return QSize(self.width(), self._height(self._word_px))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the words if the height is not sufficient."""
        super().resizeEvent(event)
        self._fit()

    def show_labels(self, *, on: bool) -> None:
        """Show words if the height is sufficient, or icons alone.

        Parameters
        ----------
        on
            False in a narrow window
        """
        self._offers_labels = on
        self._fit()

    def _fit(self) -> None:
        is_high = self.height() >= self._height(self._word_px)
        self._set_labels(on=self._offers_labels and is_high)

    @property
    def _word_px(self) -> int:
        return max((size.height() for size in self._sizes.values()), default=BUTTON_PX)

    def _height(self, button_px: int) -> int:
        rules = self._n_rules * (2 * (RULE_PX // 2) + 1 + 3 * GAP_PX)
        return len(self._sizes) * (button_px + GAP_PX) + rules + 2 * MARGIN_PX + 1

    def _set_labels(self, *, on: bool) -> None:
        wide = max(size.width() for size in self._sizes.values()) if on else BUTTON_PX
        style = Qt.ToolButtonStyle
        for each, size in self._sizes.items():
            shown = style.ToolButtonTextUnderIcon if on else style.ToolButtonIconOnly
            each.setToolButtonStyle(shown)
            each.setFixedSize(wide, size.height() if on else BUTTON_PX)
        self.setFixedWidth(wide + 2 * MARGIN_PX)

"""Parts of the header: buttons of actions, a thin line, and the three qualities."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QToolButton,
    QWidget,
)

from app.control.context import AppContext
from app.language.keys import name_of_key
from app.look.widgets import button
from app.models.quality import QUALITIES, TEXTS
from app.views.plain_text import plain_tip


class Segments(QWidget):
    """Fast, Standard, Fine; none is lit once the protocol was changed by hand."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._study = context.session.study
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.buttons = {}
        for place, quality in zip(("first", "middle", "last"), QUALITIES, strict=True):
            made = QToolButton()
            made.setText(name_of_key(quality))
            made.setToolTip(plain_tip(TEXTS[quality]))
            made.setCheckable(True)
            made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            made.setProperty("role", "segment")
            made.setProperty("segment", place)
            made.clicked.connect(lambda _=False, q=quality: self._study.use_quality(q))
            row.addWidget(made)
            self.buttons[quality] = made
        self._study.protocol_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        current = self._study.quality
        for quality, made in self.buttons.items():
            made.setChecked(quality == current)


def verb_button(action: QAction) -> QPushButton:
    """Return a button with the words of an action, in step with it."""
    made = button(action.text(), action.trigger)

    def show() -> None:
        made.setText(action.text())
        made.setIcon(action.icon())
        made.setEnabled(action.isEnabled())
        made.setToolTip(plain_tip(action.toolTip()))

    action.changed.connect(show)
    show()
    return made


def action_button(action: QAction, *, text: bool = False) -> QToolButton:
    """Return a flat button for an action."""
    made = QToolButton()
    made.setDefaultAction(action)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    style = Qt.ToolButtonStyle
    made.setToolButtonStyle(style.ToolButtonTextBesideIcon if text else style.ToolButtonIconOnly)
    return made


def line() -> QFrame:
    """Return a thin upright line."""
    made = QFrame()
    made.setProperty("role", "line")
    return made

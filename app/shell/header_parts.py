"""Parts of the header: buttons of actions, a thin line, and the three quality levels."""

from __future__ import annotations

from functools import partial

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

from app.language.keys import name_of_key
from app.language.translation import tr
from app.state.models.quality import QUALITIES, tip_of
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button
from app.views.literal_text import literal_tip


class Segments(QWidget):
    """Buttons Fast, Standard, Fine; none is checked after the protocol was changed by hand."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._study = context.session.study
        self._group = QButtonGroup(self)
        # An exclusive group of Qt always has a checked button.
        self._group.setExclusive(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.buttons = {}
        for place, quality in zip(("first", "middle", "last"), QUALITIES, strict=True):
            made = QToolButton()
            made.setText(name_of_key(quality))
            made.setCheckable(True)
            # By default a tool button takes the focus only by Tab, not by a click.
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
            made.setToolTip(literal_tip(tip_of(quality, self._study.base)))


class PinButton(QToolButton):
    """Pin the current protocol for the scanner of the open scan; checked while it is pinned."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._study, self._theme = context.session.study, context.theme
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(tr("Pin this protocol"))
        self.clicked.connect(lambda on: self._study.pin(on=on))
        for signal in (self._study.protocol_changed, self._study.inputs_changed):
            signal.connect(self._show)
        self._show()

    def _show(self) -> None:
        study, kind = self._study, self._study.scanner_kind
        set_icon(self, "pin", self._theme, "link" if study.is_pinned else "muted")
        # A click toggles the button, also if pinning was refused.
        self.setChecked(study.is_pinned)
        self.setEnabled(bool(kind))
        if not kind:
            tip = tr("Open a scan first.")
        elif study.is_pinned:
            tip = tr(
                "{name!r} is pinned. Every {scanner} scan opens with it until the end of the "
                "day or session. Click to unpin it.",
                name=study.base.name,
                scanner=kind,
            )
        else:
            tip = tr(
                "Open every {scanner} scan with the saved protocol {name!r} until the end of "
                "the day or session",
                name=study.base.name,
                scanner=kind,
            )
        self.setToolTip(literal_tip(tip))


def verb_button(action: QAction) -> QPushButton:
    """Return a button with text that follows an action."""
    made = button(action.text(), action.trigger)

    def show() -> None:
        made.setText(action.text())
        made.setIcon(action.icon())
        made.setEnabled(action.isEnabled())
        made.setToolTip(action.toolTip())

    action.changed.connect(show)
    show()
    return made


def action_button(action: QAction, *, text: bool = False) -> QToolButton:
    """Return a flat button for an action.

    Parameters
    ----------
    action
        action to trigger
    text
        True to show the text next to the icon
    """
    made = QToolButton()
    made.clicked.connect(action.trigger)
    action.changed.connect(partial(_show_action, made, action))
    _show_action(made, action)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    style = Qt.ToolButtonStyle
    made.setToolButtonStyle(style.ToolButtonTextBesideIcon if text else style.ToolButtonIconOnly)
    return made


def _show_action(made: QToolButton, action: QAction) -> None:
    # Not by `setDefaultAction`: Qt connects again after each change, and never disconnects.
    made.setText(action.iconText())
    made.setIcon(action.icon())
    made.setToolTip(action.toolTip())
    made.setEnabled(action.isEnabled())
    made.setCheckable(action.isCheckable())
    made.setChecked(action.isChecked())


def line() -> QFrame:
    """Return a thin vertical line."""
    made = QFrame()
    made.setProperty("role", "line")
    return made

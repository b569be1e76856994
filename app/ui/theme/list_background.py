"""The background of list entries."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle

from app.ui.theme.theme import Theme


def paint_ground(painter: QPainter, rect: QRect, state: QStyle.StateFlag, theme: Theme) -> None:
    """Paint the background of an entry: selection, hover, and a line below."""
    colours, flag = theme.colours, QStyle.StateFlag
    is_chosen = bool(state & flag.State_Selected)
    if is_chosen or state & flag.State_MouseOver:
        painter.fillRect(rect, QColor(colours.hover if is_chosen else colours.raised))
    painter.setPen(QPen(QColor(colours.line), 1))
    painter.drawLine(rect.bottomLeft(), rect.bottomRight())
    if is_chosen:
        has_focus = bool(state & flag.State_HasFocus)
        colour = colours.link if has_focus else colours.accent
        painter.fillRect(rect.adjusted(0, 0, 3 - rect.width(), -1), QColor(colour))

"""The background of list entries."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle

from app.ui.theme.theme import Theme


def paint_ground(painter: QPainter, rect: QRect, state: QStyle.StateFlag, theme: Theme) -> None:
    """Paint the background of a list entry: selection, hover, and a line below.

    Parameters
    ----------
    painter
        an active painter
    rect
        the entry
    state
        state of the entry from its style option
    theme
        the theme
    """
    colours, flag = theme.colours, QStyle.StateFlag
    is_chosen = bool(state & flag.State_Selected)
    if is_chosen or state & flag.State_MouseOver:
        painter.fillRect(rect, QColor(colours.hover if is_chosen else colours.raised))
    painter.setPen(QPen(QColor(colours.line), 1))
    painter.drawLine(rect.bottomLeft(), rect.bottomRight())
    if is_chosen:
        has_focus = bool(state & flag.State_HasFocus)
        colour = colours.link if has_focus else colours.accent
        # A bar at the left as a second sign: colour alone is not visible to everyone.
        painter.fillRect(rect.adjusted(0, 0, 3 - rect.width(), -1), QColor(colour))

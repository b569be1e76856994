"""Paint a study in the queue: icon, two lines, and progress."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.state.models.queue_model import QueueModel, state_of
from app.ui.theme.icons import draw
from app.ui.theme.list_background import paint_ground
from app.ui.theme.theme import Theme
from app.workspace.queue.queue_text import COLOURS, ICONS, describe_state, title_of
from engine.jobs import QueueEntry

HEIGHT_PX, ICON_PX, MARGIN_PX, BAR_PX = 54, 18, 12, 3
ENTRY = Qt.ItemDataRole.UserRole
"""Role of the study ID in an item of the list."""
Index = QModelIndex | QPersistentModelIndex


class QueueDelegate(QStyledItemDelegate):
    """Paints studies in the colours of the theme. Long texts are elided; the tooltip has them."""

    def __init__(self, theme: Theme, model: QueueModel, parent: QObject) -> None:
        super().__init__(parent)
        self._theme, self._model = theme, model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, HEIGHT_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        id = index.data(ENTRY)
        # The list may still contain a study that has just been removed.
        entry = next((each for each in self._model.entries if each.id == id), None)
        if entry is None:
            return
        rect: QRect = option.rect
        # Qt passes one painter to all entries, so its state must be restored.
        painter.save()
        paint_ground(painter, rect, option.state, self._theme)
        state = state_of(entry)
        top = rect.top() + (rect.height() - ICON_PX) // 2
        icon = QRect(rect.left() + MARGIN_PX, top, ICON_PX, ICON_PX)
        draw(ICONS[state], self._theme, COLOURS.get(state, "muted")).paint(painter, icon)
        words = rect.adjusted(2 * MARGIN_PX + ICON_PX, 7, -MARGIN_PX, -9)
        self._paint_text(painter, words, entry)
        if state == "running":
            self._paint_share(painter, words, entry.done)
        painter.restore()

    def _paint_text(self, painter: QPainter, rect: QRect, entry: QueueEntry) -> None:
        colours = self._theme.colours
        normal, heading = painter.font(), QFont(painter.font())
        heading.setWeight(QFont.Weight.Medium)
        is_fault = entry.state == "failed"
        rows = (
            (
                title_of(entry, *self._model.words(entry.id)),
                heading,
                colours.text,
                Qt.TextElideMode.ElideRight,
            ),
            (
                describe_state(entry),
                normal,
                colours.missing if is_fault else colours.muted,
                Qt.TextElideMode.ElideRight,
            ),
        )
        height = rect.height() // len(rows)
        for i, (text, font, colour, mode) in enumerate(rows):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            line = QRect(rect.left(), rect.top() + i * height, rect.width(), height)
            # After setting the font: the two lines have different weights.
            fitted = painter.fontMetrics().elidedText(text, mode, rect.width())
            painter.drawText(
                line, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, fitted
            )

    def _paint_share(self, painter: QPainter, words: QRect, done: float) -> None:
        bar = QRect(words.left(), words.bottom() + 4, words.width(), BAR_PX)
        painter.fillRect(bar, QColor(self._theme.colours.line))
        bar.setWidth(round(done * bar.width()))
        painter.fillRect(bar, QColor(self._theme.colours.accent))

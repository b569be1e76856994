"""Painting of a result in the list: thumbnail and three lines."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.output.results.result_text import lines_of
from app.state.models.result_list import ResultList
from app.ui.theme.icons import draw
from app.ui.theme.list_background import paint_ground
from app.ui.theme.theme import Theme
from engine.results import Result

HEIGHT_PX, THUMBNAIL_PX, GAP_PX, PIN_PX = 84, 68, 10, 14
MAX_THUMBNAILS = 50
"""More than fit on a screen."""
Index = QModelIndex | QPersistentModelIndex


class ResultDelegate(QStyledItemDelegate):
    """Paint results in the colours of the theme; tooltips show names that are elided."""

    def __init__(self, theme: Theme, results: ResultList, parent: QObject) -> None:
        super().__init__(parent)
        self._theme, self._results = theme, results
        self._thumbnails = Thumbnails(theme, THUMBNAIL_PX)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, HEIGHT_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        # The list can be painted after results were removed and before it is refilled.
        if index.row() >= len(self._results.items):
            return
        result = self._results.items[index.row()]
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        paint_ground(painter, rect, state, self._theme)
        corner = rect.topLeft()
        top = (HEIGHT_PX - THUMBNAIL_PX) // 2
        frame = QRect(corner.x() + top, corner.y() + top, THUMBNAIL_PX, THUMBNAIL_PX)
        painter.drawPixmap(frame, self._thumbnails.of(result, painter.device().devicePixelRatioF()))
        painter.setPen(QPen(QColor(self._theme.colours.line), 1))
        painter.drawRect(frame)
        words = rect.adjusted(2 * top + THUMBNAIL_PX - GAP_PX // 2 + 2, top, -GAP_PX, -top)
        self._paint_text(painter, words, result)
        painter.restore()

    def _paint_text(self, painter: QPainter, rect: QRect, result: Result) -> None:
        colours, height = self._theme.colours, rect.height() // 3
        scan, how, when = lines_of(result, self._results.names[result.id])
        width = rect.width() - (PIN_PX + 4 if result.pinned else 0)
        normal = painter.font()
        heading = QFont(normal)
        heading.setWeight(QFont.Weight.Medium)
        middle, right = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight
        rows = (
            (scan, heading, colours.text, middle, width),
            (how, normal, colours.text, right, rect.width()),
            (when, normal, colours.muted, right, rect.width()),
        )
        for i, (text, font, colour, mode, width_px) in enumerate(rows):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            line = QRect(rect.left(), rect.top() + i * height, width_px, height)
            fitted = painter.fontMetrics().elidedText(text, mode, width_px)
            painter.drawText(
                line, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, fitted
            )
        if result.pinned:
            pin = QRect(rect.right() - PIN_PX, rect.top() + (height - PIN_PX) // 2, PIN_PX, PIN_PX)
            draw("pin", self._theme, "muted").paint(painter, pin)


class Thumbnails:
    """Pictures of results in one size; those that were used least recently are dropped.

    Parameters
    ----------
    theme : the theme, for results without a picture
    edge_px : edge of the square around a picture [px]
    """

    def __init__(self, theme: Theme, edge_px: int) -> None:
        self._theme, self._edge_px = theme, edge_px
        self._known: OrderedDict[tuple[str, float], QPixmap] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of pictures in memory."""
        return len(self._known)

    def of(self, result: Result, ratio: float) -> QPixmap:
        """Return the picture of a result.

        Parameters
        ----------
        result
            the result
        ratio
            pixels of the screen per pixel of the window
        """
        # The ratio is part of the key: a window can move to a screen with another scaling.
        key = str(result.thumbnail), ratio
        if key not in self._known:
            edge = round(self._edge_px * ratio)
            found = QPixmap(key[0])
            # The thumbnail may be missing or damaged; the result can still be opened.
            if found.isNull():
                found = QPixmap(edge, edge)
                found.fill(QColor(self._theme.colours.field))
            smooth = Qt.TransformationMode.SmoothTransformation
            aspect = Qt.AspectRatioMode.KeepAspectRatio
            self._known[key] = found.scaled(edge, edge, aspect, smooth)
            # Those that were painted least recently are read again when they are scrolled to.
            if len(self._known) > MAX_THUMBNAILS:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

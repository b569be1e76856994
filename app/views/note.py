"""A note at the centre of an empty widget."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.views.colour.colours import DARK, ViewColours

MARGIN_PX = 14


class Note(QWidget):
    """A quiet text at the centre of its parent. Clicks pass through."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._text, self._colours, self._over = text, DARK, parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        # The note is not in the layout of its parent, so it must follow resizes itself.
        parent.installEventFilter(self)
        self._place()

    @property
    def text(self) -> str:
        """The text."""
        return self._text

    def set_colours(self, colours: ViewColours) -> None:
        """Set the colours of the theme.

        Parameters
        ----------
        colours
            colours of the theme
        """
        self._colours = colours
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        # The parent still has to handle its own resize event.
        return False

    def _place(self) -> None:
        area = self._over.rect().adjusted(MARGIN_PX, MARGIN_PX, -MARGIN_PX, -MARGIN_PX)
        words = self.fontMetrics().boundingRect(area, _flags(), self._text)
        box = words.adjusted(-MARGIN_PX, -MARGIN_PX, MARGIN_PX, MARGIN_PX)
        box.moveCenter(self._over.rect().center())
        self.setGeometry(box)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._colours.canvas))
        painter.setPen(QColor(self._colours.muted))
        painter.drawText(QRect(self.rect()), _flags(), self._text)
        painter.end()


def _flags() -> int:
    return int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)

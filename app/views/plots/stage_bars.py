"""Bars with the time per stage."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours

ROW_GAP_PX = 8
SPACE_PX = 8
SMALLEST_BAR_PX = 2.0


def seconds_text(seconds: float) -> str:
    """Format a duration.

    Parameters
    ----------
    seconds
        the duration [s]

    Returns
    -------
    minutes, seconds or milliseconds with three digits
    """
    # The limits are half a digit lower, so that rounding never gives "100.0 s".
    if seconds >= 99.95:
        minutes, rest = divmod(round(seconds), 60)
        return tr("{minutes}:{rest:02d} min", minutes=minutes, rest=rest)
    if seconds >= 9.95:
        return f"{seconds:.1f} s"
    return f"{seconds:.2f} s" if seconds >= 0.0095 else f"{1000 * seconds:.0f} ms"


class StageBars(QWidget):
    """Seconds and share of each stage."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stages: list[tuple[str, float]] = []
        self._colours = DARK
        self.empty_text = tr("Timings appear while a reconstruction runs")
        self.setAccessibleName(tr("Time per stage"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_stages(self, stages: Sequence[tuple[str, float]]) -> None:
        """Show the duration of each stage.

        Parameters
        ----------
        stages
            names and durations [s], in order
        """
        self._stages = [(name, float(seconds)) for name, seconds in stages]
        self.updateGeometry()
        self.update()

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        self.update()

    def sizeHint(self) -> QSize:
        rows = max(len(self._stages), 2)
        return QSize(260, math.ceil(rows * self._row_px()) + ROW_GAP_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, self.sizeHint().height())

    def _row_px(self) -> float:
        return QFontMetricsF(self.font()).height() + ROW_GAP_PX

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._stages:
            self._paint_rows(painter)
        else:
            painter.setPen(QColor(self._colours.muted))
            wrapped = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect(), wrapped, self.empty_text)
        painter.end()

    def _paint_rows(self, painter: QPainter) -> None:
        metrics = QFontMetricsF(painter.font())
        total = sum(seconds for _, seconds in self._stages) or 1.0
        longest = max(seconds for _, seconds in self._stages) or 1.0
        names = max(metrics.horizontalAdvance(name) for name, _ in self._stages)
        clocks = max(metrics.horizontalAdvance(seconds_text(s)) for _, s in self._stages)
        numerator = metrics.horizontalAdvance("100 %")
        # Texts have priority; the bars get the remaining width.
        bars = max(self.width() - names - clocks - numerator - 3 * SPACE_PX, 10.0)
        for index, (name, seconds) in enumerate(self._stages):
            top = ROW_GAP_PX / 2 + index * self._row_px()
            row = QRectF(0, top, self.width(), self._row_px())
            self._paint_text(painter, row, numerator, name, seconds, total)
            left = row.left() + names + SPACE_PX
            # A very short stage still gets a visible bar.
            length = max(bars * seconds / longest, SMALLEST_BAR_PX)
            self._paint_bar(painter, QRectF(left, row.center().y() - 4, bars, 8), length)

    def _paint_text(
        self,
        painter: QPainter,
        row: QRectF,
        numerator: float,
        name: str,
        seconds: float,
        total: float,
    ) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(self._colours.text))
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignLeft, name)
        clock = row.adjusted(0, 0, -numerator - SPACE_PX, 0)
        painter.drawText(clock, middle | Qt.AlignmentFlag.AlignRight, seconds_text(seconds))
        painter.setPen(QColor(self._colours.muted))
        percent = 100 * seconds / total
        # "0 %" would claim that a stage took no time.
        share = f"{percent:.0f} %" if percent >= 0.5 or percent == 0 else "<1 %"
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, share)

    def _paint_bar(self, painter: QPainter, slot: QRectF, length: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colours.grid))
        painter.drawRoundedRect(slot, 2, 2)
        painter.setBrush(QColor(self._colours.accent))
        painter.drawRoundedRect(QRectF(slot.left(), slot.top(), length, slot.height()), 2, 2)

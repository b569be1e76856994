"""The colour bar of a display window."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QIcon, QImage, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language.translation import tr
from app.views.colour.colour_maps import N_COLOURS, lookup_table
from app.views.colour.colours import ViewColours
from app.views.colour.volume_colours import VolumeAppearance
from app.views.text import number
from app.views.viewport import nice_length

BAR_PX = 10
TICK_PX = 4
MARGIN_PX = 18  # room for half a tick label at each end
WORDS_FROM_PX = 110
"""A narrower bar has no ticks: the number fields show its limits."""
LEAST_PX, LEAST_MARGIN_PX = 56, 2


def strip(key: str) -> QImage:
    """A colour map as an image one pixel high."""
    table = np.ascontiguousarray(lookup_table(key))
    image = QImage(table.data, N_COLOURS, 1, 4 * N_COLOURS, QImage.Format.Format_RGB32)
    return image.copy()


def swatch(key: str, size: QSize, colours: ViewColours) -> QIcon:
    """A small picture of a colour map for a menu."""
    ratio = 2.0
    pixmap = QPixmap(size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    painter = QPainter(pixmap)
    area = QRectF(0, 0, size.width(), size.height())
    painter.drawImage(area, strip(key))
    painter.setPen(QPen(QColor(colours.grid), 1.0))
    painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.end()
    return QIcon(pixmap)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round values within a range, evenly apart, with at most `most` steps between them.

    Where there is room for no two of them, they are the ends of the range.
    """
    step = nice_length((high - low) / max(most, 1))
    first, last = _multiples(low, high, step)
    while last - first > most:
        step = nice_length(step * 2.6)  # 1, 2, 5, 10
        first, last = _multiples(low, high, step)
    found = [round_off(i * step, step) for i in range(first, last + 1)]
    return found if len(found) > 1 else [low, high]


def _multiples(low: float, high: float, step: float) -> tuple[int, int]:
    """The first and the last multiple of a step within a range."""
    return math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)


def round_off(value: float, step: float) -> float:
    """A multiple of a step without the dust of binary fractions."""
    return round(value, max(0, 2 - math.floor(math.log10(step))))


class ColourBar(QWidget):
    """The window from its low to its high end, with ticks in the volume's unit."""

    def __init__(self, state: VolumeAppearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.setAccessibleName(tr("Colour bar"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for signal in (state.window_changed, state.display_changed, state.volume_changed):
            signal.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(220, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(
            LEAST_PX, BAR_PX + TICK_PX + math.ceil(QFontMetricsF(self.font()).height()) + 1
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = self._state.colours
        has_words = self.width() >= WORDS_FROM_PX
        margin = MARGIN_PX if has_words else LEAST_MARGIN_PX
        top = 0.5 if has_words else (self.height() - BAR_PX) / 2
        bar = QRectF(margin, top, self.width() - 2 * margin, BAR_PX)
        painter = QPainter(self)
        painter.drawImage(bar, strip(self._state.colour_map))
        painter.setPen(QPen(QColor(colours.muted), 1.0))
        painter.drawRect(bar)
        if self._state.has_values and has_words:
            self._paint_ticks(painter, bar)
        painter.end()

    def _paint_ticks(self, painter: QPainter, bar: QRectF) -> None:
        low, high = (self._state.to_shown(end) for end in self._state.window)
        metrics = QFontMetricsF(painter.font())
        widest = max(metrics.horizontalAdvance(number(end, 2)) for end in (low, high))
        for value in ticks(low, high, int(bar.width() / (1.6 * widest + 8))):
            x = round(bar.left() + (value - low) / (high - low) * bar.width()) + 0.5
            painter.setPen(QColor(self._state.colours.muted))
            painter.drawLine(QLineF(x, bar.bottom(), x, bar.bottom() + TICK_PX - 1))
            painter.setPen(QColor(self._state.colours.text))
            top = bar.bottom() + TICK_PX
            label = QRectF(x - 40, top, 80, self.height() - top)
            align = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            painter.drawText(label, align, number(value))

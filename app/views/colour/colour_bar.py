"""The colour bar of a display window."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QLineF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QIcon,
    QIconEngine,
    QImage,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language.translation import tr
from app.views.colour.colour_maps import N_COLOURS, lookup_table
from app.views.colour.colours import ViewColours
from app.views.colour.volume_colours import VolumeAppearance
from app.views.text import alike, number, without_zeros
from app.views.viewport import nice_length

BAR_PX = 10
TICK_PX = 4
MARGIN_PX = 18  # space for half a tick label at each end
WORDS_FROM_PX = 110
"""Least width of a bar with ticks [px]. On a narrower bar the number fields show the limits."""
MIN_PX, MIN_MARGIN_PX = 56, 2


def strip(key: str) -> QImage:
    """Return a colour map as an image that is one pixel high.

    Parameters
    ----------
    key
        key of the colour map
    """
    table = np.ascontiguousarray(lookup_table(key))
    image = QImage(table.data, N_COLOURS, 1, 4 * N_COLOURS, QImage.Format.Format_RGB32)
    # QImage does not own the memory of the array, which is freed after this call.
    return image.copy()


class _Swatch(QIconEngine):
    """Draws a colour map when it is visible: most colours need pyqtgraph, which loads slowly."""

    def __init__(self, key: str, colours: ViewColours) -> None:
        super().__init__()
        self._key, self._colours = key, colours

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        painter.drawImage(rect, strip(self._key))
        painter.setPen(QPen(QColor(self._colours.grid), 1.0))
        painter.drawRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        painter = QPainter(pixmap)
        self.paint(painter, pixmap.rect(), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _Swatch(self._key, self._colours)


def swatch(key: str, colours: ViewColours) -> QIcon:
    """Return an icon of a colour map for a menu.

    Parameters
    ----------
    key
        key of the colour map
    colours
        colours of the theme, for the frame
    """
    return QIcon(_Swatch(key, colours))


def ticks(low: float, high: float, max_ticks: int) -> list[float]:
    """Return evenly spaced round values within a range.

    Parameters
    ----------
    low, high
        ends of the range
    max_ticks
        largest number of steps between ticks

    Returns
    -------
    at least two values; the ends of the range if two round values do not fit
    """
    step = nice_length((high - low) / max(max_ticks, 1))
    first, last = _multiples(low, high, step)
    while last - first > max_ticks:
        # 2.6 brings each of 1, 2 and 5 to the next: 1, 2, 5, 10.
        step = nice_length(step * 2.6)  # 1, 2, 5, 10
        first, last = _multiples(low, high, step)
    found = [round_off(i * step, step) for i in range(first, last + 1)]
    return found if len(found) > 1 else [low, high]


def _multiples(low: float, high: float, step: float) -> tuple[int, int]:
    """Return the numbers of the first and the last multiple of a step within a range."""
    # The tolerance keeps a tick at the end of the range in spite of rounding.
    return math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)


def round_off(value: float, step: float) -> float:
    """Remove the rounding error of a multiple of a step.

    Parameters
    ----------
    value
        the multiple
    step
        the step, which sets the number of decimals
    """
    return round(value, max(0, 2 - math.floor(math.log10(step))))


class ColourBar(QWidget):
    """Colour bar between the window limits, with ticks in the unit of the volume."""

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
        # A comparison has its own row, with space for marks.
        width = MIN_PX if self._state.fits_automatically else WORDS_FROM_PX
        height = BAR_PX + TICK_PX + math.ceil(QFontMetricsF(self.font()).height()) + 1
        return QSize(width, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = self._state.colours
        has_labels = self.width() >= WORDS_FROM_PX
        margin = MARGIN_PX if has_labels else MIN_MARGIN_PX
        top = 0.5 if has_labels else (self.height() - BAR_PX) / 2
        bar = QRectF(margin, top, self.width() - 2 * margin, BAR_PX)
        painter = QPainter(self)
        painter.drawImage(bar, strip(self._state.colour_map))
        painter.setPen(QPen(QColor(colours.muted), 1.0))
        painter.drawRect(bar)
        if self._state.has_values and has_labels:
            self._paint_ticks(painter, bar)
        painter.end()

    def _paint_ticks(self, painter: QPainter, bar: QRectF) -> None:
        low, high = (self._state.to_shown(end) for end in self._state.window)
        metrics = QFontMetricsF(painter.font())
        marks = [
            each for each in map(self._state.to_shown, self._state.bar_marks) if low < each < high
        ]
        if marks:
            # Marks have priority: the label of an end is omitted if it would touch one.
            values = [*marks, (low + high) / 2, low, high]
            labels = [number(value, 2) for value in values]
        else:
            # The labels must not touch, so the widest one limits the number of ticks.
            widest = max(metrics.horizontalAdvance(number(end, 2)) for end in (low, high))
            values = ticks(low, high, int(bar.width() / (1.6 * widest + 8)))
            labels = [without_zeros(text) for text in alike(values)]
        used = list[QRectF]()
        for k, (value, text) in enumerate(zip(values, labels, strict=True)):
            # Half a pixel: lines at whole coordinates would cover two pixels each.
            x = round(bar.left() + (value - low) / (high - low) * bar.width()) + 0.5
            ink = self._state.colours.text if k < len(marks) else self._state.colours.muted
            painter.setPen(QColor(ink))
            painter.drawLine(QLineF(x, bar.bottom(), x, bar.bottom() + TICK_PX - 1))
            if k < len(marks):
                # Black is visible on both ends of a difference map, whatever the theme.
                painter.setPen(QColor("#000000"))
                painter.drawLine(QLineF(x, bar.top() + 1, x, bar.bottom() - 1))
            top, half = bar.bottom() + TICK_PX, metrics.horizontalAdvance(text) / 2
            label = QRectF(x - half - 2, top, 2 * half + 4, self.height() - top)
            if any(label.intersects(other) for other in used):
                continue
            used.append(label)
            painter.setPen(QColor(self._state.colours.text))
            align = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            painter.drawText(label, align | Qt.TextFlag.TextDontClip, text)

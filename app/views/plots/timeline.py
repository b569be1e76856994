"""Timeline of a run: when each stage worked, in a lane for each queue or thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.literal_text import literal_tip
from app.views.plots.stage_bars import seconds_text

LANE_PX, GAP_PX, SPACE_PX = 16, 4, 8
NARROWEST_PX = 1.0
MAX_LANES = 8
HUES = (211, 32, 145, 285, 60, 180, 330, 250)
"""Hues of the stages in the order of their first calls. Red is only for errors."""


@dataclass(frozen=True)
class Call:
    """A call on the timeline.

    Attributes
    ----------
    name : displayed name of its stage
    lane : name of its lane
    start_s, seconds : start and duration [s]
    text : rate and amount, for the tooltip; empty for none
    """

    name: str
    lane: str
    start_s: float
    seconds: float
    text: str = ""


class Timeline(QWidget):
    """The newest calls; the pointer shows name, duration and rate of each."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._calls: tuple[Call, ...] = ()
        self._lanes: list[str] = []
        self._names: list[str] = []
        self._colours = DARK
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Timeline"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_calls(self, calls: Sequence[Call]) -> None:
        """Show calls.

        Parameters
        ----------
        calls
            calls in the order of their starts
        """
        self._lanes = list(dict.fromkeys(each.lane for each in calls))[:MAX_LANES]
        self._calls = tuple(each for each in calls if each.lane in self._lanes)
        self._names = list(dict.fromkeys(each.name for each in self._calls))
        self.updateGeometry()
        self.update()

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self.font())
        rows = len(self._key_rows(metrics, 260.0))
        height = len(self._lanes) * (LANE_PX + GAP_PX) + (rows + 1) * metrics.height() + GAP_PX
        return QSize(260, round(height))

    def minimumSizeHint(self) -> QSize:
        return QSize(180, self.sizeHint().height())

    def call_at(self, place: QPointF) -> Call | None:
        """Return the call at a place; None between calls.

        Parameters
        ----------
        place
            place in the widget [px]
        """
        lane = int(place.y() // (LANE_PX + GAP_PX))
        if not 0 <= lane < len(self._lanes):
            return None
        # The last one is on top
        found = (each for each in reversed(self._calls) if each.lane == self._lanes[lane])
        return next((each for each in found if self._call_rect(each).contains(place)), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        call = self.call_at(event.position())
        if call is None:
            QToolTip.hideText()
            return
        words = ", ".join(filter(None, (seconds_text(call.seconds), call.text)))
        text = literal_tip(f"{call.name}: {words}")
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics = QFontMetricsF(painter.font())
        for number, lane in enumerate(self._lanes):
            row = QRectF(0, number * (LANE_PX + GAP_PX), self.width(), LANE_PX)
            painter.fillRect(
                row.adjusted(self._label_width_px(), 0, 0, 0), QColor(self._colours.grid)
            )
            painter.setPen(QColor(self._colours.text))
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, lane)
        for each in self._calls:
            painter.fillRect(self._call_rect(each), self._colour(each.name))
        self._paint_scale(painter, metrics)
        painter.end()

    def _paint_scale(self, painter: QPainter, metrics: QFontMetricsF) -> None:
        top = float(len(self._lanes) * (LANE_PX + GAP_PX))
        first_s, length_s = self._range()
        row = QRectF(
            self._label_width_px(), top, self.width() - self._label_width_px(), metrics.height()
        )
        painter.setPen(QColor(self._colours.muted))
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft, seconds_text(first_s))
        painter.drawText(row, Qt.AlignmentFlag.AlignRight, seconds_text(first_s + length_s))
        top += metrics.height() + GAP_PX
        for names in self._key_rows(metrics, float(self.width())):
            x = 0.0
            for name in names:
                painter.fillRect(QRectF(x, top + 3, 9, 9), self._colour(name))
                painter.drawText(QPointF(x + 13, top + metrics.ascent()), name)
                x += 13 + metrics.horizontalAdvance(name) + SPACE_PX
            top += metrics.height()

    def _key_rows(self, metrics: QFontMetricsF, width: float) -> list[list[str]]:
        """Return the names of the key in rows that fit the width."""
        rows: list[list[str]] = []
        left = 0.0
        for name in self._names:
            needed = 13 + metrics.horizontalAdvance(name) + SPACE_PX
            if not rows or left + needed > width:
                rows.append([])
                left = 0.0
            rows[-1].append(name)
            left += needed
        return rows

    def _label_width_px(self) -> float:
        metrics = QFontMetricsF(self.font())
        widest = max((metrics.horizontalAdvance(each) for each in self._lanes), default=0.0)
        return widest + SPACE_PX

    def _range(self) -> tuple[float, float]:
        if not self._calls:
            return 0.0, 1.0
        first = self._calls[0].start_s
        last = max(each.start_s + each.seconds for each in self._calls)
        return first, max(last - first, 1e-9)

    def _call_rect(self, call: Call) -> QRectF:
        first_s, length_s = self._range()
        scale = max(self.width() - self._label_width_px(), 1.0) / length_s
        top = self._lanes.index(call.lane) * (LANE_PX + GAP_PX)
        left = self._label_width_px() + (call.start_s - first_s) * scale
        # A very short call is still visible
        return QRectF(left, top, max(call.seconds * scale, NARROWEST_PX), LANE_PX)

    def _colour(self, name: str) -> QColor:
        number = self._names.index(name)
        light = 150 if number < len(HUES) else 105
        value = light + 40 if self._colours is DARK else light
        return QColor.fromHsv(HUES[number % len(HUES)], 150, min(value + 20, 235))

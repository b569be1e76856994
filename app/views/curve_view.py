"""A convergence curve: one value for each iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.colours import DARK, ViewColours
from app.views.note import Note
from app.views.plain_text import PlainLabel
from app.views.plot_axes import paint_axes
from app.views.text import unit_text


class WholeAxis(pyqtgraph.AxisItem):
    """An axis of counts: ticks at whole numbers only."""

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        spacings = super().tickSpacing(minVal, maxVal, size)
        whole = [(max(1.0, round(spacing)), offset) for spacing, offset in spacings]
        return [(math.ceil(whole[0][0]), 0.0)]


class ValueAxis(pyqtgraph.AxisItem):
    """An axis of values with true minus signs."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [text.replace("-", "−") for text in super().tickStrings(values, scale, spacing)]


class CurveView(QWidget):
    """A curve by iteration, with its own axes."""

    def __init__(
        self, title: str = "Log-likelihood", unit: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._title, self._unit = title, unit
        self._iterations: list[int] = []
        self._values: list[float] = []
        self._head = PlainLabel()
        axes = {"bottom": WholeAxis("bottom"), "left": ValueAxis("left")}
        self.plot = pyqtgraph.PlotWidget(axisItems=axes)
        self._curve = self.plot.plot([], [], symbol="o", symbolSize=6, antialias=True)
        self._note = Note("The curve begins after the first iteration", self.plot)
        self._settle_plot()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._head)
        column.addWidget(self.plot, 1)
        self.setAccessibleName(f"{title} by iteration")
        self.set_colours(DARK)
        self.clear()

    def _settle_plot(self) -> None:
        self.plot.setMenuEnabled(False)
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.hideButtons()
        self.plot.setFrameShape(self.plot.Shape.NoFrame)
        self.plot.showGrid(x=False, y=True, alpha=0.25)
        self.plot.setLabel("bottom", "iteration")
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=-4, maxTickLevel=0, hideOverlappingLabels=False)
        room = QFontMetricsF(self.font()).horizontalAdvance("−00.0000")
        self.plot.getAxis("left").setWidth(math.ceil(room) + 8)
        self.plot.getPlotItem().setContentsMargins(0, 8, 8, 0)

    def set_points(self, iterations: Sequence[int], values: Sequence[float]) -> None:
        """Show these values, one for each iteration."""
        kept = [pair for pair in zip(iterations, values, strict=True) if math.isfinite(pair[1])]
        self._iterations = [iteration for iteration, _ in kept]
        self._values = [value for _, value in kept]
        self._refresh()

    def set_title(self, title: str, unit: str) -> None:
        """Say what the values are."""
        self._title, self._unit = title, unit
        self.setAccessibleName(f"{title} by iteration")
        self._refresh()

    def append(self, iteration: int, value: float) -> None:
        """Add the value of one more iteration."""
        self.set_points([*self._iterations, iteration], [*self._values, value])

    def clear(self) -> None:
        """Begin anew."""
        self.set_points([], [])

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        paint_axes(self.plot, colours, self.font())
        pen = pyqtgraph.mkPen(colours.accent, width=2)
        self._curve.setPen(pen)
        self._curve.setSymbolPen(pen)
        self._curve.setSymbolBrush(QColor(colours.canvas))
        self._note.set_colours(colours)

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

    def _refresh(self) -> None:
        power = thousands(self._values)
        measure = unit_text(self._unit, power)
        self._head.setText(f"{self._title} ({measure})" if measure else self._title)
        self.plot.getAxis("left").setScale(10.0**-power)
        self._curve.setData(self._iterations, self._values)
        is_empty = not self._values
        self._note.setVisible(is_empty)
        for name in ("left", "bottom"):
            self.plot.showAxis(name, show=not is_empty)
        if not is_empty:
            first, last = min(self._iterations), max(self._iterations)
            self.plot.setXRange(first - 0.25, last + 0.25, padding=0.02)
            self.plot.setYRange(*_with_room(self._values), padding=0)


def _with_room(values: list[float]) -> tuple[float, float]:
    """The range of the values and a little more; a single value lies in its middle."""
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def thousands(values: list[float]) -> int:
    """The power of ten, in steps of three, that leaves at most three digits before the point."""
    largest = max((abs(value) for value in values), default=0.0)
    power = 3 * math.floor(math.log10(largest) / 3) if largest > 0 else 0
    return power if power >= 3 or power <= -3 else 0

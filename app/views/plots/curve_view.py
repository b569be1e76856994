"""A convergence curve with one value per iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import pyqtgraph
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.literal_text import LiteralLabel
from app.views.note import Note
from app.views.plots.plot_axes import StillPlot, paint_axes, thousands
from engine.data import unit_text


class WholeAxis(pyqtgraph.AxisItem):
    """An axis for counts, with ticks at whole numbers only."""

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        spacings = super().tickSpacing(minVal, maxVal, size)
        # Half an iteration does not exist, so the spacing is at least 1.
        whole = [(max(1.0, round(spacing)), offset) for spacing, offset in spacings]
        return [(math.ceil(whole[0][0]), 0.0)]


class CurvePlot(StillPlot):
    """The plot of a curve; a note is shown until there is data.

    Parameters
    ----------
    is_log : True for a logarithmic axis of values
    """

    def __init__(self, *, is_log: bool = False) -> None:
        super().__init__("−00.0000", right_px=8, bottom=WholeAxis("bottom"))
        self._is_log = is_log
        self._limit = pyqtgraph.InfiniteLine(angle=0)
        self.addItem(self._limit)
        self.setLogMode(y=is_log)
        self._curve = self.plot([], [], symbol="o", symbolSize=6, antialias=True)
        self._note = Note(tr("The curve starts after the first iteration"), self)
        self.setLabel("bottom", tr("iteration"))

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        paint_axes(self, colours, self.font())
        pen = pyqtgraph.mkPen(colours.accent, width=2)
        self._curve.setPen(pen)
        self._curve.setSymbolPen(pen)
        self._curve.setSymbolBrush(QColor(colours.canvas))
        self._note.set_colours(colours)
        self._limit.setPen(pyqtgraph.mkPen(colours.muted, style=Qt.PenStyle.DashLine))

    def show_points(
        self, iterations: list[int], values: list[float], limit: float | None = None
    ) -> None:
        """Show one value per iteration.

        Parameters
        ----------
        iterations
            numbers of the iterations
        values
            their values; above 0 on a logarithmic axis
        limit
            value of a line across the plot; None for no line
        """
        # Also the line must be visible, so that the distance from it is.
        shown = [*values, *([] if limit is None else [limit])]
        if self._is_log:
            shown = [math.log10(value) for value in shown]
        else:
            # The power of ten is in the title, so tick labels stay short.
            self.getAxis("left").setScale(10.0 ** -thousands(values))
        self._limit.setVisible(limit is not None and bool(values))
        self._limit.setPos(shown[-1] if shown else 0.0)
        self._curve.setData(iterations, values)
        # Empty axes with arbitrary numbers would look like data.
        self._note.setVisible(not values)
        for name in ("left", "bottom"):
            self.showAxis(name, show=bool(values))
        if values:
            self.setXRange(min(iterations) - 0.25, max(iterations) + 0.25, padding=0.02)
            self.setYRange(*_padded_range(shown), padding=0)


class CurveView(QWidget):
    """A curve by iteration with its own axes. The plot is created when it is first shown.

    Parameters
    ----------
    title, unit : what the values are
    parent : parent widget
    is_log : True for a logarithmic axis of values
    """

    def __init__(
        self,
        title: str = tr("Log-likelihood"),
        unit: str = "",
        parent: QWidget | None = None,
        *,
        is_log: bool = False,
    ) -> None:
        super().__init__(parent)
        self._is_log = is_log
        self._limit: float | None = None
        self._title, self._unit = title, unit
        self._iterations: list[int] = []
        self._values: list[float] = []
        self._colours = DARK
        self.plot: CurvePlot | None = None
        self._head = LiteralLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._head)
        self.setAccessibleName(tr("Values by iteration: {title}", title=title))
        self.clear()

    def set_points(
        self, iterations: Sequence[int], values: Sequence[float], limit: float | None = None
    ) -> None:
        """Show one value per iteration.

        Parameters
        ----------
        iterations
            numbers of the iterations
        values
            their values; those that the axis cannot show, such as −∞, are left out
        limit
            value of a line across the plot; None for no line
        """
        self._limit = limit
        # A log-likelihood can be −∞ in the first iteration.
        kept = [
            (iteration, value)
            for iteration, value in zip(iterations, values, strict=True)
            if math.isfinite(value) and (value > 0 or not self._is_log)
        ]
        self._iterations = [iteration for iteration, _ in kept]
        self._values = [value for _, value in kept]
        self._refresh()

    def set_title(self, title: str, unit: str) -> None:
        """Set the title and the unit of the values.

        Parameters
        ----------
        title
            what the values are
        unit
            their unit; "" for none
        """
        self._title, self._unit = title, unit
        self.setAccessibleName(tr("Values by iteration: {title}", title=title))
        self._refresh()

    def append(self, iteration: int, value: float) -> None:
        """Add the value of one more iteration.

        Parameters
        ----------
        iteration
            its number
        value
            its value
        """
        self.set_points([*self._iterations, iteration], [*self._values, value])

    def clear(self) -> None:
        """Clear the plot."""
        self.set_points([], [])

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        if self.plot is not None:
            self.plot.set_colours(colours)

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Creating a pyqtgraph plot takes longer than the rest of the panel.
        if self.plot is None:
            self.plot = CurvePlot(is_log=self._is_log)
            cast(QVBoxLayout, self.layout()).addWidget(self.plot, 1)
            self.plot.set_colours(self._colours)
            self._refresh()

    def _refresh(self) -> None:
        measure = unit_text(self._unit, 0 if self._is_log else thousands(self._values))
        self._head.setText(f"{self._title} ({measure})" if measure else self._title)
        if self.plot is not None:
            self.plot.show_points(self._iterations, self._values, self._limit)


def _padded_range(values: list[float]) -> tuple[float, float]:
    """Return the range of the values with a margin; a single value is in its middle."""
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room

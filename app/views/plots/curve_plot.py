"""The plot of a convergence curve."""

from __future__ import annotations

import math

import pyqtgraph
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.language.translation import tr
from app.views.colour.colours import ViewColours
from app.views.note import Note
from app.views.plots.plot_axes import StillPlot
from app.views.plots.ranges import thousands


class IntegerAxis(pyqtgraph.AxisItem):
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
    empty : note that is shown without values
    is_log : True for a logarithmic axis of values
    """

    def __init__(self, empty: str, *, is_log: bool = False) -> None:
        super().__init__("−00.0000", right_px=8, bottom=IntegerAxis("bottom"))
        self._is_log = is_log
        self._limit = pyqtgraph.InfiniteLine(angle=0)
        self.addItem(self._limit)
        self.setLogMode(y=is_log)
        self._curve = self.plot([], [], symbol="o", symbolSize=6, antialias=True)
        self._note = Note(empty, self)
        self.setLabel("bottom", tr("iteration"))

    def set_colours(self, colours: ViewColours) -> None:
        super().set_colours(colours)
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
        # The line must be visible too, to show the distance from it.
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


def _padded_range(values: list[float]) -> tuple[float, float]:
    """Return the range of the values with a margin; a single value is in its middle."""
    low, high = min(values), max(values)
    margin = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin

"""Factors with standard errors, and a line at 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.colour.colours import DARK, ViewColours
from app.views.literal_text import LiteralLabel
from app.views.plots.curve_plot import IntegerAxis
from app.views.plots.plot_axes import StillPlot

MIN_SPAN = 0.02
"""Least range of the axis. Noise of one part in a thousand must not look large."""


class FactorPlot(QWidget):
    """One curve with its title."""

    def __init__(self, title: str, number: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head = LiteralLabel(title)
        self.plot = StillPlot("0.000", bottom=IntegerAxis("bottom"))
        self.plot.setLabel("bottom", number)
        self._even = pyqtgraph.InfiniteLine(1.0, angle=0)
        self.plot.addItem(self._even)
        self._bars = pyqtgraph.ErrorBarItem(beam=0.3)
        self.plot.addItem(self._bars)
        self.curve = self.plot.plot([], [], symbol="o", symbolSize=4, antialias=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._head)
        column.addWidget(self.plot, 1)
        self.setAccessibleName(title)
        self.set_colours(DARK)

    def show_factors(
        self, places: Sequence[float], factors: Sequence[float], errors: Sequence[float]
    ) -> None:
        """Show factors with error bars.

        Parameters
        ----------
        places
            positions on the horizontal axis
        factors
            their factors; 1 means no correction
        errors
            standard errors of the factors
        """
        x, y, e = (np.asarray(values, float) for values in (places, factors, errors))
        self.curve.setData(x, y)
        self._bars.setData(x=x, y=y, height=2 * e)
        if len(x):
            # The line at 1 is always visible, since it is the reference.
            low, high = min(1.0, float((y - e).min())), max(1.0, float((y + e).max()))
            margin = max(0.06 * (high - low), (MIN_SPAN - (high - low)) / 2)
            self.plot.setYRange(low - margin, high + margin, padding=0)
            self.plot.setXRange(float(x.min()) - 0.5, float(x.max()) + 0.5, padding=0.02)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self.plot.set_colours(colours)
        pen = pyqtgraph.mkPen
        self._even.setPen(pen(colours.muted, width=1, style=Qt.PenStyle.DashLine))
        self._bars.setOpts(pen=pen(colours.muted, width=1))
        self.curve.setPen(pen(colours.accent, width=1.5))
        self.curve.setSymbolPen(pen(colours.accent))
        self.curve.setSymbolBrush(pyqtgraph.mkBrush(colours.accent))

    def sizeHint(self) -> QSize:
        return QSize(260, 170)

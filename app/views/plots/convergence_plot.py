"""The plot of the convergence of a fit."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph
from PySide6.QtCore import Qt

from app.language.translation import tr
from app.views.colour.colours import ViewColours
from app.views.plots.curve_plot import IntegerAxis
from app.views.plots.plot_axes import StillPlot

MIN_STEPS = 20


class ConvergencePlot(StillPlot):
    """Change in each step, and a line at the limit.

    Parameters
    ----------
    limit : change at which the fit ends, in standard errors
    """

    def __init__(self, limit: float) -> None:
        super().__init__("0.0000", bottom=IntegerAxis("bottom"))
        self._limit = math.log10(limit)
        self.setLabel("bottom", tr("step"))
        self.setLogMode(y=True)
        self._goal = pyqtgraph.InfiniteLine(self._limit, angle=0)
        self.addItem(self._goal)
        self.curve = self.plot([], [], symbol="o", symbolSize=5, antialias=True)

    def show_steps(self, steps: Sequence[tuple[int, float]]) -> None:
        """Show the change in each step.

        Parameters
        ----------
        steps
            number and largest change of each step, in standard errors
        """
        self.curve.setData([n for n, _ in steps], [c for _, c in steps])
        powers = [math.log10(c) for _, c in steps]
        low, high = min(*powers, self._limit), max(*powers, self._limit)
        self.setYRange(low - 0.2, high + 0.2, padding=0)
        # A fixed least number of steps, so that the axis does not jump with each new point.
        self.setXRange(0.5, max(steps[-1][0], MIN_STEPS) + 0.5, padding=0)

    def set_colours(self, colours: ViewColours) -> None:
        super().set_colours(colours)
        pen = pyqtgraph.mkPen
        self._goal.setPen(pen(colours.muted, width=1.5, style=Qt.PenStyle.DashLine))
        self.curve.setPen(pen(colours.accent, width=2))
        self.curve.setSymbolPen(pen(colours.accent))
        self.curve.setSymbolBrush(pyqtgraph.mkBrush(colours.canvas))

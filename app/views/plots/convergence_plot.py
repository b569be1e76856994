"""Convergence of a fit: change in each step on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.literal_text import LiteralLabel
from app.views.note import Note
from app.views.plots.curve_plot import WholeAxis
from app.views.plots.plot_axes import StillPlot, paint_axes

EMPTY_TEXT = tr("Each fitting step adds a point here")
KEY = tr(
    "Largest change in any component at each step, in standard errors. Dashed line: convergence "
    "limit."
)
LEAST_STEPS = 20


class ConvergencePlot(QWidget):
    """The plot with its key; a note is shown until there is data."""

    def __init__(self, limit: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.changes: list[float] = []
        self._settled = math.log10(limit)
        self._head = LiteralLabel(KEY)
        self._head.setWordWrap(True)
        self._head.setProperty("role", "muted")
        self.plot = StillPlot("0.0000", bottom=WholeAxis("bottom"))
        self.plot.setLabel("bottom", tr("step"))
        self.plot.setLogMode(y=True)
        self._goal = pyqtgraph.InfiniteLine(self._settled, angle=0)
        self.plot.addItem(self._goal)
        self.curve = self.plot.plot([], [], symbol="o", symbolSize=5, antialias=True)
        self._note = Note(EMPTY_TEXT, self.plot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        column.addWidget(self._head)
        self.setAccessibleName(tr("Change in the components at each step"))
        self.set_colours(DARK)
        self.show_changes([])

    def show_changes(self, changes: Sequence[float]) -> None:
        """Show the change in each step.

        Parameters
        ----------
        changes
            largest change of each step, in standard errors
        """
        self.changes = [*changes]
        # A logarithmic axis cannot show zero.
        shown = [(n, c) for n, c in enumerate(changes, 1) if c > 0 and math.isfinite(c)]
        self._note.setVisible(not shown)
        for name in ("left", "bottom"):
            self.plot.showAxis(name, show=bool(shown))
        self._goal.setVisible(bool(shown))
        self.curve.setData([n for n, _ in shown], [c for _, c in shown])
        if shown:
            powers = [math.log10(c) for _, c in shown]
            low, high = min(*powers, self._settled), max(*powers, self._settled)
            self.plot.setYRange(low - 0.2, high + 0.2, padding=0)
            # A fixed least number of steps, so that the axis does not jump with each new point.
            self.plot.setXRange(0.5, max(shown[-1][0], LEAST_STEPS) + 0.5, padding=0)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        paint_axes(self.plot, colours, self.font())
        pen = pyqtgraph.mkPen
        self._goal.setPen(pen(colours.muted, width=1.5, style=Qt.PenStyle.DashLine))
        self.curve.setPen(pen(colours.accent, width=2))
        self.curve.setSymbolPen(pen(colours.accent))
        self.curve.setSymbolBrush(pyqtgraph.mkBrush(colours.canvas))
        self._note.set_colours(colours)

    def sizeHint(self) -> QSize:
        return QSize(420, 260)

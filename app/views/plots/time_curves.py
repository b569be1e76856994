"""Several values over the time of a running scan, with marks at events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph
from PySide6.QtCore import QSize

from app.views.colour.colours import DARK, ViewColours
from app.views.note import Note
from app.views.plots.plot_axes import StillPlot
from app.views.plots.ranges import thousands

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARGIN, LEGEND_MARGIN = 0.08, 0.45
"""Free space above the curves as a share of the height, without and with a legend."""
LEGEND_PX = (-6, 2)
MIN_S = 5.0
"""Least length of the time axis [s]."""


class TimeCurves(StillPlot):
    """The plot.

    Parameters
    ----------
    names : names of the curves in order
    empty : note that is shown until there is data
    from_zero : True if the axis starts at zero; otherwise zero is near its centre
    min_half_height : least half height of the axis
    """

    def __init__(
        self, names: Sequence[str], empty: str, *, from_zero: bool, min_half_height: float
    ) -> None:
        super().__init__("−0000.0")
        self._from_zero, self._min_half_height = from_zero, min_half_height
        self._legend = self.addLegend(offset=LEGEND_PX, colCount=len(names), verSpacing=-6)
        self._curves = {name: self.plot([], [], name=name, antialias=True) for name in names}
        self._marks: list[pyqtgraph.InfiniteLine] = []
        self._note = Note(empty, self)
        self._colours = DARK
        self.power = 0
        self.setMinimumHeight(120)
        self.show_curves(np.zeros(0), {}, ())

    def sizeHint(self) -> QSize:
        return QSize(260, 150)

    def show_curves(
        self,
        times_s: NDArray[np.float64],
        values: Mapping[str, NDArray[np.float64]],
        marks_s: Sequence[float],
    ) -> None:
        """Show curves.

        Parameters
        ----------
        times_s
            times of the values [s]
        values
            values by name of the curve; one with only NaN is hidden
        marks_s
            times of the marks [s]
        """
        # A quantity that the stream does not report is NaN throughout.
        known = {name: each for name, each in values.items() if np.isfinite(each).any()}
        for name, curve in self._curves.items():
            shown = known.get(name)
            curve.setData([] if shown is None else times_s, [] if shown is None else shown)
        self._note.setVisible(not known)
        self._legend.setVisible(bool(known) and len(self._curves) > 1)
        for axis in ("left", "bottom"):
            self.showAxis(axis, show=bool(known))
        self._mark(marks_s if known else ())
        if known:
            self._scale(times_s, np.concatenate([*known.values()]))

    def _scale(self, times_s: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        low = min(low, 0.0) if self._from_zero else min(low, -self._min_half_height)
        # Small values must not fill the plot with noise.
        high = max(high, self._min_half_height)
        margin = MARGIN * (high - low)
        above = LEGEND_MARGIN * (high - low) if len(self._curves) > 1 else margin
        self.setYRange(low - (0 if self._from_zero else margin), high + above, padding=0)
        self.setXRange(0, max(float(times_s[-1]), MIN_S), padding=0.01)
        self.power = thousands([low, high])
        self.getAxis("left").setScale(10.0**-self.power)

    def _mark(self, marks_s: Sequence[float]) -> None:
        # Lines are reused: the plot is updated several times a second.
        while len(self._marks) > len(marks_s):
            self.removeItem(self._marks.pop())
        while len(self._marks) < len(marks_s):
            line = pyqtgraph.InfiniteLine(angle=90, movable=False)
            line.setPen(self._mark_pen())
            self.addItem(line)
            self._marks.append(line)
        for line, at_s in zip(self._marks, marks_s, strict=True):
            line.setPos(at_s)

    def _mark_pen(self) -> object:
        return pyqtgraph.mkPen(self._colours.warning, width=1.5)

    def set_colours(self, colours: ViewColours) -> None:
        self._colours = colours
        super().set_colours(colours)
        pens = (colours.accent, colours.line, colours.muted)
        for curve, colour in zip(self._curves.values(), pens, strict=False):
            curve.setPen(pyqtgraph.mkPen(colour, width=2))
        for line in self._marks:
            line.setPen(self._mark_pen())
        for _, words in self._legend.items:
            words.setText(words.text, color=colours.text)
        self._note.set_colours(colours)

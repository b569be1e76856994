"""A value over time: one point per frame, with the standard deviation of its voxels."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyqtgraph
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.note import Note
from app.views.plots.plot_axes import StillPlot, paint_axes, thousands
from engine.analysis.quality import TimeCurve
from engine.data import unit_text

EMPTY_TEXT = tr("Each time frame adds a point to the curve")
ROOM = 0.06
WHISKER_PX = 1.0


class CurveOverTime(StillPlot):
    """The plot: points, connected by a line, with an error bar at each."""

    def __init__(self) -> None:
        super().__init__("−00.000")
        self._whiskers = pyqtgraph.ErrorBarItem(x=np.zeros(0), y=np.zeros(0), height=np.zeros(0))
        self.addItem(self._whiskers)
        self._line = self.plot([], [], symbol="o", symbolSize=5, antialias=True)
        self._note = Note(EMPTY_TEXT, self)
        self.setLabel("bottom", tr("time [s]"))

    def show_curve(self, curve: TimeCurve | None) -> None:
        """Show a curve.

        Parameters
        ----------
        curve
            the curve; None shows a note
        """
        self._note.setVisible(curve is None)
        for name in ("left", "bottom"):
            self.showAxis(name, show=curve is not None)
        found = (curve.middles, curve.means, curve.deviations) if curve else ((), (), ())
        times, means, spread = (np.array(column) for column in found)
        self._line.setData(times, means)
        self._whiskers.setData(x=times, y=means, height=2 * spread)
        if curve is None:
            return
        # Activity curves start at zero; a cut axis would exaggerate small changes.
        low = min(0.0, float((means - spread).min()))
        high = float((means + spread).max())
        room = ROOM * (high - low) or 0.5
        self.setYRange(low, high + room, padding=0)
        # Gates have no time of their own, so they are numbered.
        gates, last = curve.is_of_a_cycle, curve.frames[-1]
        self.setLabel("bottom", tr("gate") if gates else tr("time [s]"))
        end = len(curve.frames) + 0.5 if gates else last.start_s + last.duration_s
        self.setXRange(0.5 if gates else 0, end, padding=0.01)
        self.getAxis("left").setScale(10.0 ** -thousands([low, high]))

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        paint_axes(self, colours, self.font())
        pen = pyqtgraph.mkPen(colours.accent, width=2)
        self._line.setPen(pen)
        self._line.setSymbolPen(pen)
        self._line.setSymbolBrush(QColor(colours.canvas))
        self._whiskers.setData(pen=pyqtgraph.mkPen(colours.muted, width=WHISKER_PX))
        self._note.set_colours(colours)


class TimePlot(QWidget):
    """A curve over time. The plot is created when it is first shown.

    `head` is the unit of the values with the power of ten.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.curve: TimeCurve | None = None
        self.plot: CurveOverTime | None = None
        self._colours = DARK
        self.head = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.setAccessibleName(tr("Values over time"))

    def show_curve(self, curve: TimeCurve | None) -> None:
        """Show a curve.

        Parameters
        ----------
        curve
            the curve; None shows a note
        """
        self.curve = curve
        self.head = "" if curve is None else unit_text(curve.unit, thousands([0.0, *curve.means]))
        if self.plot is not None:
            self.plot.show_curve(curve)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        if self.plot is not None:
            self.plot.set_colours(colours)

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.plot is None:
            self.plot = CurveOverTime()
            cast(QVBoxLayout, self.layout()).addWidget(self.plot)
            self.plot.set_colours(self._colours)
            self.plot.show_curve(self.curve)

"""The values along a line: a curve over the distance, with its width at half height."""

from __future__ import annotations

import math

import pyqtgraph
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.colours import DARK, ViewColours
from app.views.curve_view import ValueAxis, thousands
from app.views.note import Note
from app.views.plot_axes import paint_axes
from app.views.text import unit_text
from engine.quality import LineProfile

EMPTY_TEXT = "Draw a line across a slice to see the values along it"
ROOM = 0.06


class LinePlot(QWidget):
    """The profile of the image on show, and if wished one kept for comparison behind it.

    `head` is the unit of the values, with the power of ten taken out of them.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.profile: LineProfile | None = None
        self.kept: LineProfile | None = None
        self._length = "mm"
        self.head = ""
        axes = {"bottom": ValueAxis("bottom"), "left": ValueAxis("left")}
        self.plot = pyqtgraph.PlotWidget(axisItems=axes)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._behind = self.plot.plot([], [], antialias=True)
        self._curve = self.plot.plot([], [], antialias=True)
        self._width = self.plot.plot([], [], antialias=True)
        self._note = Note(EMPTY_TEXT, self.plot)
        self._settle()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.plot)
        self.setAccessibleName("Values along the line")
        self.set_colours(DARK)
        self.show_profile(None, None)

    def _settle(self) -> None:
        self.plot.setMenuEnabled(False)
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.hideButtons()
        self.plot.setFrameShape(self.plot.Shape.NoFrame)
        self.plot.showGrid(x=False, y=True, alpha=0.25)
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=-4, maxTickLevel=0, hideOverlappingLabels=False)
        room = QFontMetricsF(self.font()).horizontalAdvance("−00.000")
        self.plot.getAxis("left").setWidth(math.ceil(room) + 8)
        self.plot.getPlotItem().setContentsMargins(0, 8, 10, 0)

    def show_profile(
        self, profile: LineProfile | None, kept: LineProfile | None, length: str = "mm"
    ) -> None:
        """Show a profile, and another behind it; lengths are in `length`."""
        self.profile, self.kept, self._length = profile, kept, length
        for curve, shown in ((self._curve, profile), (self._behind, kept)):
            if shown is None:
                curve.setData([], [])
            else:
                curve.setData(shown.distance_mm, shown.values)
        self._show_width(profile)
        self._note.setVisible(profile is None)
        for name in ("left", "bottom"):
            self.plot.showAxis(name, show=profile is not None)
        self._scale([each for each in (profile, kept) if each is not None])

    def _show_width(self, profile: LineProfile | None) -> None:
        places = profile.half_places_mm if profile is not None else None
        if profile is None or places is None:
            self._width.setData([], [])
        else:
            self._width.setData(places, [profile.half_height] * 2)

    def _scale(self, shown: list[LineProfile]) -> None:
        if not shown:
            self.head = ""
            return
        lowest = min(float(each.values.min()) for each in shown)
        high = max(float(each.values.max()) for each in shown)
        low = lowest if lowest > high / 2 > 0 else min(0.0, lowest)
        room = ROOM * (high - low) or 0.5
        self.plot.setYRange(low - room, high + room, padding=0)
        self.plot.setXRange(0, max(each.length_mm for each in shown), padding=0.01)
        power = thousands([low, high])
        self.plot.getAxis("left").setScale(10.0**-power)
        self.plot.setLabel("bottom", f"from end 1 [{self._length}]")
        self.head = unit_text(shown[0].unit, power)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        paint_axes(self.plot, colours, self.font())
        self._curve.setPen(pyqtgraph.mkPen(colours.line, width=2))
        self._behind.setPen(pyqtgraph.mkPen(colours.muted, width=1.5, style=Qt.PenStyle.DashLine))
        self._width.setPen(pyqtgraph.mkPen(colours.accent, width=2))
        self._note.set_colours(colours)

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

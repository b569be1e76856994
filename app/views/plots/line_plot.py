"""Values along a line by distance, with the full width at half maximum."""

from __future__ import annotations

from typing import cast

import pyqtgraph
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.note import Note
from app.views.plots.plot_axes import StillPlot, paint_axes, thousands
from engine.analysis.quality import LineProfile
from engine.data import unit_text

EMPTY_TEXT = tr("Draw a line across a slice to see the values along it")
ROOM = 0.06


class ProfilePlot(StillPlot):
    """The plot: a profile, its width at half maximum, and another profile behind it."""

    def __init__(self) -> None:
        super().__init__("−00.000")
        self._behind = self.plot([], [], antialias=True)
        self._curve = self.plot([], [], antialias=True)
        self._width = self.plot([], [], antialias=True)
        self._note = Note(EMPTY_TEXT, self)

    def show_profile(
        self, profile: LineProfile | None, stored: LineProfile | None, length: str
    ) -> None:
        """Show a profile.

        Parameters
        ----------
        profile
            the profile; None shows a note
        stored
            profile for comparison, drawn behind; None for none
        length
            unit of lengths
        """
        for curve, shown in ((self._curve, profile), (self._behind, stored)):
            if shown is None:
                curve.setData([], [])
            else:
                curve.setData(shown.distance_mm, shown.values)
        self._show_width(profile)
        self._note.setVisible(profile is None)
        for name in ("left", "bottom"):
            self.showAxis(name, show=profile is not None)
        shown_ones = [each for each in (profile, stored) if each is not None]
        if shown_ones:
            self._scale(shown_ones, length)

    def _show_width(self, profile: LineProfile | None) -> None:
        places = profile.half_places_mm if profile is not None else None
        if profile is None or places is None:
            self._width.setData([], [])
        else:
            self._width.setData(places, [profile.half_height] * 2)

    def _scale(self, shown: list[LineProfile], length: str) -> None:
        low, high = _span(shown)
        # A constant profile has no range, but needs an axis.
        room = ROOM * (high - low) or 0.5
        self.setYRange(low - room, high + room, padding=0)
        self.setXRange(0, max(each.length_mm for each in shown), padding=0.01)
        self.getAxis("left").setScale(10.0 ** -thousands([low, high]))
        self.setLabel("bottom", tr("distance from end 1 [{length}]", length=length))

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        paint_axes(self, colours, self.font())
        self._curve.setPen(pyqtgraph.mkPen(colours.line, width=2))
        self._behind.setPen(pyqtgraph.mkPen(colours.muted, width=1.5, style=Qt.PenStyle.DashLine))
        self._width.setPen(pyqtgraph.mkPen(colours.accent, width=2))
        self._note.set_colours(colours)


class LinePlot(QWidget):
    """The profile of the displayed image, with an optional one for comparison.

    `head` is the unit of the values with the power of ten. The plot is created when it is first
    shown.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.profile: LineProfile | None = None
        self.stored: LineProfile | None = None
        self.plot: ProfilePlot | None = None
        self._length, self._colours = "mm", DARK
        self.head = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.setAccessibleName(tr("Values along the line"))

    def show_profile(
        self, profile: LineProfile | None, stored: LineProfile | None, length: str = "mm"
    ) -> None:
        """Show a profile.

        Parameters
        ----------
        profile
            the profile; None shows a note
        stored
            profile for comparison, drawn behind; None for none
        length
            unit of lengths
        """
        self.profile, self.stored, self._length = profile, stored, length
        shown = [each for each in (profile, stored) if each is not None]
        # Both profiles share one axis and therefore one power of ten.
        self.head = unit_text(shown[0].unit, thousands([*_span(shown)])) if shown else ""
        if self.plot is not None:
            self.plot.show_profile(profile, stored, length)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        if self.plot is not None:
            self.plot.set_colours(colours)

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # The profile may have been set before, while the page was hidden.
        if self.plot is None:
            self.plot = ProfilePlot()
            cast(QVBoxLayout, self.layout()).addWidget(self.plot)
            self.plot.set_colours(self._colours)
            self.plot.show_profile(self.profile, self.stored, self._length)


def _span(shown: list[LineProfile]) -> tuple[float, float]:
    """Return the range of values to show: from zero, unless all values are far above it."""
    lowest = min(float(each.values.min()) for each in shown)
    high = max(float(each.values.max()) for each in shown)
    return lowest if lowest > high / 2 > 0 else min(0.0, lowest), high

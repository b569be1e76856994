"""The plot of values along a line."""

from __future__ import annotations

import pyqtgraph
from PySide6.QtCore import Qt

from app.language.translation import tr
from app.views.colour.colours import ViewColours
from app.views.note import Note
from app.views.plots.plot_axes import StillPlot
from app.views.plots.ranges import span, thousands
from engine.analysis.quality import LineProfile

EMPTY_TEXT = tr("Draw a line across a slice to see the values along it")
MARGIN = 0.06


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
        low, high = span(shown)
        # A constant profile has no range, but needs an axis.
        margin = MARGIN * (high - low) or 0.5
        self.setYRange(low - margin, high + margin, padding=0)
        self.setXRange(0, max(each.length_mm for each in shown), padding=0.01)
        self.getAxis("left").setScale(10.0 ** -thousands([low, high]))
        self.setLabel("bottom", tr("distance from end 1 [{length}]", length=length))

    def set_colours(self, colours: ViewColours) -> None:
        super().set_colours(colours)
        self._curve.setPen(pyqtgraph.mkPen(colours.line, width=2))
        self._behind.setPen(pyqtgraph.mkPen(colours.muted, width=1.5, style=Qt.PenStyle.DashLine))
        self._width.setPen(pyqtgraph.mkPen(colours.accent, width=2))
        self._note.set_colours(colours)

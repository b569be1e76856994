"""The plot of a value over time, with an error bar at each point."""

from __future__ import annotations

import numpy as np
import pyqtgraph
from PySide6.QtGui import QColor

from app.language.translation import tr
from app.views.colour.colours import ViewColours
from app.views.note import Note
from app.views.plots.plot_axes import StillPlot
from app.views.plots.ranges import thousands
from engine.analysis.quality import TimeCurve
from engine.data import unit_text

EMPTY_TEXT = tr("Each time frame adds a point to the curve")
MARGIN = 0.06
WHISKER_PX = 1.5
BEAM = 0.15
"""Width of the ends of a bar, as a share of the shortest time between two points."""


class CurveOverTime(StillPlot):
    """The plot: points, connected by a line, with an error bar at each."""

    def __init__(self) -> None:
        super().__init__("−00.000")
        self._whiskers = pyqtgraph.ErrorBarItem(x=np.zeros(0), y=np.zeros(0), height=np.zeros(0))
        self.addItem(self._whiskers)
        self._line = self.plot([], [], symbol="o", symbolSize=5, antialias=True)
        self._note = Note(EMPTY_TEXT, self)
        self.setLabel("bottom", tr("Time [s]"))

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
        found = (curve.middles, curve.means, bars_of(curve)) if curve else ((), (), ())
        times, means, spread = (np.array(column, np.float64) for column in found)
        # A frame without an error map has no bar.
        spread = np.nan_to_num(spread)
        self._line.setData(times, means)
        beam = BEAM * float(np.diff(times).min()) if len(times) > 1 else 0.0
        self._whiskers.setData(x=times, y=means, height=2 * spread, beam=beam)
        if curve is None:
            return
        # Activity curves start at zero; a cut axis would exaggerate small changes.
        low = min(0.0, float((means - spread).min()))
        high = float((means + spread).max())
        margin = MARGIN * (high - low) or 0.5
        self.setYRange(low, high + margin, padding=0)
        # Gates have no time of their own, so they are numbered.
        gates, last = curve.is_of_a_cycle, curve.frames[-1]
        self.setLabel("bottom", tr("Gate") if gates else tr("Time [s]"))
        end = len(curve.frames) + 0.5 if gates else last.start_s + last.duration_s
        self.setXRange(0.5 if gates else 0, end, padding=0.01)
        power = thousands([0.0, *curve.means])
        self.getAxis("left").setScale(10.0**-power)
        unit = unit_text(curve.unit, power) or tr("no unit")
        self.name_left(tr("Mean [{unit}]", unit=unit))

    def set_colours(self, colours: ViewColours) -> None:
        super().set_colours(colours)
        pen = pyqtgraph.mkPen(colours.accent, width=2)
        self._line.setPen(pen)
        self._line.setSymbolPen(pen)
        self._line.setSymbolBrush(QColor(colours.canvas))
        self._whiskers.setData(pen=pyqtgraph.mkPen(colours.text, width=WHISKER_PX))
        self._note.set_colours(colours)


def bars_of(curve: TimeCurve) -> tuple[float, ...]:
    """Return half the length of the bars of a curve, in its unit; NaN for no bar.

    Parameters
    ----------
    curve
        the curve
    """
    return curve.errors or curve.deviations

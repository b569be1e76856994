"""The plot of the run times of kernel variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyqtgraph
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.language.translation import tr
from app.views.colour.colours import ViewColours
from app.views.plots.curve_plot import IntegerAxis
from app.views.plots.plot_axes import StillPlot

if TYPE_CHECKING:
    from app.views.plots.tuning_view import FormTimes

SLOWEST = 1.5
"""Upper end of the axis, in times of the default. Slower variants are drawn at this edge."""
MIN_FORMS = 10


class TuningPlot(StillPlot):
    """Dots for the variants, a line for the default, and steps for the best time so far."""

    def __init__(self) -> None:
        super().__init__("−0000.0", bottom=IntegerAxis("bottom"))
        self.setLabel("bottom", tr("variant number"))
        self.shipped = pyqtgraph.InfiniteLine(angle=0)
        self.addItem(self.shipped)
        # Steps and not slopes: the best time stays until the next better one.
        self.best = self.plot([], [], stepMode="right")
        self.dots = {
            "tried": self._dots("o", 7),
            "known": self._dots("o", 7),
            "slow": self._dots("t1", 9),
            "faulty": self._dots("x", 9),
        }

    def show_times(self, times: FormTimes, shipped_ms: float) -> None:
        """Show the tested variants.

        Parameters
        ----------
        times
            their times
        shipped_ms
            time of the default variant [ms]
        """
        low, top = _range_of(times, shipped_ms)
        for name, points in (("tried", times.tried), ("known", times.known)):
            self.dots[name].setData(*_x_and_y([p for p in points if p[1] <= top]))
        # Without this limit, one very slow variant would flatten all others.
        slow = [(n, top) for n, ms in (*times.tried, *times.known) if ms > top]
        self.dots["slow"].setData(*_x_and_y(slow))
        self.dots["faulty"].setData(*_x_and_y([(n, top) for n in times.faulty]))
        self.best.setData(*_x_and_y([*enumerate(times.best, 1)]))
        self.shipped.setValue(shipped_ms)
        margin = 0.06 * (top - low)
        self.setYRange(low - margin, top + margin, padding=0)
        # Space for at least ten variants, so that the first points do not fill the plot.
        self.setXRange(0.5, max(times.n, MIN_FORMS) + 0.5, padding=0)

    def set_colours(self, colours: ViewColours) -> None:
        super().set_colours(colours)
        pen = pyqtgraph.mkPen
        self.shipped.setPen(pen(colours.muted, width=1.5, style=Qt.PenStyle.DashLine))
        self.best.setPen(pen(colours.accent, width=2))
        inside = {"tried": colours.accent, "known": colours.canvas, "slow": colours.muted}
        for name, dots in self.dots.items():
            edge = {"faulty": colours.warning, "slow": colours.muted}.get(name, colours.accent)
            dots.setSymbolPen(pen(edge, width=1.5))
            dots.setSymbolBrush(QColor(inside.get(name, colours.warning)))

    def _dots(self, symbol: str, size_px: int) -> pyqtgraph.PlotDataItem:
        return self.plot([], [], pen=None, symbol=symbol, symbolSize=size_px, antialias=True)


def _x_and_y(points: list[tuple[int, float]]) -> tuple[list[int], list[float]]:
    return [n for n, _ in points], [ms for _, ms in points]


def _range_of(times: FormTimes, shipped_ms: float) -> tuple[float, float]:
    """Return the time range of the plot: all fast variants, and a useful part of the slow ones."""
    all_ms = [shipped_ms, *times.best, *(ms for _, ms in (*times.tried, *times.known))]
    # At least 10 % above the default, so that its line is never at the edge.
    top = min(max(*all_ms, 1.1 * shipped_ms), SLOWEST * shipped_ms)
    return min(0.9 * shipped_ms, *all_ms), top

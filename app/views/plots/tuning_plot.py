"""Run times of the tested kernel variants."""

from __future__ import annotations

from dataclasses import dataclass

import pyqtgraph
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.literal_text import LiteralLabel
from app.views.note import Note
from app.views.plots.curve_plot import WholeAxis
from app.views.plots.plot_axes import StillPlot, paint_axes

SLOWEST = 1.5
"""Upper end of the axis, in times of the default. Slower variants are drawn at this edge."""
LEAST_FORMS = 10
EMPTY_TEXT = tr("Each tested variant adds a point here")
KEY = tr(
    "Time per run [ms]. Dots: variants, hollow if measured in an earlier search. Dashed line: "
    "default variant. Steps: best so far. Triangles: slower than the plot range. Crosses: wrong "
    "or failed."
)


@dataclass(frozen=True)
class FormTimes:
    """Variants in the order they were tried, counted from 1, with their times [ms].

    Attributes
    ----------
    tried, known : measured in this search, and in an earlier one
    faulty : variants that failed or gave wrong results
    best : best time so far, after each variant
    shipped : time of the default variant; None before it was run
    """

    tried: tuple[tuple[int, float], ...] = ()
    known: tuple[tuple[int, float], ...] = ()
    faulty: tuple[int, ...] = ()
    best: tuple[float, ...] = ()
    shipped: float | None = None

    @property
    def n(self) -> int:
        """Number of variants."""
        return len(self.tried) + len(self.known) + len(self.faulty)


class TuningPlot(QWidget):
    """The plot with its key; a note is shown until there is data."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.times = FormTimes()
        self.head = LiteralLabel(KEY)
        self.head.setWordWrap(True)
        self.head.setProperty("role", "muted")
        self.plot = StillPlot("−0000.0", bottom=WholeAxis("bottom"))
        self.plot.setLabel("bottom", tr("variant number"))
        self.shipped = pyqtgraph.InfiniteLine(angle=0)
        self.plot.addItem(self.shipped)
        # Steps and not slopes: the best time stays until the next better one.
        self.best = self.plot.plot([], [], stepMode="right")
        self.dots = {
            "tried": self._dots("o", 7),
            "known": self._dots("o", 7),
            "slow": self._dots("t1", 9),
            "faulty": self._dots("x", 9),
        }
        self._note = Note(EMPTY_TEXT, self.plot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        column.addWidget(self.head)
        self.setAccessibleName(tr("Times for the tested variants"))
        self.set_colours(DARK)
        self.show_times(self.times)

    def show_times(self, times: FormTimes) -> None:
        """Show the tested variants.

        Parameters
        ----------
        times
            their times
        """
        self.times = times
        shipped = times.shipped
        self._note.setVisible(shipped is None)
        for name in ("left", "bottom"):
            self.plot.showAxis(name, show=shipped is not None)
        self.shipped.setVisible(shipped is not None)
        low, top = _range_of(times)
        for name, points in (("tried", times.tried), ("known", times.known)):
            self.dots[name].setData(*_across([p for p in points if p[1] <= top]))
        # Without this limit, one very slow variant would flatten all others.
        slow = [(n, top) for n, ms in (*times.tried, *times.known) if ms > top]
        self.dots["slow"].setData(*_across(slow))
        self.dots["faulty"].setData(*_across([(n, top) for n in times.faulty]))
        self.best.setData(*_across([*enumerate(times.best, 1)]))
        if shipped is None:
            return
        self.shipped.setValue(shipped)
        room = 0.06 * (top - low)
        self.plot.setYRange(low - room, top + room, padding=0)
        # Space for at least ten variants, so that the first points do not fill the plot.
        self.plot.setXRange(0.5, max(times.n, LEAST_FORMS) + 0.5, padding=0)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        paint_axes(self.plot, colours, self.font())
        self._note.set_colours(colours)
        pen = pyqtgraph.mkPen
        self.shipped.setPen(pen(colours.muted, width=1.5, style=Qt.PenStyle.DashLine))
        self.best.setPen(pen(colours.accent, width=2))
        inside = {"tried": colours.accent, "known": colours.canvas, "slow": colours.muted}
        for name, dots in self.dots.items():
            edge = {"faulty": colours.warning, "slow": colours.muted}.get(name, colours.accent)
            dots.setSymbolPen(pen(edge, width=1.5))
            dots.setSymbolBrush(QColor(inside.get(name, colours.warning)))

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def _dots(self, symbol: str, size_px: int) -> pyqtgraph.PlotDataItem:
        return self.plot.plot([], [], pen=None, symbol=symbol, symbolSize=size_px, antialias=True)


def _across(points: list[tuple[int, float]]) -> tuple[list[int], list[float]]:
    return [n for n, _ in points], [ms for _, ms in points]


def _range_of(times: FormTimes) -> tuple[float, float]:
    """Return the time range of the plot: all fast variants, and a useful part of the slow ones."""
    if times.shipped is None:
        return 0.0, 1.0
    all_ms = [times.shipped, *times.best, *(ms for _, ms in (*times.tried, *times.known))]
    # At least 10 % above the default, so that its line is never at the edge.
    top = min(max(*all_ms, 1.1 * times.shipped), SLOWEST * times.shipped)
    return min(0.9 * times.shipped, *all_ms), top

"""Plots of regions: histogram, and means over iterations or frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.slices.labels import WrappedLabel
from engine.analysis.regions import ValueHistogram
from engine.data import unit_text

if TYPE_CHECKING:  # pyqtgraph takes a third of a second to import
    from app.views.plots.plot_axes import StillPlot

MARGIN = 0.08
HEIGHT_PX = 150


class _LazyPlot(QWidget):
    """A plot with a caption, created when it is first shown, because pyqtgraph is slow to start."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._colours = DARK
        self.plot: StillPlot | None = None
        self.head = WrappedLabel()
        self.head.setProperty("role", "caption")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.head)

    def sizeHint(self) -> QSize:
        return QSize(280, HEIGHT_PX)

    def set_colours(self, colours: ViewColours) -> None:
        """Use the colours of another theme."""
        self._colours = colours
        if self.plot is not None:
            self.plot.set_colours(colours)
            self.draw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.plot is None:
            from app.views.plots.plot_axes import StillPlot

            self.plot = StillPlot("−000.00", right_px=8)
            self.plot.setFixedHeight(HEIGHT_PX)
            cast(QVBoxLayout, self.layout()).addWidget(self.plot, 1)
            self.set_colours(self._colours)

    def draw(self) -> None:
        """Draw the plot."""


class HistogramPlot(_LazyPlot):
    """Volume [mL] by value of one region."""

    def __init__(self) -> None:
        super().__init__(tr("Histogram of the region"))
        self._found: ValueHistogram | None = None
        self._unit, self._power, self._colour = "", 0, "#ffffff"

    def show_histogram(
        self, found: ValueHistogram | None, unit: str, power: int, colour: str
    ) -> None:
        """Show a histogram; None hides it.

        Parameters
        ----------
        found
            histogram of a region
        unit
            unit of the values
        power
            power of ten taken out of the values, as in the table
        colour
            colour of the region, "#rrggbb"
        """
        self._found, self._unit, self._colour = found, unit, colour
        self._power = power
        self.setVisible(found is not None)
        self.draw()

    def draw(self) -> None:
        found, plot = self._found, self.plot
        if found is None:
            return
        power = self._power
        self.head.setText(
            tr(
                "Volume in mL by voxel value ({unit_text})",
                unit_text=unit_text(self._unit, power) or tr("no unit"),
            )
        )
        if plot is None:
            return
        import pyqtgraph

        plot.clear()
        fill = QColor(self._colour)
        # The grid remains visible through the bars.
        fill.setAlpha(120)
        pen = pyqtgraph.mkPen(QColor(self._colour), width=1)
        curve = pyqtgraph.PlotCurveItem(
            found.edges, found.volumes_ml, stepMode="center", fillLevel=0, brush=fill, pen=pen
        )
        plot.addItem(curve)
        # The axis is scaled instead of the data, so that the limits remain in the unit of the
        # image.
        plot.getAxis("bottom").setScale(10.0**-power)
        plot.setXRange(float(found.edges[0]), float(found.edges[-1]), padding=0.01)
        plot.setYRange(0, float(found.volumes_ml.max()) * (1 + MARGIN), padding=0)


class MeanCurves(_LazyPlot):
    """Means of regions by iteration or over time, each in the colour of its region."""

    def __init__(self) -> None:
        super().__init__(tr("Region means per iteration or frame"))
        self._curves: Mapping[str, Sequence[tuple[float, float, float]]] = {}
        self._ink: Mapping[str, str] = {}
        self._unit, self._power = "", 0
        self._below, self._over_time = "", False

    def show_curves(
        self,
        curves: Mapping[str, Sequence[tuple[float, float, float]]],
        ink: Mapping[str, str],
        unit: str,
        power: int,
        *,
        over_time: bool,
    ) -> None:
        """Show a curve for each region with a colour; hidden until there are two points.

        Parameters
        ----------
        curves
            (iteration or time [s], mean, standard deviation or NaN) of each region by name
        ink
            colour by name; other regions are hidden
        unit
            unit of the values
        power
            power of ten taken out of the values, as in the table
        over_time
            True if the curves are over time
        """
        # Hidden regions have no colour in `ink`, so their curves are dropped.
        self._curves = {name: points for name, points in curves.items() if name in ink}
        self._ink, self._unit, self._power = ink, unit, power
        self._over_time = over_time
        self._below = tr("Time [s]") if over_time else tr("Iteration")
        self.setVisible(any(len(points) > 1 for points in self._curves.values()))
        self.draw()

    def draw(self) -> None:
        bars = [(v, 0.0 if np.isnan(sd) else sd) for c in self._curves.values() for _, v, sd in c]
        values = [end for v, sd in bars if np.isfinite(v) for end in (v - sd, v + sd)]
        power = self._power
        unit = unit_text(self._unit, power) or tr("no unit")
        self.head.setText(self._title(unit, has_bars=any(sd for _, sd in bars)))
        if self.plot is None or not values:
            return
        import pyqtgraph

        self.plot.clear()
        for name, points in self._curves.items():
            pen = pyqtgraph.mkPen(QColor(self._ink[name]), width=2)
            brush = QColor(self._colours.canvas)
            at, mean, sd = np.array(points).T
            bar = pyqtgraph.mkPen(QColor(self._ink[name]), width=1.5)
            known = np.isfinite(sd) & np.isfinite(mean)
            if known.any():
                self.plot.addItem(
                    pyqtgraph.ErrorBarItem(
                        x=at[known], y=mean[known], height=2 * sd[known], pen=bar
                    )
                )
            self.plot.plot(
                at, mean, pen=pen, symbol="o", symbolSize=5, symbolPen=pen, symbolBrush=brush,
                antialias=True, name=name,
            )  # fmt: skip
        low, high = min(values), max(values)
        # A constant curve, or one at 0, still needs a range for the axis.
        margin = MARGIN * (high - low) or 0.05 * abs(high) or 1.0
        self.plot.setLabel("bottom", self._below)
        self.plot.name_left(tr("Mean"))  # the heading states the unit
        self.plot.getAxis("left").setScale(10.0**-power)
        self.plot.setYRange(low - margin, high + margin, padding=0)
        places = [point[0] for points in self._curves.values() for point in points]
        self.plot.setXRange(min(places), max(places), padding=0.03)

    def _title(self, unit: str, *, has_bars: bool) -> str:
        if not self._over_time:
            return tr("Mean per iteration ({unit_text})", unit_text=unit)
        if has_bars:
            return tr(
                "Mean per frame ({unit_text}); bars: ±1 standard deviation of the noise",
                unit_text=unit,
            )
        return tr("Mean per frame ({unit_text})", unit_text=unit)

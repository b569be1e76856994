"""A value over time: one point per frame, with an error bar.

The bar is the error of the mean if the frames have error maps, otherwise the standard deviation of
the voxel values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.plots.late_view import PlotOnShow
from app.views.plots.ranges import thousands
from app.views.slices.labels import WrappedLabel
from engine.analysis.quality import TimeCurve
from engine.data import unit_text

if TYPE_CHECKING:
    from app.views.plots.curve_over_time import CurveOverTime


def legend_of(curve: TimeCurve, head: str) -> str:
    """Return the legend of a curve: quantity, unit and meaning of the bars.

    Parameters
    ----------
    curve
        the curve
    head
        unit of the values with the power of ten
    """
    unit = head or tr("no unit")
    if curve.errors:
        return tr(
            "Mean ({unit}); bars: ±1 standard deviation of the noise, from {n} replicates",
            unit=unit,
            n=curve.n_replicates,
        )
    return tr("Mean ({unit}); bars: ±1 standard deviation of the voxel values", unit=unit)


class TimePlot(PlotOnShow):
    """A curve over time with its legend.

    `head` is the unit of the values with the power of ten.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Values over time"), parent)
        self.curve: TimeCurve | None = None
        self.plot: CurveOverTime | None = None
        self.head = ""
        # Inside this widget, so that a picture of the curve states the meaning of its bars.
        self.legend = WrappedLabel()
        self.legend.setProperty("role", "muted")
        self._column.addWidget(self.legend)

    def show_curve(self, curve: TimeCurve | None) -> None:
        """Show a curve.

        Parameters
        ----------
        curve
            the curve; None shows a note
        """
        self.curve = curve
        self.head = "" if curve is None else unit_text(curve.unit, thousands([0.0, *curve.means]))
        self.legend.setText("" if curve is None else legend_of(curve, self.head))
        self.legend.setVisible(curve is not None)
        self.refresh_plot()

    def make_plot(self) -> CurveOverTime:
        from app.views.plots.curve_over_time import CurveOverTime

        self.plot = CurveOverTime()
        return self.plot

    def refresh_plot(self) -> None:
        if self.plot is not None:
            self.plot.show_curve(self.curve)

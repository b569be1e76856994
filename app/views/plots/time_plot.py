"""A value over time: one point per frame, with an error bar.

The bar is the error of the mean if the frames have error maps, otherwise the standard deviation of
the voxel values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.plots.ranges import thousands
from app.views.slices.labels import WrappedLabel
from engine.analysis.quality import TimeCurve
from engine.data import unit_text

if TYPE_CHECKING:  # pyqtgraph takes a third of a second to import
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


class TimePlot(QWidget):
    """A curve over time with its legend. The plot is created when it is first shown.

    `head` is the unit of the values with the power of ten.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.curve: TimeCurve | None = None
        self.plot: CurveOverTime | None = None
        self._colours = DARK
        self.head = ""
        # Inside this widget, so that a picture of the curve states the meaning of its bars.
        self.legend = WrappedLabel()
        self.legend.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.legend)
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
        self.legend.setText("" if curve is None else legend_of(curve, self.head))
        self.legend.setVisible(curve is not None)
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
            from app.views.plots.curve_over_time import CurveOverTime

            self.plot = CurveOverTime()
            cast(QVBoxLayout, self.layout()).addWidget(self.plot, 1)
            self.plot.set_colours(self._colours)
            self.plot.show_curve(self.curve)

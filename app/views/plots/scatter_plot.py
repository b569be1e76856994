"""Measured counts and estimated scatter by distance of the lines from the axis."""

from __future__ import annotations

import pyqtgraph
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.plots.plot_axes import StillPlot
from app.views.plots.ranges import thousands
from app.views.slices.labels import WrappedLabel
from engine.data import ScatterProfile, unit_text

HEIGHT_PX = 150
KEY = tr("Counts without randoms (solid line), scatter (dashed line)")


class ScatterPlot(QWidget):
    """Two curves: measured counts, and the simulated scatter scaled to them outside the object."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.profile: ScatterProfile | None = None
        self.head = WrappedLabel()
        self.plot = StillPlot("−00.0")
        self.plot.setFixedHeight(HEIGHT_PX)
        self.plot.setLabel("bottom", tr("distance from the axis [mm]"))
        self.measured = self.plot.plot([], [], antialias=True)
        self.scatter = self.plot.plot([], [], antialias=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.head)
        column.addWidget(self.plot)
        self.setAccessibleName(tr("Measured counts and scatter by distance from the axis"))
        self.set_colours(DARK)
        self.show_profile(None)

    def show_profile(self, profile: ScatterProfile | None) -> None:
        """Show the curves of a run.

        Parameters
        ----------
        profile
            the curves; None hides the plot
        """
        self.profile = profile
        # Runs without scatter correction have no such profile.
        self.setVisible(profile is not None)
        if profile is None:
            return
        self.measured.setData(profile.distance_mm, profile.measured)
        self.scatter.setData(profile.distance_mm, profile.scatter)
        highest = max(*profile.measured, *profile.scatter)
        power = thousands([0.0, highest])
        self.plot.getAxis("left").setScale(10.0**-power)
        # From zero, because the ratio of the two curves is what matters.
        self.plot.setYRange(0, highest, padding=0.05)
        self.plot.setXRange(0, profile.distance_mm[-1], padding=0.01)
        self.head.setText(f"{KEY}, {unit_text('counts/mm', power)}")

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self.plot.set_colours(colours)
        self.measured.setPen(pyqtgraph.mkPen(colours.accent, width=2))
        self.scatter.setPen(pyqtgraph.mkPen(colours.line, width=2, style=Qt.PenStyle.DashLine))

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT_PX + 24)

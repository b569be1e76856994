"""The axes of every plot in the colours of a theme."""

from __future__ import annotations

import pyqtgraph
from PySide6.QtGui import QColor, QFont

from app.views.colours import ViewColours


def paint_axes(plot: pyqtgraph.PlotWidget, colours: ViewColours, font: QFont) -> None:
    """Give a plot its ground, and its left and bottom axis their pens and font."""
    plot.setBackground(QColor(colours.canvas))
    for name in ("left", "bottom"):
        axis = plot.getAxis(name)
        axis.setPen(pyqtgraph.mkPen(colours.muted))
        axis.setTextPen(pyqtgraph.mkPen(colours.text))
        axis.setTickFont(font)

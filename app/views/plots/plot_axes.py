"""Common parts of all plots: axes of constant width, minus signs, theme colours."""

from __future__ import annotations

import math

import pyqtgraph
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF

from app.views.colour.colours import ViewColours


class ValueAxis(pyqtgraph.AxisItem):
    """An axis of values with true minus signs."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        # pyqtgraph formats with a hyphen, which is shorter than the minus sign elsewhere.
        return [text.replace("-", "−") for text in super().tickStrings(values, scale, spacing)]

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [f"{10.0**value:g}" for value in values]


class StillPlot(pyqtgraph.PlotWidget):
    """A plot without interaction: no menu, no mouse, constant width of the left axis.

    `widest` is the longest number on the left axis. `bottom` is the lower axis, by default one for
    values.
    """

    def __init__(
        self, widest: str, right_px: int = 10, bottom: pyqtgraph.AxisItem | None = None
    ) -> None:
        axes = {"bottom": bottom or ValueAxis("bottom"), "left": ValueAxis("left")}
        super().__init__(axisItems=axes)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMenuEnabled(False)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFrameShape(self.Shape.NoFrame)
        self.showGrid(x=False, y=True, alpha=0.25)
        for name in ("left", "bottom"):
            axis = self.getAxis(name)
            # pyqtgraph would add prefixes such as "k" to the axis by itself.
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=-4, maxTickLevel=0, hideOverlappingLabels=False)
        # A constant width, so that plots below each other are aligned and do not jump.
        self._left_px = math.ceil(QFontMetricsF(self.font()).horizontalAdvance(widest)) + 8
        self.getAxis("left").setWidth(self._left_px)
        self.getPlotItem().setContentsMargins(0, 8, right_px, 0)

    def name_left(self, text: str) -> None:
        """Name the left axis, in a column of its own.

        Parameters
        ----------
        text
            quantity and unit
        """
        axis = self.getAxis("left")
        axis.setLabel(text)
        # pyqtgraph centres the text on the left edge of the axis.
        axis.setWidth(self._left_px + math.ceil(QFontMetricsF(self.font()).height()))

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme.

        Parameters
        ----------
        colours
            colours of the theme
        """
        self.setBackground(QColor(colours.canvas))
        for name in ("left", "bottom"):
            axis = self.getAxis(name)
            axis.setPen(pyqtgraph.mkPen(colours.muted))
            axis.setTextPen(pyqtgraph.mkPen(colours.text))
            axis.setTickFont(self.font())

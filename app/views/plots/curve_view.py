"""A convergence curve with one value per iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.literal_text import LiteralLabel
from app.views.note import Note
from app.views.plots.late_view import Canvas
from app.views.plots.ranges import thousands
from engine.data import unit_text

if TYPE_CHECKING:
    from app.views.plots.curve_plot import CurvePlot

COMING = tr("The curve starts after the first iteration")


class CurveView(QWidget):
    """A curve by iteration with its own axes. The plot is created for its first values.

    Parameters
    ----------
    title, unit : quantity and unit of the values
    parent : parent widget
    is_log : True for a logarithmic axis of values
    """

    def __init__(
        self,
        title: str = tr("Log-likelihood"),
        unit: str = "",
        parent: QWidget | None = None,
        *,
        is_log: bool = False,
    ) -> None:
        super().__init__(parent)
        self._is_log = is_log
        self._limit: float | None = None
        self._title, self._unit = title, unit
        self._iterations: list[int] = []
        self._values: list[float] = []
        self._colours = DARK
        self.plot: CurvePlot | None = None
        self._head = LiteralLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._head)
        self._empty = Canvas()
        self.note = Note(COMING, self._empty)
        column.addWidget(self._empty, 1)
        self.setAccessibleName(tr("Values by iteration: {title}", title=title))
        self.clear()

    def set_points(
        self, iterations: Sequence[int], values: Sequence[float], limit: float | None = None
    ) -> None:
        """Show one value per iteration.

        Parameters
        ----------
        iterations
            numbers of the iterations
        values
            their values; those that the axis cannot show, such as −∞, are left out
        limit
            value of a line across the plot; None for no line
        """
        self._limit = limit
        # A log-likelihood can be −∞ in the first iteration.
        points = [
            (iteration, value)
            for iteration, value in zip(iterations, values, strict=True)
            if math.isfinite(value) and (value > 0 or not self._is_log)
        ]
        self._iterations = [iteration for iteration, _ in points]
        self._values = [value for _, value in points]
        self._refresh()

    def set_title(self, title: str, unit: str) -> None:
        """Set the title and the unit of the values.

        Parameters
        ----------
        title
            quantity of the values
        unit
            their unit; "" for none
        """
        self._title, self._unit = title, unit
        self.setAccessibleName(tr("Values by iteration: {title}", title=title))
        self._refresh()

    def append(self, iteration: int, value: float) -> None:
        """Add the value of one more iteration.

        Parameters
        ----------
        iteration
            its number
        value
            its value
        """
        self.set_points([*self._iterations, iteration], [*self._values, value])

    def clear(self) -> None:
        """Clear the plot."""
        self.set_points([], [])

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        self._empty.set_colours(colours)
        self.note.set_colours(colours)
        if self.plot is not None:
            self.plot.set_colours(colours)

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _plot_for_values(self) -> None:
        """Create the plot once there is something to show."""
        # The window shows an empty curve when it opens, and pyqtgraph takes a third of a second to
        # import.
        from app.views.plots.curve_plot import CurvePlot

        self._empty.hide()
        self.plot = CurvePlot(COMING, is_log=self._is_log)
        cast(QVBoxLayout, self.layout()).addWidget(self.plot, 1)
        self.plot.set_colours(self._colours)
        self.plot.show()  # a layout shows new widgets later

    def _refresh(self) -> None:
        measure = unit_text(self._unit, 0 if self._is_log else thousands(self._values))
        self._head.setText(f"{self._title} ({measure})" if measure else self._title)
        if self.plot is None and self._values and self.isVisible():
            self._plot_for_values()
        if self.plot is not None:
            self.plot.show_points(self._iterations, self._values, self._limit)

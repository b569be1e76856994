"""Convergence of a fit: change in each step on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.plots.late_view import LateView

if TYPE_CHECKING:
    from app.views.plots.convergence_plot import ConvergencePlot

EMPTY_TEXT = tr("Each fitting step adds a point here")
KEY = tr(
    "Largest change in any component at each step, in standard errors. Dashed line: convergence "
    "limit."
)


class ConvergenceView(LateView):
    """The plot with its key; a note is shown until there is data.

    Parameters
    ----------
    limit : change at which the fit ends, in standard errors
    parent : parent widget
    """

    def __init__(self, limit: float, parent: QWidget | None = None) -> None:
        super().__init__(KEY, EMPTY_TEXT, parent)
        self.changes: list[float] = []
        self.plot: ConvergencePlot | None = None
        self._limit = limit
        self.setAccessibleName(tr("Change in the components at each step"))
        self.show_changes([])

    def make_plot(self) -> ConvergencePlot:
        from app.views.plots.convergence_plot import ConvergencePlot

        self.plot = ConvergencePlot(self._limit)
        return self.plot

    def show_changes(self, changes: Sequence[float]) -> None:
        """Show the change in each step.

        Parameters
        ----------
        changes
            largest change of each step, in standard errors
        """
        self.changes = [*changes]
        # A logarithmic axis cannot show zero.
        shown = [(n, c) for n, c in enumerate(changes, 1) if c > 0 and math.isfinite(c)]
        self.show_plot(bool(shown))
        if self.plot is not None and shown:
            self.plot.show_steps(shown)

    def sizeHint(self) -> QSize:
        return QSize(420, 260)

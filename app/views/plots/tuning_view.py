"""Run times of the tested kernel variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.plots.late_view import LateView

if TYPE_CHECKING:
    from app.views.plots.tuning_plot import TuningPlot

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


class TuningView(LateView):
    """The plot with its key; a note is shown until the default variant was run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(KEY, EMPTY_TEXT, parent)
        self.times = FormTimes()
        self.plot: TuningPlot | None = None
        self.setAccessibleName(tr("Times for the tested variants"))
        self.show_times(self.times)

    def make_plot(self) -> TuningPlot:
        from app.views.plots.tuning_plot import TuningPlot

        self.plot = TuningPlot()
        return self.plot

    def show_times(self, times: FormTimes) -> None:
        """Show the tested variants.

        Parameters
        ----------
        times
            their times
        """
        self.times = times
        self.show_plot(times.shipped is not None)
        if self.plot is not None and times.shipped is not None:
            self.plot.show_times(times, times.shipped)

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

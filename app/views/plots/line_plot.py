"""Values along a line by distance, with the full width at half maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.plots.late_view import PlotOnShow
from app.views.plots.ranges import span, thousands
from engine.analysis.quality import LineProfile
from engine.data import unit_text

if TYPE_CHECKING:
    from app.views.plots.profile_plot import ProfilePlot


class LinePlot(PlotOnShow):
    """The profile of the displayed image, with an optional one for comparison.

    `head` is the unit of the values with the power of ten.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Values along the line"), parent)
        self.profile: LineProfile | None = None
        self.stored: LineProfile | None = None
        self.plot: ProfilePlot | None = None
        self._length = "mm"
        self.head = ""

    def show_profile(
        self, profile: LineProfile | None, stored: LineProfile | None, length: str = "mm"
    ) -> None:
        """Show a profile.

        Parameters
        ----------
        profile
            the profile; None shows a note
        stored
            profile for comparison, drawn behind; None for none
        length
            unit of lengths
        """
        self.profile, self.stored, self._length = profile, stored, length
        shown = [each for each in (profile, stored) if each is not None]
        # Both profiles share one axis and therefore one power of ten.
        self.head = unit_text(shown[0].unit, thousands([*span(shown)])) if shown else ""
        self.refresh_plot()

    def make_plot(self) -> ProfilePlot:
        from app.views.plots.profile_plot import ProfilePlot

        self.plot = ProfilePlot()
        return self.plot

    def refresh_plot(self) -> None:
        if self.plot is not None:
            self.plot.show_profile(self.profile, self.stored, self._length)

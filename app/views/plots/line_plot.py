"""Values along a line by distance, with the full width at half maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.plots.ranges import span, thousands
from engine.analysis.quality import LineProfile
from engine.data import unit_text

if TYPE_CHECKING:  # pyqtgraph takes a third of a second to import
    from app.views.plots.profile_plot import ProfilePlot


class LinePlot(QWidget):
    """The profile of the displayed image, with an optional one for comparison.

    `head` is the unit of the values with the power of ten. The plot is created when it is first
    shown.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.profile: LineProfile | None = None
        self.stored: LineProfile | None = None
        self.plot: ProfilePlot | None = None
        self._length, self._colours = "mm", DARK
        self.head = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.setAccessibleName(tr("Values along the line"))

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
        if self.plot is not None:
            self.plot.show_profile(profile, stored, length)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        if self.plot is not None:
            self.plot.set_colours(colours)

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # The profile may have been set before, while the page was hidden.
        if self.plot is None:
            from app.views.plots.profile_plot import ProfilePlot

            self.plot = ProfilePlot()
            cast(QVBoxLayout, self.layout()).addWidget(self.plot)
            self.plot.set_colours(self._colours)
            self.plot.show_profile(self.profile, self.stored, self._length)

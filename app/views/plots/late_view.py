"""A plot that is created for its first data."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.views.colour.colours import DARK, ViewColours
from app.views.note import Note
from app.views.slices.labels import WrappedLabel

if TYPE_CHECKING:
    from app.views.plots.plot_axes import StillPlot


class LateView(QWidget):
    """A plot with its key below. A note is shown in its place until there is data.

    The import of pyqtgraph takes longer than a dialog may take to open.

    Parameters
    ----------
    key : explanation of the plot
    empty : text of the note
    parent : parent widget
    """

    def __init__(self, key: str, empty: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head = WrappedLabel(key)
        self._head.setProperty("role", "muted")
        self._empty = Canvas()
        self._note = Note(empty, self._empty)
        self._colours = DARK
        self._made: StillPlot | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self._empty, 1)
        self._column.addWidget(self._head)

    @abstractmethod
    def make_plot(self) -> StillPlot:
        """Return the plot, without colours."""

    def show_plot(self, on: bool) -> None:
        """Show the plot, or the note.

        Parameters
        ----------
        on
            True for the plot
        """
        if on and self._made is None:
            self._made = self.make_plot()
            self._column.insertWidget(0, self._made, 1)
            self._made.set_colours(self._colours)
        self._empty.setVisible(not on)
        if self._made is not None:
            self._made.setVisible(on)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        self._empty.set_colours(colours)
        self._note.set_colours(colours)
        if self._made is not None:
            self._made.set_colours(colours)


class Canvas(QWidget):
    """An empty area in the colour of the views."""

    def __init__(self) -> None:
        super().__init__()
        self._colours = DARK
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._colours.canvas))
        painter.end()

"""Plots that are created late, because pyqtgraph takes a third of a second to import."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.views.colour.colours import DARK, ViewColours
from app.views.note import Note
from app.views.slices.labels import WrappedLabel

if TYPE_CHECKING:
    from app.views.plots.plot_axes import StillPlot


class LateView(QWidget):
    """A plot with its key below, created for its first data. Until then it shows a note.

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


class PlotOnShow(QWidget):
    """A plot that is created when the widget is first shown.

    Parameters
    ----------
    name : accessible name
    parent : parent widget
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = DARK
        self._made: StillPlot | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.setAccessibleName(name)

    @abstractmethod
    def make_plot(self) -> StillPlot:
        """Return the plot, without colours and data."""

    @abstractmethod
    def refresh_plot(self) -> None:
        """Show the current data if the plot exists; they may be set before it is created."""

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        if self._made is not None:
            self._made.set_colours(colours)

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._made is None:
            self._made = self.make_plot()
            self._column.addWidget(self._made, 1)
            self._made.set_colours(self._colours)
            self.refresh_plot()


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

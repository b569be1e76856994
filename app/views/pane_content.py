"""The interface between a pane and its content. Each type of view implements it."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.views.colour.raster import Raster
from app.views.colour.volume_colours import VolumeAppearance
from app.views.gestures import Drag
from app.views.viewport import Viewport
from engine.data import Volume
from engine.geometry import Edges, Rect


class PaneContent(QWidget):
    """The part of a pane that depends on its type."""

    @abstractmethod
    def make_raster(self, volume: Volume) -> Raster:
        """Return the values to show now.

        Parameters
        ----------
        volume
            the displayed volume
        """

    @abstractmethod
    def image_rect(self, volume: Volume) -> Rect:
        """Return the area that "fit" shows [mm].

        Parameters
        ----------
        volume
            the displayed volume
        """

    @abstractmethod
    def edges(self) -> Edges:
        """Return the orientation letters."""

    @abstractmethod
    def cursor_uv(self) -> tuple[float, float]:
        """Return the position of the cursor on the screen plane [mm]."""

    @abstractmethod
    def caption(self) -> str:
        """Return the caption: content and position."""

    def note(self) -> str:
        """Return a note about the image, or ""."""
        return ""

    def warning(self) -> str:
        """Return a warning about the image, or ""."""
        return ""

    @property
    def shows_own(self) -> bool:
        """True if the view paints its own volume."""
        return True

    def paint_over(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        """Paint between the image and its marks.

        Parameters
        ----------
        painter
            an active painter
        raster
            values of the image
        viewport
            visible part of the plane
        """

    @abstractmethod
    def dragged_appearance(self, *, upper: bool) -> VolumeAppearance:
        """Return the display settings that the right button changes.

        Parameters
        ----------
        upper
            True for the upper of two volumes
        """

    @abstractmethod
    def primary_drag(self, at: QPointF) -> Drag:
        """Return the gesture of the left button.

        Parameters
        ----------
        at
            position of the press [px]
        """

    @abstractmethod
    def step(self, n_notches: int) -> None:
        """Handle the wheel, PgUp (+1) and PgDn (−1).

        Parameters
        ----------
        n_notches
            number of steps
        """

    @abstractmethod
    def step_arrow(self, right: int, down: int) -> None:
        """Handle an arrow key.

        Parameters
        ----------
        right, down
            −1, 0 or 1 in each direction
        """

    def turn(self) -> None:
        """Rotate the image by 90° clockwise, if the view supports it."""

    def mirror(self) -> None:
        """Exchange left and right of the image, if the view supports it."""

    def undo_click(self) -> None:
        """Undo the effect of the first click of a double-click."""

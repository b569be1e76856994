"""The interface between a pane and its content, filled in by each type of view."""

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
    """The part of a pane that its kind decides."""

    @abstractmethod
    def make_raster(self, volume: Volume) -> Raster:
        """The values to show now."""

    @abstractmethod
    def image_rect(self, volume: Volume) -> Rect:
        """The area that "fit" shows [mm]."""

    @abstractmethod
    def edges(self) -> Edges:
        """The orientation letters now."""

    @abstractmethod
    def cursor_uv(self) -> tuple[float, float]:
        """Place of the cursor on the screen plane [mm]."""

    @abstractmethod
    def caption(self) -> str:
        """The caption: content and position."""

    def remark(self) -> str:
        """A remark about the image, or ""."""
        return ""

    def warning(self) -> str:
        """A warning on the image, or ""."""
        return ""

    @property
    def shows_own(self) -> bool:
        """True if the volume of the views is painted."""
        return True

    def paint_over(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        """Paint between the image and its marks."""

    @abstractmethod
    def dragged_appearance(self, *, upper: bool) -> VolumeAppearance:
        """Whose window the right button drags; `upper` of two pictures."""

    @abstractmethod
    def primary_drag(self, at: QPointF) -> Drag:
        """Return the gesture of the left button at a position."""

    @abstractmethod
    def step(self, n_notches: int) -> None:
        """Answer the wheel, PgUp (+1) and PgDn (−1)."""

    @abstractmethod
    def step_arrow(self, right: int, down: int) -> None:
        """Answer an arrow key."""

    def turn(self) -> None:
        """Turn the picture by a quarter, clockwise, where it can be turned."""

    def mirror(self) -> None:
        """Exchange left and right of the picture, where it can be mirrored."""

    def undo_click(self) -> None:
        """Undo the effect of the first click of a double-click."""

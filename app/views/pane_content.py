"""What a pane shows and how it answers: open here, filled in by each kind of view."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.views.colour.raster import Raster
from app.views.colour.volume_colours import VolumeLook
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
        """What "fit" brings into view [mm]."""

    @abstractmethod
    def edges(self) -> Edges:
        """The orientation letters now."""

    @abstractmethod
    def cursor_uv(self) -> tuple[float, float]:
        """Place of the cursor on the screen plane [mm]."""

    @abstractmethod
    def caption(self) -> str:
        """What is shown, and where; without a volume, what will be."""

    def remark(self) -> str:
        """What to keep in mind of what is shown; empty if nothing."""
        return ""

    def warning(self) -> str:
        """What must be said of what is shown, on the picture itself; empty if nothing."""
        return ""

    @property
    def shows_own(self) -> bool:
        """Whether the volume of the views is painted itself."""
        return True

    def paint_over(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        """Paint what lies over the picture and below its marks."""

    @abstractmethod
    def look_dragged(self, *, upper: bool) -> VolumeLook:
        """Whose window the right button drags; `upper` of two pictures."""

    @abstractmethod
    def primary_drag(self, at: QPointF) -> Drag:
        """What the left button does from here on."""

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
        """Take back what the first press of a double-click did."""

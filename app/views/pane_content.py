"""What a pane shows and how it answers: open here, filled in by each kind of view."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from app.views.gestures import Drag
from app.views.planes import Edges, Rect
from app.views.raster import Raster
from engine.data import Volume


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

    @abstractmethod
    def primary_drag(self, at: QPointF) -> Drag:
        """What the left button does from here on."""

    @abstractmethod
    def step(self, n_notches: int) -> None:
        """Answer the wheel, PgUp (+1) and PgDn (−1)."""

    @abstractmethod
    def step_arrow(self, right: int, down: int) -> None:
        """Answer an arrow key."""

    def undo_click(self) -> None:
        """Take back what the first press of a double-click did."""

"""The interface for marks over slices, such as regions and annotations."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from app.views.gestures import Drag
from app.views.state import ViewState
from app.views.viewport import Viewport
from engine.geometry import Orientation, Point


class SlicePane(Protocol):
    """The interface of a slice view for marks."""

    state: ViewState
    readout: str

    @property
    def orientation(self) -> Orientation: ...
    @property
    def plane_point(self) -> Point: ...
    @property
    def viewport(self) -> Viewport | None: ...
    def point_at(self, at: QPointF) -> Point: ...
    def update(self) -> None: ...


class SliceMarks(Protocol):
    """Things in space that slices show."""

    @property
    def uses_cross_cursor(self) -> bool:
        """True while the pointer draws."""

    def paint(self, painter: QPainter, pane: SlicePane, viewport: Viewport) -> None:
        """Paint the marks in the displayed slice."""

    def drag(self, pane: SlicePane, at: QPointF) -> Drag | None:
        """Return a drag of the mark under the pointer, or None."""

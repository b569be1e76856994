"""What is drawn over slices, and takes hold of the pointer there, without the views knowing it."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from app.views.gestures import Drag
from app.views.state import ViewState
from app.views.viewport import Viewport
from engine.geometry import Orientation, Point


class SlicePane(Protocol):
    """What marks need of a slice view."""

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
    def wants_cross(self) -> bool:
        """Whether the pointer draws now."""

    def paint(self, painter: QPainter, pane: SlicePane, viewport: Viewport) -> None:
        """Paint what lies in the slice on show."""

    def drag(self, pane: SlicePane, at: QPointF) -> Drag | None:
        """Take hold of what lies under the pointer; None where there is nothing to hold."""

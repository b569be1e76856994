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
    shows_handles: bool
    """False for a picture in which nothing can be moved."""

    @property
    def orientation(self) -> Orientation: ...
    @property
    def plane_point(self) -> Point: ...
    @property
    def viewport(self) -> Viewport | None: ...
    def point_at(self, at: QPointF) -> Point: ...
    def update(self) -> None: ...


class SliceMarks(Protocol):
    """Objects in space that slices show."""

    @property
    def uses_cross_cursor(self) -> bool:
        """True while the pointer draws."""

    # Protocols: regions and annotations live in other packages, which views must not import.
    def paint(self, painter: QPainter, pane: SlicePane, viewport: Viewport) -> None:
        """Paint the marks in the displayed slice.

        Parameters
        ----------
        painter
            an active painter
        pane
            the slice view
        viewport
            visible part of the plane
        """

    def drag(self, pane: SlicePane, at: QPointF) -> Drag | None:
        """Return the gesture for a press on a mark.

        Parameters
        ----------
        pane
            the slice view
        at
            position of the press [px]

        Returns
        -------
        None if no mark is there
        """

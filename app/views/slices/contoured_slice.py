"""A slice with movable contours of a second volume."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from app.views.gestures import Drag
from app.views.slices.halo import halo_pen
from app.views.slices.slice_view import SliceView
from app.views.state import ViewState
from app.views.viewport import Viewport
from engine.geometry import PlaneName, Point, Rect

Sampler = Callable[[NDArray[np.float64]], NDArray[np.float32]]
N_ACROSS = 180
"""Number of samples of the second volume along the longer side of the image."""
HALO = "#c0101214"
LINE_PX = 1.6


class ContouredSlice(SliceView):
    """One of the three slices.

    Signals
    -------
    grasped : a drag of the contours has started
    dragged : distance of the pointer from its start, (x, y, z) [mm]

    Parameters
    ----------
    sample : returns the values of the second volume at points (n, 3) [mm]
    levels : values of the contours
    """

    grasped = Signal()
    dragged = Signal(object)

    def __init__(
        self,
        state: ViewState,
        plane: PlaneName,
        sample: Sampler,
        levels: tuple[float, ...],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(state, plane, parent)
        self._sample, self._levels = sample, levels
        self._contours: list[NDArray[np.float64]] | None = None

    def forget_contours(self) -> None:
        """Mark the contours as stale, because the second volume has moved."""
        self._contours = None
        self.update()

    def forget_raster(self) -> None:
        self._contours = None
        super().forget_raster()

    @property
    def contours(self) -> list[NDArray[np.float64]]:
        """Polygons of the contours, (n, 2) of u and v [mm]."""
        if self._contours is None:
            volume = self.state.volume
            self._contours = (
                [] if volume is None else self._compute_contours(self.image_rect(volume))
            )
        return self._contours

    def _compute_contours(self, rect: Rect) -> list[NDArray[np.float64]]:
        # Imported late, because only the alignment dialog draws contours.
        from contourpy import contour_generator

        # A coarse grid: contours must follow the pointer during a drag.
        step = max(rect.width, rect.height) / N_ACROSS
        u = rect.u + (np.arange(max(int(rect.width / step), 2)) + 0.5) * step
        v = rect.v + (np.arange(max(int(rect.height / step), 2)) + 0.5) * step
        orientation, points = self.orientation, np.empty((len(v), len(u), 3))
        points[..., orientation.right.axis] = orientation.right.sign * u
        points[..., orientation.down.axis] = orientation.down.sign * v[:, None]
        points[..., orientation.normal] = self.state.cursor_mm[orientation.normal]
        values = self._sample(points.reshape(-1, 3)).reshape(len(v), len(u))
        lines = contour_generator(u, v, values)
        return [np.asarray(each) for level in self._levels for each in lines.lines(level)]

    def paint_marks(self, painter: QPainter, viewport: Viewport) -> None:
        path = QPainterPath()
        for contour in self.contours:
            points = [QPointF(*viewport.to_px(u, v)) for u, v in contour]
            path.moveTo(points[0])
            for point in points[1:]:
                path.lineTo(point)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (halo_pen(HALO), QPen(QColor(self.state.colours.line), LINE_PX)):
            painter.setPen(pen)
            painter.drawPath(path)
        super().paint_marks(painter, viewport)

    def primary_drag(self, at: QPointF) -> Drag:
        self.grasped.emit()
        return ContourDrag(self, at)

    def undo_click(self) -> None:
        """Do nothing: a click does not move the contours."""


class ContourDrag:
    """The contours follow the pointer."""

    def __init__(self, view: ContouredSlice, at: QPointF) -> None:
        self._view, self._from = view, view.to_mm(at)
        view.setCursor(Qt.CursorShape.ClosedHandCursor)

    def move(self, at: QPointF) -> None:
        u, v = self._view.to_mm(at)
        # Both points have depth 0, so the difference is parallel to the slice.
        start = self._view.orientation.to_patient(*self._from, 0.0)
        there = self._view.orientation.to_patient(u, v, 0.0)
        by: Point = (there[0] - start[0], there[1] - start[1], there[2] - start[2])
        self._view.dragged.emit(by)

    def end(self) -> None:
        self._view.unsetCursor()

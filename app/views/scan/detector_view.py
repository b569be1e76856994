"""The base class of the projection and sinogram views."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from app.views import overlay
from app.views.colour.colour_maps import colourise
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.colour.windows import Window
from app.views.gestures import Drag, PointDrag
from app.views.scan.detector_state import DetectorState
from app.views.viewport import Viewport
from engine.geometry import Edges

BAD_COLOUR = "#ff8f00"


@dataclass(frozen=True)
class MarkedRaster(Raster):
    """An image with bad pixels in orange."""

    bad: NDArray[np.bool_] | None = None

    def image(self, window: Window, colour_map: str) -> QImage:
        if self.bad is None:
            return super().image(window, colour_map)
        pixels = colourise(self.values, window, colour_map)
        pixels[np.broadcast_to(self.bad, pixels.shape)] = QColor(BAD_COLOUR).rgb()
        rows, columns = pixels.shape
        image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
        return image.copy()  # the array goes, the image stays


class DetectorView(RasterView):
    """What projection and sinogram have in common.

    `pointed` carries view, row and column under the pointer, (−1, −1, −1) where there is no pixel.
    """

    pointed = Signal(int, int, int)
    state: DetectorState

    def __init__(self, state: DetectorState, name: str, parent: QWidget | None = None) -> None:
        super().__init__(state, name, parent)
        self.setMouseTracking(True)
        state.place_changed.connect(self.update)

    @abstractmethod
    def place_at(self, at: QPointF) -> tuple[int, int, int] | None:
        """(view, row, column) at a position in the view. None outside the image."""

    @abstractmethod
    def go_to(self, at: QPointF) -> None:
        """Move the crosshair to a position in the view."""

    def edges(self) -> Edges:
        return Edges("", "", "", "")

    def primary_drag(self, at: QPointF) -> Drag:
        return PointDrag(self.go_to)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self.pointed.emit(*(self.place_at(event.position()) or (-1, -1, -1)))

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit(-1, -1, -1)
        super().leaveEvent(event)

    def column_at(self, u_mm: float) -> int:
        """Column at a position across the detector. It can be outside the detector."""
        frame = self.state.frame
        if frame is None:
            return -1
        return int(np.floor(u_mm / frame.pixel_mm[0] + frame.shape[1] / 2))

    def paint_scale(self, painter: QPainter, viewport: Viewport) -> None:
        """Paint the scale bar, in pixels where their size is not known."""
        frame = self.state.frame
        unit = "mm" if frame is None or frame.pixel_mm_known else "pixels"
        size = (self.width(), self.height())
        overlay.scale_bar(painter, viewport, size, self.state.colours, unit)

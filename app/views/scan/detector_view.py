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
    """An image with bad pixels in a signal colour."""

    bad: NDArray[np.bool_] | None = None

    def image(self, window: Window, colour_map: str) -> QImage:
        if self.bad is None:
            return super().image(window, colour_map)
        pixels = colourise(self.values, window, colour_map)
        # A sinogram has one row of bad pixels for all its views.
        pixels[np.broadcast_to(self.bad, pixels.shape)] = QColor(BAD_COLOUR).rgb()
        rows, columns = pixels.shape
        image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
        return image.copy()  # the image must outlive the array


class DetectorView(RasterView):
    """The common part of projection and sinogram.

    `pointed` carries view, row and column under the pointer; (−1, −1, −1) outside.
    """

    pointed = Signal(int, int, int)
    state: DetectorState

    def __init__(self, state: DetectorState, name: str, parent: QWidget | None = None) -> None:
        super().__init__(state, name, parent)
        # The value under the pointer is shown without a button pressed.
        self.setMouseTracking(True)
        state.place_changed.connect(self.update)

    @abstractmethod
    def place_at(self, at: QPointF) -> tuple[int, int, int] | None:
        """Return (view, row, column) at a position.

        Parameters
        ----------
        at
            position in the view [px]

        Returns
        -------
        None outside the image
        """

    @abstractmethod
    def go_to(self, at: QPointF) -> None:
        """Move the crosshair.

        Parameters
        ----------
        at
            position in the view [px]
        """

    def edges(self) -> Edges:
        return Edges("", "", "", "")

    def primary_drag(self, at: QPointF) -> Drag:
        return PointDrag(self.go_to)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self.pointed.emit(*(self.place_at(event.position()) or (-1, -1, -1)))

    def leaveEvent(self, event: QEvent) -> None:
        # The readout returns to the crosshair when the pointer has left.
        self.pointed.emit(-1, -1, -1)
        super().leaveEvent(event)

    def column_at(self, u_mm: float) -> int:
        """Return the column at a position.

        Parameters
        ----------
        u_mm
            position across the detector [mm]

        Returns
        -------
        index; it can be outside the detector
        """
        frame = self.state.frame
        if frame is None:
            return -1
        return int(np.floor(u_mm / frame.pixel_mm[0] + frame.shape[1] / 2))

    def paint_scale(self, painter: QPainter, viewport: Viewport) -> None:
        """Paint the scale bar, in pixels if the pixel size is unknown.

        Parameters
        ----------
        painter
            an active painter
        viewport
            visible part of the plane
        """
        frame = self.state.frame
        unit = "mm" if frame is None or frame.pixel_mm_known else "pixels"
        size = (self.width(), self.height())
        overlay.scale_bar(painter, viewport, size, self.state.colours, unit)

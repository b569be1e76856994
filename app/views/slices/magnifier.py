"""A round magnifier over a view."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPainterPath, QPen

from app.views.colour.raster import Raster
from app.views.viewport import Viewport

if TYPE_CHECKING:
    from app.views.colour.raster_view import RasterView

FACTOR = 3.0
DIAMETER_PX = 190
RIM_PX = 2.0
MAX_PART = 0.55
"""Largest diameter as a share of the shorter side of a view."""


class Magnifier(QObject):
    """The magnifier of one view. Without a pointer it is at the cursor."""

    def __init__(self, view: RasterView) -> None:
        super().__init__(view)
        self._view = view
        self._at: QPointF | None = None
        view.state.magnifier_changed.connect(self._follow)
        view.installEventFilter(self)
        view.setMouseTracking(view.tracks_pointer or view.state.magnifies)

    def _follow(self) -> None:
        self._at = None
        view = self._view
        view.setMouseTracking(view.tracks_pointer or view.state.magnifies)
        self._view.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and self._view.state.magnifies:
            self._at = event.position()
            self._view.update()
        elif event.type() == QEvent.Type.Leave and self._at is not None:
            self._at = None
            self._view.update()
        # The view still handles its events, so drags work under the magnifier.
        return False

    def paint(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        """Paint the magnifier if it is switched on.

        Parameters
        ----------
        painter
            an active painter
        raster
            values of the image
        viewport
            visible part of the plane
        """
        view, at = self._view, self._at
        if not view.state.magnifies:
            return
        if at is None and view.hasFocus():
            at = QPointF(*viewport.to_px(*view.cursor_uv()))
        if at is not None:
            side = min(DIAMETER_PX, round(MAX_PART * min(viewport.size)))
            area = QRectF(at.x() - side / 2, at.y() - side / 2, side, side)
            larger = self._magnified(raster, viewport, at, side, painter)
            path = QPainterPath()
            path.addEllipse(area)
            painter.save()
            painter.setClipPath(path)
            painter.drawImage(area.topLeft(), larger)
            painter.restore()
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(view.state.colours.accent), RIM_PX))
            painter.drawEllipse(area)

    def _magnified(
        self, raster: Raster, viewport: Viewport, at: QPointF, side: int, painter: QPainter
    ) -> QImage:
        ratio = painter.device().devicePixelRatioF()
        image = QImage(round(side * ratio), round(side * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(QColor(self._view.state.colours.canvas))
        scale, centre = FACTOR * viewport.px_per_mm, viewport.to_mm(at.x(), at.y())
        inside = replace(viewport, centre=centre, px_per_mm=scale, size=(side, side))
        within = QPainter(image)
        within.setRenderHint(QPainter.RenderHint.Antialiasing)
        # The image is painted again at the higher scale, not enlarged from the screen.
        self._view.paint_image(within, raster, inside)
        within.end()
        return image

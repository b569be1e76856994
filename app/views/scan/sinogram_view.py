"""The sinogram of one detector row. A line marks the displayed view."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views import overlay
from app.views.colour.raster import Raster
from app.views.colour.raster_view import FIT_MARGIN_PX
from app.views.scan.detector_state import DetectorState
from app.views.scan.detector_view import DetectorView, MarkedRaster
from app.views.slices.halo import halo_text
from app.views.viewport import Viewport
from engine.data import Volume
from engine.geometry import Rect


class SinogramView(DetectorView):
    """One row of the detector in all views.

    `above` is the projection view if it is directly above; None otherwise.
    """

    def __init__(self, state: DetectorState, parent: QWidget | None = None) -> None:
        super().__init__(state, tr("Sinogram"), parent)
        self.setToolTip(tr("Wheel, PgUp or PgDn: change the row. Click: select view and column."))
        self.above: DetectorView | None = None
        state.sinogram_changed.connect(self.forget_raster)

    def make_raster(self, volume: Volume) -> Raster:
        part = self.state.sinogram
        if part is None:
            return Raster.of(volume.values[0, :1], self.image_rect(volume))
        raster = Raster.of(part.values, self.image_rect(volume))
        return MarkedRaster(raster.values, raster.rect, raster.n_nan, part.bad)

    def image_rect(self, volume: Volume) -> Rect:
        width = float(volume.grid.size_mm[0])
        across, down = (max(n - 2 * FIT_MARGIN_PX, 8.0) for n in (self.width(), self.height()))
        scale = across / width
        if self.above is not None:  # columns of both images are aligned
            size = (self.above.width(), self.above.height())
            fitted = Viewport.fit(self.above.image_rect(volume), size, FIT_MARGIN_PX)
            scale = min(scale, fitted.px_per_mm)
        # The vertical axis is the view, which has no length: it fills the height.
        height = down / scale
        return Rect(-width / 2, -height / 2, width, height)

    @property
    def raster(self) -> Raster | None:
        volume = self.state.volume
        if self.state.sinogram is None or volume is None:
            self._raster = None
            return None
        # The rectangle depends on the size of the view, unlike that of other images.
        if self._raster is not None and self._raster.rect != self.image_rect(volume):
            self._raster = self._image = None
        return super().raster

    def cursor_uv(self) -> tuple[float, float]:
        return self.state.cursor_mm[0], self._v_of(self.state.view)

    def caption(self) -> str:
        if self.state.sinogram is None:
            return "" if self.state.fault else tr("Reading the sinogram …")
        return tr("Sinogram   row {shown_row}", shown_row=self.state.shown_row)

    def step(self, n_notches: int) -> None:
        frame = self.state.frame
        # A line detector has no other rows.
        if frame is not None and frame.shape[0] == 1:
            self.state.go_to_view(self.state.view + n_notches)
        else:
            self._move(0, n_notches)

    def step_arrow(self, right: int, down: int) -> None:
        # The vertical axis is the view here, not the row.
        self._move(right, 0)
        self.state.go_to_view(self.state.view + down)

    def go_to(self, at: QPointF) -> None:
        u, v = self.to_mm(at)
        self.state.set_cursor((u, self.state.cursor_mm[1], 0.0))
        self.state.go_to_view(self._view_at(v))

    def place_at(self, at: QPointF) -> tuple[int, int, int] | None:
        frame = self.state.frame
        if frame is None or self.state.sinogram is None:
            return None
        u, v = self.to_mm(at)
        view, column = self._view_at(v), self.column_at(u)
        inside = 0 <= view < frame.n_views and 0 <= column < frame.shape[1]
        return (view, self.state.shown_row, column) if inside else None

    def paint_marks(self, painter: QPainter, viewport: Viewport) -> None:
        frame, volume = self.state.frame, self.state.volume
        if frame is None or volume is None:
            return
        self.paint_scale(painter, viewport)
        area, colours = overlay.to_view(self.image_rect(volume), viewport), self.state.colours
        last = frame.angle_text(frame.n_views - 1)
        ascent = QFontMetricsF(painter.font()).ascent()
        # If the image is zoomed, its left edge may be outside the view.
        left = max(area.left(), 0.0) + 6
        ends = (
            (area.top() + ascent + 4, tr("view 1")),
            (area.bottom() - 6, tr("view {n}, {last}", n=frame.n_views, last=last)),
        )
        for base, text in ends:
            halo_text(painter, left, base, text, colours.plate_text, colours.canvas)

    def _move(self, columns: int, rows: int) -> None:
        frame = self.state.frame
        if frame is not None:
            x, y, _ = self.state.cursor_mm
            width, height = frame.pixel_mm
            self.state.set_cursor((x + columns * width, y + rows * height, 0.0))

    def _v_of(self, view: int) -> float:
        frame, volume = self.state.frame, self.state.volume
        if frame is None or volume is None:
            return 0.0
        rect = self.image_rect(volume)
        return rect.v + (view + 0.5) / frame.n_views * rect.height

    def _view_at(self, v_mm: float) -> int:
        frame, volume = self.state.frame, self.state.volume
        if frame is None or volume is None:
            return -1
        rect = self.image_rect(volume)
        return int(np.floor((v_mm - rect.v) / rect.height * frame.n_views))

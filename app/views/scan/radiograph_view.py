"""One projection of an X-ray scan. A line marks the row of the sinogram."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views import overlay
from app.views.colour.raster import Raster
from app.views.scan.detector_state import DetectorFrame, DetectorState
from app.views.scan.detector_view import BAD_COLOUR, DetectorView, MarkedRaster
from app.views.slices.halo import halo_text
from app.views.viewport import Viewport
from engine.data import Volume
from engine.geometry import Rect

MAX_RINGS = 300
RING_PX = 4.0
ARROW_PX = 26.0


class RadiographView(DetectorView):
    """One projection. The line across it is the row of the sinogram."""

    def __init__(self, state: DetectorState, parent: QWidget | None = None) -> None:
        super().__init__(state, tr("Projection"), parent)
        self.setToolTip(tr("Wheel, PgUp or PgDn: change the view. Click: select row and column."))

    def make_raster(self, volume: Volume) -> Raster:
        bad, rect = self.state.bad, self.image_rect(volume)
        # Up in space is up on the screen, so row 0 may have to be at the bottom.
        raster = Raster.of(volume.values[0][:: self._row_sign], rect)
        marked = None if bad is None else bad[:: self._row_sign]
        return MarkedRaster(raster.values, rect, raster.n_nan, marked)

    def image_rect(self, volume: Volume) -> Rect:
        width, height = (float(edge) for edge in volume.grid.size_mm[:2])
        height *= self._taller
        return Rect(-width / 2, -height / 2, width, height)

    def cursor_uv(self) -> tuple[float, float]:
        x, y, _ = self.state.cursor_mm
        return x, self._row_sign * self._taller * y

    def caption(self) -> str:
        state, frame = self.state, self.state.frame
        if frame is None or state.volume is None:
            return state.fault or tr("Reading the projection …")
        side = (
            tr("seen from the source") if frame.from_source else tr("seen from behind the detector")
        )
        view = tr("View {shown_view}", shown_view=state.shown_view + 1)
        parts = [view, frame.angle_text(state.shown_view), side]
        if frame.taller > 1:
            parts.append(tr("row height × {factor}", factor=frame.taller))
        return "   ".join(parts)

    def step(self, n_notches: int) -> None:
        self.state.go_to_view(self.state.view + n_notches)

    def step_arrow(self, right: int, down: int) -> None:
        frame = self.state.frame
        if frame is not None:
            x, y, _ = self.state.cursor_mm
            width, height = frame.pixel_mm
            self.state.set_cursor((x + right * width, y + self._row_sign * down * height, 0.0))

    def go_to(self, at: QPointF) -> None:
        u, v = self.to_mm(at)
        self.state.set_cursor((u, self._row_sign * v / self._taller, 0.0))

    def place_at(self, at: QPointF) -> tuple[int, int, int] | None:
        frame = self.state.frame
        if frame is None:
            return None
        u, v = self.to_mm(at)
        y = self._row_sign * v / self._taller
        row = int(np.floor(y / frame.pixel_mm[1] + frame.shape[0] / 2))
        column = self.column_at(u)
        inside = 0 <= row < frame.shape[0] and 0 <= column < frame.shape[1]
        return (self.state.shown_view, row, column) if inside else None

    def paint_marks(self, painter: QPainter, viewport: Viewport) -> None:
        frame = self.state.frame
        if frame is None:
            return
        self.paint_scale(painter, viewport)
        self._paint_bad(painter, viewport, frame)
        self._paint_arrows(painter, frame)

    def _paint_bad(self, painter: QPainter, viewport: Viewport, frame: DetectorFrame) -> None:
        """Paint rings around bad pixels that are too small to be seen."""
        bad = self.state.bad
        if bad is None or viewport.px_per_mm * frame.pixel_mm[0] >= RING_PX:
            return
        rows, columns = np.nonzero(bad)
        # Many rings would hide the image.
        if len(rows) > MAX_RINGS:
            return
        painter.setPen(QPen(QColor(BAD_COLOUR), 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        grid = frame.grid
        for x, y in zip(grid.centres_mm(0)[columns], grid.centres_mm(1)[rows], strict=True):
            at = viewport.to_px(float(x), self._row_sign * self._taller * float(y))
            painter.drawEllipse(QPointF(*at), RING_PX, RING_PX)

    def _paint_arrows(self, painter: QPainter, frame: DetectorFrame) -> None:
        """Paint the directions of columns (u) and rows (v)."""
        colours, metrics = self.state.colours, QFontMetricsF(painter.font())
        sign = self._row_sign
        # The arrows show the sense of columns and rows in the file, which other programs state.
        corner = QPointF(14.5, self.height() - 16.5 - (0 if frame.rows_up else ARROW_PX + 10))
        for text, dx, dy in (("u", 1.0, 0.0), ("v", 0.0, float(sign))):
            tip = corner + QPointF(dx, dy) * ARROW_PX
            overlay.arrow(painter, QLineF(corner, tip), colours.plate_text, colours.canvas)
            left = tip.x() + (5 if dx else -metrics.horizontalAdvance(text) / 2)
            base = tip.y() + (metrics.ascent() / 3 if dx else (-5 if sign < 0 else 15))
            halo_text(painter, left, base, text, colours.plate_text, colours.canvas)

    @property
    def _row_sign(self) -> int:
        """+1 if rows are counted downwards on the screen."""
        return -1 if self.state.frame is not None and self.state.frame.rows_up else 1

    @property
    def _taller(self) -> int:
        return self.state.frame.taller if self.state.frame else 1

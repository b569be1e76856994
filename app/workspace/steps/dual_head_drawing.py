"""A drawing of two heads, across and along: crystals in layers, gap and grid."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.ui.theme.theme import Colours
from engine.geometry import DualHead, ImageGrid

CAPTION_PX, MARGIN_PX, ARROW_PX = 18, 10, 9
MIN_CRYSTAL_PX = 3.0
"""Least width of a crystal that is drawn separately [px]."""


@dataclass(frozen=True)
class PanelsDrawing:
    """Draws the heads to scale, seen along z and along x, with y downwards."""

    painter: QPainter
    scanner: DualHead
    grid: ImageGrid | None
    colours: Colours

    def draw(self, area: QRectF) -> None:
        """Fill an area with the drawing.

        Parameters
        ----------
        area
            the area [px]
        """
        s = self.scanner.settings
        widths = (s.n_columns * s.pitch_mm, s.n_rows * s.pitch_mm)
        height = s.separation_mm + 2 * s.thickness_mm
        space = area.height() - CAPTION_PX - 2 * MARGIN_PX
        free = area.width() - 4 * MARGIN_PX - 2 * self._separation_px
        # One scale for both views, so that lengths can be compared.
        scale = min(space / height, free / sum(widths))
        spare = (area.width() - scale * sum(widths)) / 3
        y = area.top() + MARGIN_PX + space / 2
        x = area.left() + spare
        for axis, name, width in ((0, "x", widths[0]), (2, "z", widths[1])):
            centre = QPointF(x + scale * width / 2, y)
            self._draw_panels(centre, width, s.n_columns if axis == 0 else s.n_rows, scale)
            self._draw_grid_box(centre, axis, scale)
            self._draw_caption(centre.x(), area.bottom(), f"{name} {width:.4g} mm")
            x += scale * width + spare
        self._draw_separation(QPointF(area.left() + spare * 1.5 + scale * widths[0], y), scale)

    @property
    def _separation_text(self) -> str:
        return f"{self.scanner.settings.separation_mm:.4g} mm"

    @property
    def _separation_px(self) -> float:
        return float(self.painter.fontMetrics().horizontalAdvance(self._separation_text)) + 16

    def _draw_panels(self, centre: QPointF, width_mm: float, n: int, scale: float) -> None:
        s = self.scanner.settings
        # Thin crystals keep a visible thickness.
        size = QSizeF(scale * width_mm, max(scale * s.thickness_mm, 3.0))
        for side in (-1, 1):
            box = QRectF(QPointF(), size)
            away = scale * s.separation_mm / 2 + size.height() / 2
            box.moveCenter(centre + QPointF(0, side * away))
            fill = QColor(self.colours.link)
            fill.setAlphaF(0.35)
            self.painter.setPen(QPen(QColor(self.colours.link), 1))
            self.painter.setBrush(fill)
            self.painter.drawRect(box)
            deep = size.height() / s.n_layers
            if s.n_layers > 1 and deep >= MIN_CRYSTAL_PX:
                heights = [box.top() + k * deep for k in range(1, s.n_layers)]
                self.painter.drawLines([QLineF(box.left(), y, box.right(), y) for y in heights])
            # Lines closer than this would fill the panel with one colour.
            if size.width() / n < MIN_CRYSTAL_PX:
                continue
            edges = [box.left() + k * size.width() / n for k in range(1, n)]
            self.painter.drawLines([QLineF(x, box.top(), x, box.bottom()) for x in edges])

    def _draw_grid_box(self, centre: QPointF, across: int, scale: float) -> None:
        if self.grid is None:
            return
        size, middle = self.grid.size_mm * scale, self.grid.centre_mm
        box = QRectF(0, 0, float(size[across]), float(size[1]))
        box.moveCenter(centre + QPointF(middle[across], middle[1]) * scale)
        fill = QColor(self.colours.link)
        fill.setAlphaF(0.12)
        self.painter.setPen(QPen(QColor(self.colours.muted), 1, Qt.PenStyle.DashLine))
        self.painter.setBrush(fill)
        self.painter.drawRect(box)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_separation(self, centre: QPointF, scale: float) -> None:
        """Draw the distance of the front faces between the two views."""
        half = scale * self.scanner.settings.separation_mm / 2
        text = QRectF(0, 0, self._separation_px, CAPTION_PX)
        text.moveCenter(centre)
        self.painter.setPen(QPen(QColor(self.colours.muted), 1))
        x = centre.x()
        for side in (-1, 1):
            near, far = centre.y() + side * CAPTION_PX / 2, centre.y() + side * half
            if side * (far - near) > 0:
                self.painter.drawLine(QLineF(x, near, x, far))
            self.painter.drawLine(QLineF(x - ARROW_PX / 2, far, x + ARROW_PX / 2, far))
        self.painter.drawText(text, Qt.AlignmentFlag.AlignCenter, self._separation_text)

    def _draw_caption(self, x: float, bottom: float, text: str) -> None:
        place = QRectF(x - 70, bottom - CAPTION_PX, 140, CAPTION_PX)
        self.painter.setPen(QColor(self.colours.muted))
        self.painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

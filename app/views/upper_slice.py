"""The upper of two pictures in a slice view: its values, its colours, and how it is mixed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from app.views import comparing, overlay
from app.views.colour_maps import colourise
from app.views.halo import halo_pen
from app.views.planes import Orientation, Rect, slice_centre
from app.views.resampling import resampled, slice_through
from app.views.scaled_image import ScaledImage
from app.views.slab import SlabCutter
from app.views.viewport import Viewport
from engine.geometry import Point

if TYPE_CHECKING:
    from app.views.state import ViewState

HANDLE_PX = 7.0
"""Half the height of the handle by which the border of a swipe is dragged."""
Values = NDArray[np.float32]


class UpperSlice:
    """Computes what is stale when it is painted."""

    def __init__(self, state: ViewState, cutter: SlabCutter | None = None) -> None:
        self._state, self._fusion = state, state.fusion
        self._found: tuple[Values, Rect] | None = None
        self._is_stale = True
        self._image: QImage | None = None
        self._scaled = ScaledImage()
        self._cutter = cutter or SlabCutter()

    def forget_values(self) -> None:
        """The slice is another one."""
        self._is_stale = True
        self._image = None
        is_thick = bool(self._state.slab_now.kind)
        self._cutter.keep_only(self._fusion.volume if is_thick else None)

    def forget_colours(self) -> None:
        """Window or colour map are others."""
        self._image = None

    def values(
        self, way: Orientation, lower: Values, rect: Rect, point_mm: Point | None = None
    ) -> tuple[Values, Rect] | None:
        """Return what is to be coloured, and where it lies [mm].

        `lower` lies in `rect` of the plane through `point_mm`, that of the cursor without one.
        """
        if self._is_stale:
            self._is_stale = False
            point_mm = point_mm or self._state.cursor_mm
            if self._fusion.compares:
                self._found = self._compared(way, lower, rect, point_mm)
            else:
                self._found = self._own(way, point_mm)
        return self._found

    def paint(
        self,
        painter: QPainter,
        viewport: Viewport,
        found: tuple[Values, Rect],
        *,
        is_alone: bool,
        swipe_px: float,
    ) -> None:
        """Paint over the lower picture, or alone; a swipe shows it from `swipe_px` on."""
        state, fusion = self._state, self._fusion
        look = fusion.compared if fusion.compares else fusion
        if self._image is None:
            hides = fusion.hides_low and not is_alone and not fusion.compares
            self._image = clear_image(found[0], look.window, look.colour_map, hides_low=hides)
        area = overlay.to_view(found[1], viewport)
        painter.save()
        if not is_alone and fusion.mode == "blend":
            painter.setOpacity(fusion.opacity)
        if not is_alone and fusion.mode == "swipe":
            width, height = viewport.size
            painter.setClipRect(QRectF(swipe_px, 0, width - swipe_px, height))
        smooth = state.interpolation == "linear"
        self._scaled.paint(painter, self._image, area, smooth=smooth, size=viewport.size)
        painter.restore()

    def _own(self, way: Orientation, at: Point) -> tuple[Values, Rect] | None:
        volume = self._fusion.volume
        if volume is None:
            return None
        blended = self._state.interpolation == "linear"
        slab = self._state.slab_now

        def cut(axis: int, index: int) -> Values:
            return self._cutter.cut(volume, axis, index, slab)

        thick = cut if slab.kind else None
        return slice_through(volume, self._fusion.placing, way, at, blended=blended, cut=thick)

    def _compared(
        self, way: Orientation, lower: Values, rect: Rect, at: Point
    ) -> tuple[Values, Rect] | None:
        fusion, volume, base = self._fusion, self._fusion.volume, self._state.volume
        if (
            volume is None
            or base is None
            or comparing.obstacle(fusion.mode, base.unit, volume.unit)
        ):
            return None
        point = slice_centre(base.grid, way.normal, at)
        shape = (lower.shape[0], lower.shape[1])
        there = resampled(volume, fusion.placing, way, point, rect, shape)
        if fusion.mode == "difference":
            return comparing.difference(lower, there), rect
        return comparing.ratio(lower, there, fusion.window[1]), rect


def clear_image(
    values: Values, window: tuple[float, float], colour_map: str, *, hides_low: bool
) -> QImage:
    """Return a picture that lets through where there is no value, or none within the window."""
    gone = np.isnan(values)
    pixels = colourise(np.where(gone, np.float32(window[0]), values), window, colour_map)
    pixels[gone | (values < window[0]) if hides_low else gone] = 0
    rows, columns = pixels.shape
    form = QImage.Format.Format_ARGB32_Premultiplied
    return QImage(pixels.data, columns, rows, 4 * columns, form).copy()


def swipe_line(painter: QPainter, part: float, size: tuple[int, int], ink: str, halo: str) -> None:
    """The border between both pictures, with a handle in its middle."""
    width, height = size
    x = round(part * width) + 0.5
    middle = QPointF(x, height / 2)
    painter.setPen(halo_pen(halo))
    painter.drawLine(QLineF(x, 0, x, height))
    painter.setPen(QPen(QColor(ink), 1.4))
    painter.drawLine(QLineF(x, 0, x, height))
    painter.setBrush(QColor(ink))
    painter.drawEllipse(middle, HANDLE_PX, HANDLE_PX)

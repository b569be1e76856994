"""The upper of two images in a view: colours and mixing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from app.views import overlay
from app.views.colour.colour_maps import colourise
from app.views.colour.raster import Raster
from app.views.colour.scaled_image import ScaledImage
from app.views.colour.windows import Window
from app.views.slices.halo import halo_pen
from app.views.viewport import Viewport
from engine.geometry import Rect

if TYPE_CHECKING:
    from app.views.colour.raster_view import RasterView
    from app.views.state import ViewState

HANDLE_PX = 7.0
"""Half the height of the handle by which the border of a swipe is dragged."""
Values = NDArray[np.float32]


class UpperLayer:
    """Keeps the coloured picture until its values or its colours are others.

    Parameters
    ----------
    state : of both volumes

    Attributes
    ----------
    fusion : the upper volume, and how it is mixed in
    """

    def __init__(self, state: ViewState) -> None:
        self.state, self.fusion = state, state.fusion
        self._found: tuple[Values, Rect] | None = None
        self._is_stale = True
        self._image: QImage | None = None
        self._scaled = ScaledImage()

    def forget_values(self) -> None:
        """The slice is another one."""
        self._is_stale = True
        self._image = None

    def forget_colours(self) -> None:
        """Window or colour map are others."""
        self._image = None

    @property
    def swipes(self) -> bool:
        """True in swipe mode."""
        return self.fusion.has_values and self.fusion.mode == "swipe"

    def is_on_border(self, at: QPointF, width_px: int) -> bool:
        """True if the pointer is on the swipe border in a view of this width."""
        return self.swipes and abs(at.x() - self.fusion.swipe * width_px) <= HANDLE_PX

    def border_px(self, view: RasterView, viewport: Viewport) -> float:
        """Return where the border of a swipe in a view is, under a glass, too [px]."""
        edge, _ = view.to_mm(QPointF(self.fusion.swipe * view.width(), 0))
        return viewport.to_px(edge, 0)[0]

    def paint_border(self, painter: QPainter, size: tuple[int, int]) -> None:
        """Paint the border of a swipe, where there is one."""
        if self.swipes:
            colours = self.state.colours
            swipe_line(painter, self.fusion.swipe, size, colours.plate_text, colours.canvas)

    @property
    def is_drawn_below(self) -> bool:
        """True if the first volume is painted over this one."""
        return self.fusion.is_blended_below

    def own_image(self, raster: Raster, window: Window, colour_map: str) -> QImage:
        """Return the picture of the first volume, clear where it lets this one through."""
        hides_low = self.fusion.hides_low
        return clear_image(raster.values, window, colour_map, hides_low=hides_low)

    @contextmanager
    def mixing(self, painter: QPainter, viewport: Viewport, swipe_px: float) -> Iterator[None]:
        """Paint inside this context with the opacity and border that the user chose."""
        painter.save()
        if self.fusion.mode == "blend":
            painter.setOpacity(self.fusion.opacity)
        if self.fusion.mode == "swipe":
            width, height = viewport.size
            painter.setClipRect(QRectF(swipe_px, 0, width - swipe_px, height))
        yield
        painter.restore()

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
        state, fusion = self.state, self.fusion
        appearance = fusion.compared if fusion.compares else fusion
        if self._image is None:
            hides = fusion.hides_low and not is_alone and not fusion.compares
            self._image = clear_image(
                found[0], appearance.window, appearance.colour_map, hides_low=hides
            )
        area = overlay.to_view(found[1], viewport)
        smooth = state.interpolation == "linear"
        with nullcontext() if is_alone else self.mixing(painter, viewport, swipe_px):
            self._scaled.paint(painter, self._image, area, smooth=smooth, size=viewport.size)


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

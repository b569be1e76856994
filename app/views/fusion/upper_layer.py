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
from app.views.colour.colour_maps import coloured_image
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
"""Radius of the handle of the swipe border [px]."""
Values = NDArray[np.float32]


class UpperLayer:
    """Caches the coloured image until its values or colours change.

    Parameters
    ----------
    state : display settings of both volumes
    is_difference : True for a view of the difference next to those of both volumes

    Attributes
    ----------
    fusion : the upper volume and the fusion mode
    """

    def __init__(self, state: ViewState, *, is_difference: bool = False) -> None:
        self.state, self.fusion = state, state.fusion
        self._is_difference = is_difference
        self._found: tuple[Values, Rect] | None = None
        # Stale values are not an empty result: None is a valid result, for a plane outside the
        # volume.
        self._is_stale = True
        self._image: QImage | None = None
        self._scaled = ScaledImage()

    def forget_values(self) -> None:
        """Mark the values as stale, because the slice has changed."""
        self._is_stale = True
        self._image = None

    def forget_colours(self) -> None:
        """Mark the colours as stale, because window or colour map have changed."""
        self._image = None

    @property
    def compares(self) -> bool:
        """True if this layer shows a comparison."""
        return self._is_difference or self.fusion.compares

    def shown_window(self) -> Window:
        """Return the window of the painted values."""
        return (self.fusion.compared if self.compares else self.fusion).window

    @property
    def swipes(self) -> bool:
        """True in swipe mode."""
        return self.fusion.has_values and self.fusion.mode == "swipe"

    def is_on_border(self, at: QPointF, width_px: int) -> bool:
        """Return True if a position is on the swipe border.

        Parameters
        ----------
        at
            position in the view [px]
        width_px
            width of the view
        """
        # The border is hard to hit, so its whole handle width counts.
        return self.swipes and abs(at.x() - self.fusion.swipe * width_px) <= HANDLE_PX

    def border_px(self, view: RasterView, viewport: Viewport) -> float:
        """Return the position of the swipe border [px]; 0 in other modes.

        Parameters
        ----------
        view
            the view
        viewport
            visible part; that of a magnifier gives the position in the magnifier
        """
        if self.fusion.mode != "swipe":
            return 0.0
        # Through millimetres, because a magnifier has its own scale and origin.
        edge, _ = view.to_mm(QPointF(self.fusion.swipe * view.width(), 0))
        return viewport.to_px(edge, 0)[0]

    def paint_border(self, painter: QPainter, size: tuple[int, int]) -> None:
        """Paint the border of a swipe; nothing in other modes.

        Parameters
        ----------
        painter
            an active painter
        size
            width and height of the view [px]
        """
        if self.swipes:
            colours = self.state.colours
            swipe_line(painter, self.fusion.swipe, size, colours.plate_text, colours.canvas)

    @property
    def is_drawn_below(self) -> bool:
        """True if the first volume is painted over this one."""
        return self.fusion.is_blended_below

    def own_image(self, raster: Raster, window: Window, colour_map: str) -> QImage:
        """Return the image of the first volume, transparent where this one shows through.

        Parameters
        ----------
        raster
            values of the first volume
        window, colour_map
            display settings of the first volume
        """
        hides_low = self.fusion.hides_low
        return clear_image(raster.values, window, colour_map, hides_low=hides_low)

    @contextmanager
    def mixing(self, painter: QPainter, viewport: Viewport, swipe_px: float) -> Iterator[None]:
        """Apply opacity and swipe border to everything painted in this context.

        Parameters
        ----------
        painter
            an active painter; its state is restored at the end
        viewport
            visible part of the plane
        swipe_px
            position of the swipe border [px]
        """
        painter.save()
        if self.fusion.mode == "blend":
            painter.setOpacity(self.fusion.opacity)
        # Clipping is cheaper than a second image, and the border stays sharp at any zoom.
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
        """Paint over the lower image, or alone.

        Parameters
        ----------
        painter
            an active painter
        viewport
            visible part of the plane
        found
            values and their rectangle [mm]
        is_alone
            True if no image is below
        swipe_px
            position from which a swipe shows it [px]
        """
        state, fusion = self.state, self.fusion
        if self._image is None:
            # A difference has values on both sides of its middle, so low ones are not background.
            hides = fusion.hides_low and not is_alone and not self.compares
            colours = (fusion.compared if self.compares else fusion).colour_map
            self._image = clear_image(found[0], self.shown_window(), colours, hides_low=hides)
        area = overlay.to_view(found[1], viewport)
        # Both volumes use one setting, so that neither looks sharper than it is.
        smooth = state.interpolation == "linear"
        # An opaque image is drawn faster, and nothing is below.
        ground = state.colours.canvas if is_alone else ""
        with nullcontext() if is_alone else self.mixing(painter, viewport, swipe_px):
            self._scaled.paint(
                painter, self._image, area, smooth=smooth, size=viewport.size, ground=ground
            )


def clear_image(
    values: Values, window: tuple[float, float], colour_map: str, *, hides_low: bool
) -> QImage:
    """Return an image that is transparent where there is no value.

    Parameters
    ----------
    values
        (rows, columns); NaN is transparent
    window, colour_map
        display settings
    hides_low
        True if values below the window are transparent too
    """
    missing = np.isnan(values)
    has_gaps = bool(missing.any())
    filled = np.where(missing, np.float32(window[0]), values) if has_gaps else values
    # Premultiplied alpha is the native format of the raster engine; others are converted first.
    made = coloured_image(filled, window, colour_map, QImage.Format.Format_ARGB32_Premultiplied)
    if hides_low or has_gaps:
        # Rows of four bytes per pixel have no padding.
        pixels = np.frombuffer(made.bits(), np.uint32).reshape(values.shape)
        # Pixel 0 is transparent. A product is faster than an assignment, and NaN is never shown.
        pixels *= values >= np.float32(window[0]) if hides_low else ~missing
    return made


def swipe_line(painter: QPainter, part: float, size: tuple[int, int], ink: str, halo: str) -> None:
    """Paint the border of a swipe, with a handle at its centre.

    Parameters
    ----------
    painter
        an active painter
    part
        position as a share of the width, 0 to 1
    size
        width and height of the view [px]
    ink, halo
        colours of the line and of its outline
    """
    width, height = size
    x = round(part * width) + 0.5
    middle = QPointF(x, height / 2)
    painter.setPen(halo_pen(halo))
    painter.drawLine(QLineF(x, 0, x, height))
    painter.setPen(QPen(QColor(ink), 1.4))
    painter.drawLine(QLineF(x, 0, x, height))
    painter.setBrush(QColor(ink))
    painter.drawEllipse(middle, HANDLE_PX, HANDLE_PX)

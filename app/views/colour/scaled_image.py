"""A cached image at screen size, so that a moving crosshair does not scale it again."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter

MAX_CACHED = 2


class ScaledImage:
    """Paints an image into a part of a widget. Scaling takes most of the paint time of a view.

    Two results are cached: that of the widget, and that of a magnifier over it.
    """

    def __init__(self) -> None:
        self._cache: dict[tuple[int, int], tuple[tuple[object, ...], QImage, QPoint]] = {}

    def paint(
        self,
        painter: QPainter,
        image: QImage,
        area: QRectF,
        *,
        smooth: bool,
        size: tuple[int, int],
        ground: str = "",
    ) -> None:
        """Paint an image, from the cache if possible.

        Parameters
        ----------
        painter
            an active painter
        image
            the image
        area
            target area [px], which may extend beyond the widget
        smooth
            True interpolates between pixels
        size
            width and height of the widget or magnifier [px]
        ground
            background colour; "" for a transparent background
        """
        if painter.paintEngine().type() != QPaintEngine.Type.Raster:  # printed output is not scaled
            painter.drawImage(area, image)
            return
        # A window can move to a screen with another resolution.
        ratio = painter.device().devicePixelRatioF()
        key = (image.cacheKey(), area.getRect(), smooth, ground, ratio)
        # Removed and inserted again, so that the dictionary is in order of use.
        cached = self._cache.pop(size, None)
        if cached is None or cached[0] != key:
            cached = key, *_scaled(image, area, smooth, ground, ratio, size)
        while len(self._cache) >= MAX_CACHED:
            self._cache.pop(next(iter(self._cache)))
        self._cache[size] = cached
        painter.drawImage(QPointF(cached[2]) / ratio, cached[1])


def _scaled(
    image: QImage, area: QRectF, smooth: bool, ground: str, ratio: float, size: tuple[int, int]
) -> tuple[QImage, QPoint]:
    """Return the image at screen size, and its place in device pixels."""
    width, height = (max(math.ceil(length * ratio), 1) for length in size)
    part = QRect(0, 0, width, height)
    if not ground:
        # A transparent image ends where its pixels end, so fewer pixels are mixed.
        device = QRectF(area.topLeft() * ratio, area.size() * ratio)
        part = part.intersected(device.toAlignedRect().adjusted(-1, -1, 1, 1))
    opaque, clear = QImage.Format.Format_RGB32, QImage.Format.Format_ARGB32_Premultiplied
    # An opaque format without alpha is much faster to draw.
    made = QImage(max(part.width(), 1), max(part.height(), 1), opaque if ground else clear)
    made.setDevicePixelRatio(ratio)
    made.fill(QColor(ground) if ground else Qt.GlobalColor.transparent)
    inside = QPainter(made)
    inside.setRenderHint(QPainter.RenderHint.Antialiasing)
    inside.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
    inside.drawImage(area.translated(-QPointF(part.topLeft()) / ratio), image)
    inside.end()
    return made, part.topLeft()

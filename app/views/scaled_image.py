"""A picture as large as it is on the screen, kept: to move a crosshair, nothing is scaled again."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter


class ScaledImage:
    """Paints a picture into a part of a widget; scaling takes most of the time of a view."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._kept = QImage()

    def paint(
        self, painter: QPainter, image: QImage, area: QRectF, *, smooth: bool, ground: str = ""
    ) -> None:
        """Paint a picture over `area` [px]; `ground` is the colour behind one that hides it."""
        device = painter.device()
        if painter.paintEngine().type() != QPaintEngine.Type.Raster:  # on paper nothing is scaled
            painter.drawImage(area, image)
            return
        ratio = device.devicePixelRatioF()
        size = (device.width(), device.height())
        key = (image.cacheKey(), area.getRect(), smooth, ground, ratio, size)
        if key != self._key:
            self._kept = _scaled(image, area, smooth, ground, ratio, size)
            self._key = key
        painter.drawImage(0, 0, self._kept)


def _scaled(
    image: QImage, area: QRectF, smooth: bool, ground: str, ratio: float, size: tuple[int, int]
) -> QImage:
    width, height = (max(math.ceil(length * ratio), 1) for length in size)
    opaque, clear = QImage.Format.Format_RGB32, QImage.Format.Format_ARGB32_Premultiplied
    made = QImage(width, height, opaque if ground else clear)
    made.setDevicePixelRatio(ratio)
    made.fill(QColor(ground) if ground else Qt.GlobalColor.transparent)
    inside = QPainter(made)
    inside.setRenderHint(QPainter.RenderHint.Antialiasing)
    inside.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
    inside.drawImage(area, image)
    inside.end()
    return made

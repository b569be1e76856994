"""A cached image at screen size, so that moving the crosshair scales nothing."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter

KEPT = 2


class ScaledImage:
    """Paints a picture into a part of a widget; scaling takes most of the time of a view.

    Two are kept: that of the widget, and that of a glass over it.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], tuple[tuple[object, ...], QImage]] = {}

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
        """Paint a picture over `area` [px] of something of a size [px].

        `ground` is the colour behind one that hides it.
        """
        if painter.paintEngine().type() != QPaintEngine.Type.Raster:  # on paper nothing is scaled
            painter.drawImage(area, image)
            return
        ratio = painter.device().devicePixelRatioF()
        key = (image.cacheKey(), area.getRect(), smooth, ground, ratio)
        kept = self._kept.pop(size, None)
        if kept is None or kept[0] != key:
            kept = key, _scaled(image, area, smooth, ground, ratio, size)
        while len(self._kept) >= KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[size] = kept
        painter.drawImage(0, 0, kept[1])


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

"""Cached texts and lines with an outline that stays readable on any image."""

from __future__ import annotations

import math
from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPen,
)

RIM_PX = 3.5
KEPT = 256
"""Number of cached texts: outlining letters is slower than painting a slice."""


def halo_pen(colour: str) -> QPen:
    """The rim around words and lines."""
    round_cap, round_join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    return QPen(QColor(colour), RIM_PX, c=round_cap, j=round_join)


def halo_text(
    painter: QPainter, left: float, baseline: float, text: str, ink: str, halo: str
) -> None:
    """Words with a rim, readable on any picture without hiding it."""
    if not text:
        return
    if painter.paintEngine().type() != QPaintEngine.Type.Raster:  # letters stay letters on paper
        _draw(painter, left, baseline, text, ink, halo)
        return
    ratio = painter.device().devicePixelRatioF()
    image = _kept(text, painter.font().toString(), ink, halo, ratio)
    ascent = QFontMetricsF(painter.font()).ascent()
    x, y = left - RIM_PX, baseline - ascent - RIM_PX
    painter.drawImage(QPointF(round(x * ratio) / ratio, round(y * ratio) / ratio), image)


@lru_cache(maxsize=KEPT)
def _kept(text: str, font_key: str, ink: str, halo: str, ratio: float) -> QImage:
    font = QFont()
    font.fromString(font_key)
    metrics = QFontMetricsF(font)
    width = metrics.horizontalAdvance(text) + 2 * RIM_PX
    height = metrics.height() + 2 * RIM_PX
    form = QImage.Format.Format_ARGB32_Premultiplied
    made = QImage(math.ceil(width * ratio), math.ceil(height * ratio), form)
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font)
    _draw(painter, RIM_PX, RIM_PX + metrics.ascent(), text, ink, halo)
    painter.end()
    return made


def _draw(painter: QPainter, left: float, baseline: float, text: str, ink: str, halo: str) -> None:
    path = QPainterPath()
    path.addText(left, baseline, painter.font(), text)
    painter.strokePath(path, halo_pen(halo))
    painter.setPen(QColor(ink))
    painter.drawText(QPointF(left, baseline), text)

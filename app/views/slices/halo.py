"""Cached texts and lines with an outline, readable on any image."""

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
MAX_CACHED = 256
"""Number of cached texts: drawing an outline is slower than painting a slice."""
_STEPS = tuple(
    QPointF(radius * math.cos(turn * math.tau / n), radius * math.sin(turn * math.tau / n))
    for radius, n in ((RIM_PX / 2, 12), (RIM_PX / 4, 6))
    for turn in range(n)
)
"""Two rings of shifts: together they fill the outline without a gap [px]."""


def halo_pen(colour: str) -> QPen:
    """Return the pen for the outline of texts and lines.

    Parameters
    ----------
    colour
        its colour
    """
    round_cap, round_join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    return QPen(QColor(colour), RIM_PX, c=round_cap, j=round_join)


def halo_text(
    painter: QPainter, left: float, baseline: float, text: str, ink: str, halo: str
) -> None:
    """Paint text with an outline, readable on any image without hiding it.

    Parameters
    ----------
    painter
        an active painter
    left, baseline
        start of the text [px]
    text
        the text
    ink, halo
        colours of text and outline
    """
    if not text:
        return
    # Text stays text in printed output.
    if painter.paintEngine().type() != QPaintEngine.Type.Raster:
        _draw(painter, left, baseline, text, ink, halo)
        return
    ratio = painter.device().devicePixelRatioF()
    # QFont cannot be a cache key, so its text form is used.
    image = _cached_image(text, painter.font().toString(), ink, halo, ratio)
    ascent = QFontMetricsF(painter.font()).ascent()
    x, y = left - RIM_PX, baseline - ascent - RIM_PX
    # Whole device pixels: at fractions the cached image would be blurred.
    painter.drawImage(QPointF(round(x * ratio) / ratio, round(y * ratio) / ratio), image)


@lru_cache(maxsize=MAX_CACHED)
def _cached_image(text: str, font_key: str, ink: str, halo: str, ratio: float) -> QImage:
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
    painter.setPen(QColor(halo))
    at = QPointF(RIM_PX, RIM_PX + metrics.ascent())
    # Copies of the text around it: outlining its letters takes ten times as long.
    for step in _STEPS:
        painter.drawText(at + step, text)
    painter.setPen(QColor(ink))
    painter.drawText(at, text)
    painter.end()
    return made


def _draw(painter: QPainter, left: float, baseline: float, text: str, ink: str, halo: str) -> None:
    path = QPainterPath()
    path.addText(left, baseline, painter.font(), text)
    painter.strokePath(path, halo_pen(halo))
    painter.setPen(QColor(ink))
    painter.drawText(QPointF(left, baseline), text)

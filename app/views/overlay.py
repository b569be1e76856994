"""What is painted over a picture: plates with words, crosshair, scale bar; in view pixels."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.views.colours import ViewColours
from app.views.planes import Edges, Rect
from app.views.viewport import Viewport, nice_length

EDGE_PX = 6.0  # from the view's edge to a plate
PAD_X, PAD_Y = 5.0, 2.0
GAP_PX = 13.0  # half of the hole in the crosshair, so that a lesion shows
BAR_PART = 0.28  # longest scale bar, as a part of the view's width


@dataclass(frozen=True)
class Notes:
    """Words over a view: a caption at the upper left, a live readout, a warning below."""

    caption: str
    readout: str = ""
    warning: str = ""


def to_view(rect: Rect, viewport: Viewport) -> QRectF:
    """A rectangle of the screen plane in view pixels."""
    left, top = viewport.to_px(rect.u, rect.v)
    return QRectF(left, top, rect.width * viewport.px_per_mm, rect.height * viewport.px_per_mm)


def plate_size(font: QFont, text: str) -> tuple[float, float]:
    """(width, height) of a plate around a line of text [px]."""
    metrics = QFontMetricsF(font)
    return metrics.horizontalAdvance(text) + 2 * PAD_X, metrics.height() + 2 * PAD_Y


def plate(painter: QPainter, rect: QRectF, text: str, colours: ViewColours, ink: str = "") -> None:
    """A rounded plate with one line of text in its middle."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours.plate))
    painter.drawRoundedRect(rect, 3, 3)
    painter.setPen(QColor(ink or colours.plate_text))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def notes(painter: QPainter, words: Notes, size: tuple[int, int], colours: ViewColours) -> None:
    """The plates with words."""
    width, height = size
    w, h = plate_size(painter.font(), words.caption)
    plate(painter, QRectF(EDGE_PX, EDGE_PX, w, h), words.caption, colours)
    if words.readout:
        w, h = plate_size(painter.font(), words.readout)
        top = height - 2.6 * h - EDGE_PX
        plate(painter, QRectF((width - w) / 2, top, w, h), words.readout, colours)
    if words.warning:
        w, h = plate_size(painter.font(), words.warning)
        at = QRectF(EDGE_PX, EDGE_PX + 1.2 * h, w, h)
        plate(painter, at, words.warning, colours, colours.warning)


def letters(painter: QPainter, edges: Edges, size: tuple[int, int], colours: ViewColours) -> None:
    """Orientation letters in the middle of the four edges."""
    font = QFont(painter.font())
    font.setBold(True)
    painter.save()
    painter.setFont(font)
    width, height = size
    for text, x, y in (
        (edges.left, 0.0, 0.5),
        (edges.right, 1.0, 0.5),
        (edges.top, 0.5, 0.0),
        (edges.bottom, 0.5, 1.0),
    ):
        w, h = plate_size(font, text)
        w = max(w, h)
        inset = EDGE_PX / 2
        left = round(inset + x * (width - w - 2 * inset))
        top = round(inset + y * (height - h - 2 * inset))
        plate(painter, QRectF(left, top, w, h), text, colours)
    painter.restore()


def crosshair(painter: QPainter, at: QPointF, area: QRectF, colours: ViewColours) -> None:
    """Two lines across `area` with a hole where they would meet."""
    x, y = _between_pixels(painter, at.x()), _between_pixels(painter, at.y())
    lines = [
        QLineF(area.left(), y, x - GAP_PX, y),
        QLineF(x + GAP_PX, y, area.right(), y),
        QLineF(x, area.top(), x, y - GAP_PX),
        QLineF(x, y + GAP_PX, x, area.bottom()),
    ]
    shown = [line for line in lines if line.dx() > 0 or line.dy() > 0]
    painter.setPen(QPen(QColor(colours.crosshair), 1.0))
    painter.drawLines(shown)


def scale_bar(
    painter: QPainter, viewport: Viewport, size: tuple[int, int], colours: ViewColours
) -> None:
    """A bar of a round length at the lower right, with its length above it."""
    length_mm = nice_length(BAR_PART * size[0] / viewport.px_per_mm)
    length_px = round(length_mm * viewport.px_per_mm)
    text = f"{length_mm:g} mm"
    text_width, text_height = plate_size(painter.font(), text)
    width, height = max(text_width, length_px + 2 * PAD_X + 2), text_height + 6
    rect = QRectF(size[0] - width - EDGE_PX, size[1] - height - EDGE_PX, width, height)
    plate(painter, rect, "", colours)
    painter.drawText(rect.adjusted(0, PAD_Y - 1, 0, -7), Qt.AlignmentFlag.AlignCenter, text)
    middle, y = round(rect.center().x()), rect.bottom() - 5.5
    left, right = middle - length_px / 2, middle + length_px / 2
    painter.setPen(QPen(QColor(colours.plate_text), 1.5, c=Qt.PenCapStyle.FlatCap))
    painter.drawLine(QLineF(left, y, right, y))
    for end in (left, right):
        painter.drawLine(QLineF(end, y - 3, end, y + 3))


def _between_pixels(painter: QPainter, position: float) -> float:
    """The nearest position at which a one-pixel line is sharp on this device."""
    ratio = painter.device().devicePixelRatio()
    return (int(position * ratio) + 0.5) / ratio

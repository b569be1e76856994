"""Overlays of an image in view pixels: captions, crosshair, scale bar."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.views.colour.colours import ViewColours
from app.views.slices.halo import halo_pen, halo_text
from app.views.viewport import Viewport, nice_length
from engine.geometry import Edges, Rect

EDGE_PX = 6.0  # from the view's edge to a plate
PAD_X, PAD_Y = 5.0, 2.0
GAP_PX = 13.0  # half of the hole in the crosshair, so that a lesion shows
HEAD_PX = 6.0  # the barbs of an arrow
BAR_PART = 0.28  # longest scale bar, as a part of the view's width
SHORTEST_BAR_PX = 12.0
BETWEEN = "   "
"""Separator of caption parts. A line may break there if the caption would touch a letter."""


@dataclass(frozen=True)
class Notes:
    """Texts over a view: caption at the upper left, readout, warning below the caption.

    `note` is a note at the lower left. `top` and `bottom` are the letters in the middle of these
    edges, which no text may cover. `is_brief` limits the caption to one line, and a
    note that `is_spare` is left out where it would cover the image.
    """

    caption: str
    readout: str = ""
    warning: str = ""
    note: str = ""
    top: str = ""
    bottom: str = ""
    is_brief: bool = False
    is_spare: bool = False


def to_view(rect: Rect, viewport: Viewport) -> QRectF:
    """Convert a rectangle of the screen plane to view pixels.

    Parameters
    ----------
    rect
        rectangle [mm]
    viewport
        visible part of the plane
    """
    left, top = viewport.to_px(rect.u, rect.v)
    return QRectF(left, top, rect.width * viewport.px_per_mm, rect.height * viewport.px_per_mm)


def plate_size(font: QFont, text: str) -> tuple[float, float]:
    """Return the size of a plate around one line of text.

    Parameters
    ----------
    font
        font of the text
    text
        the text

    Returns
    -------
    width and height [px]
    """
    metrics = QFontMetricsF(font)
    return metrics.horizontalAdvance(text) + 2 * PAD_X, metrics.height() + 2 * PAD_Y


def plate(painter: QPainter, rect: QRectF, text: str, colours: ViewColours, ink: str = "") -> None:
    """Paint a rounded plate with one line of text.

    Parameters
    ----------
    painter
        an active painter
    rect
        the plate [px]
    text
        the text
    colours
        colours of the theme
    ink
        colour of the text; "" for the default
    """
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours.plate))
    # The plate is drawn without a pen, which would add a frame.
    painter.drawRoundedRect(rect, 3, 3)
    painter.setPen(QColor(ink or colours.plate_text))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def notes(painter: QPainter, words: Notes, size: tuple[int, int], colours: ViewColours) -> None:
    """Paint the texts of a view.

    Parameters
    ----------
    painter
        an active painter
    words
        the texts
    size
        width and height of the view [px]
    colours
        colours of the theme
    """
    width, height = size
    metrics = QFontMetricsF(painter.font())
    left, inks = EDGE_PX + 2, (colours.plate_text, colours.canvas)
    free_px = _width_next_to(painter.font(), words.top, width)
    lines = fitted_lines(words.caption, metrics, free_px, width - 2 * left)
    if words.is_brief:
        lines = lines[:1]
    halo_text(painter, left, EDGE_PX + metrics.ascent(), lines[0], *inks)
    for i, line in enumerate(lines[1:], 1):
        # The margin of an image holds one line. The others may lie over its edge.
        across = metrics.horizontalAdvance(line) + 2 * PAD_X
        low = EDGE_PX + i * metrics.height()
        plate(painter, QRectF(left - PAD_X, low, across, metrics.height()), line, colours)
    fits = metrics.horizontalAdvance(words.note) <= _width_next_to(
        painter.font(), words.bottom, width
    )
    if words.note and (fits or not words.is_spare):
        # A note that is too wide goes above the letter of the lower edge.
        low = height - EDGE_PX - 4.5 - (0 if fits else metrics.height())
        for i, line in enumerate(reversed(broken_lines(words.note, metrics, width - 2 * left))):
            (shown,) = fitted_lines(line, metrics, width - 2 * left, width - 2 * left)
            halo_text(painter, left, low - i * metrics.height(), shown, *inks)
    if words.readout:
        w, h = plate_size(painter.font(), words.readout)
        top = height - 2.6 * h - EDGE_PX
        plate(painter, QRectF((width - w) / 2, top, w, h), words.readout, colours)
    if words.warning:
        top = EDGE_PX + 4 + len(lines) * metrics.height()
        for i, line in enumerate(broken_lines(words.warning, metrics, width - 2 * left)):
            w, h = plate_size(painter.font(), line)
            plate(painter, QRectF(EDGE_PX, top + i * h, w, h), line, colours, colours.warning)


def _width_next_to(font: QFont, letter: str, width: float) -> float:
    """Return the space left of a letter in the middle of an edge [px]; all of it without one."""
    if not letter:
        return width - 2 * (EDGE_PX + 2)
    plate_width, plate_height = plate_size(_bold(font), letter)
    return (width - max(plate_width, plate_height)) / 2 - EDGE_PX - 2 - PAD_X


def fitted_lines(text: str, metrics: QFontMetricsF, first_px: float, other_px: float) -> list[str]:
    """Break a caption into lines that fit.

    Parameters
    ----------
    text
        parts separated by `BETWEEN`; a part that is too long is elided
    metrics
        metrics of the font
    first_px, other_px
        widths of the first and of the other lines [px]
    """
    lines: list[str] = []
    for part in text.split(BETWEEN):
        longer = f"{lines[-1]}{BETWEEN}{part}" if lines else part
        # Only the first line shares its height with a letter.
        space = first_px if len(lines) <= 1 else other_px
        if lines and metrics.horizontalAdvance(longer) <= space:
            lines[-1] = longer
        else:
            lines.append(part)
    rooms = [first_px, *[other_px] * (len(lines) - 1)]
    elide = Qt.TextElideMode.ElideRight
    return [metrics.elidedText(line, elide, px) for line, px in zip(lines, rooms, strict=True)]


def broken_lines(text: str, metrics: QFontMetricsF, max_px: float) -> list[str]:
    """Break a sentence into lines that fit. A warning is never cut.

    Parameters
    ----------
    text
        the sentence
    metrics
        metrics of the font
    max_px
        width of a line [px]; a longer word gets its own line
    """
    # A warning must be read completely, so it may cover more of the image than a caption.
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and metrics.horizontalAdvance(longer) > max_px:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def letters(painter: QPainter, edges: Edges, size: tuple[int, int], colours: ViewColours) -> None:
    """Paint the orientation letters in the middle of the four edges.

    Parameters
    ----------
    painter
        an active painter
    edges
        the letters
    size
        width and height of the view [px]
    colours
        colours of the theme
    """
    font = _bold(painter.font())
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
        # Square plates look calmer, and all letters have the same width.
        w = max(w, h)
        inset = EDGE_PX / 2
        left = round(inset + x * (width - w - 2 * inset))
        top = round(inset + y * (height - h - 2 * inset))
        plate(painter, QRectF(left, top, w, h), text, colours)
    painter.restore()


def _bold(font: QFont) -> QFont:
    made = QFont(font)
    made.setBold(True)
    return made


def crosshair(painter: QPainter, at: QPointF, area: QRectF, colours: ViewColours) -> None:
    """Paint two lines with a gap where they would cross.

    Parameters
    ----------
    painter
        an active painter
    at
        the crossing [px]
    area
        lines end at its edges [px]
    colours
        colours of the theme
    """
    x, y = _between_pixels(painter, at.x()), _between_pixels(painter, at.y())
    lines = [
        QLineF(area.left(), y, x - GAP_PX, y),
        QLineF(x + GAP_PX, y, area.right(), y),
        QLineF(x, area.top(), x, y - GAP_PX),
        QLineF(x, y + GAP_PX, x, area.bottom()),
    ]
    # Near an edge a line can have negative length.
    shown = [line for line in lines if line.dx() > 0 or line.dy() > 0]
    painter.setPen(QPen(QColor(colours.crosshair), 1.0))
    painter.drawLines(shown)


def line_through(painter: QPainter, at: QPointF, direction: QPointF, area: QRectF) -> None:
    """Paint a line of any direction with a gap at one point.

    Parameters
    ----------
    painter
        an active painter
    at
        the point [px]
    direction
        direction of the line
    area
        the line is longer than this area, so set a clip first
    """
    unit = QLineF(QPointF(), direction).unitVector().p2()
    # Long enough for any direction, even if the point is far outside the area.
    length = 2 * (area.width() + area.height()) + QLineF(area.center(), at).length()
    lines = [QLineF(at + unit * (s * GAP_PX), at + unit * (s * length)) for s in (-1.0, 1.0)]
    painter.drawLines(lines)


def arrow(painter: QPainter, line: QLineF, ink: str, halo: str) -> None:
    """Paint an arrow with an outline.

    Parameters
    ----------
    painter
        an active painter
    line
        from the start to the tip [px]
    ink, halo
        colours of arrow and outline
    """
    barbs = []
    for turn in (150.0, -150.0):
        barb = QLineF(line)
        # 150° on both sides of the line: the barbs point backwards.
        barb.setAngle(line.angle() + turn)
        barb.setLength(HEAD_PX)
        barbs.append(barb.translated(line.p2() - line.p1()))
    for pen in (halo_pen(halo), QPen(QColor(ink), 1.3)):
        painter.setPen(pen)
        painter.drawLines([line, *barbs])


def dashed_box(painter: QPainter, area: QRectF, colours: ViewColours) -> None:
    """Paint a dashed border, for something that does not exist yet.

    Parameters
    ----------
    painter
        an active painter
    area
        the border [px]
    colours
        colours of the theme
    """
    # The brush of the previous mark would fill the box.
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in (halo_pen(colours.canvas), QPen(QColor(colours.line), 1.6, Qt.PenStyle.DashLine)):
        painter.setPen(pen)
        painter.drawRect(area)


def focus_frame(painter: QPainter, area: QRectF, colours: ViewColours) -> None:
    """Paint the frame of a view that has the keyboard focus.

    Parameters
    ----------
    painter
        an active painter
    area
        area of the view
    colours
        colours of the theme
    """
    painter.setPen(QPen(QColor(colours.accent), 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))


def scale_bar(
    painter: QPainter,
    viewport: Viewport,
    size: tuple[int, int],
    colours: ViewColours,
    unit: str = "mm",
) -> None:
    """Paint a bar of a round length with its label at the lower right.

    Parameters
    ----------
    painter
        an active painter
    viewport
        visible part of the plane
    size
        width and height of the view [px]
    colours
        colours of the theme
    unit
        unit of lengths: "mm", or pixels if the pixel size is unknown
    """
    metrics = QFontMetricsF(painter.font())
    word_px = metrics.horizontalAdvance(f"0000 {unit}") + GAP_PX / 2
    next_to_letter = size[0] / 2 - 2 * GAP_PX - word_px
    # The bar must not reach the letter at the middle of the lower edge.
    longest = max(min(BAR_PART * size[0], next_to_letter), SHORTEST_BAR_PX)
    length_mm = nice_length(longest / viewport.px_per_mm)
    length_px = round(length_mm * viewport.px_per_mm)
    text = f"{length_mm:g} {unit.removesuffix('s') if length_mm == 1 else unit}"
    right, y = size[0] - EDGE_PX - 4.5, size[1] - EDGE_PX - 4.5
    left = right - length_px
    ends = [QLineF(x, y - 3, x, y + 3) for x in (left, right)]
    lines = [QLineF(left, y, right, y), *ends]
    painter.setPen(halo_pen(colours.canvas))
    painter.drawLines(lines)
    painter.setPen(QPen(QColor(colours.plate_text), 1.0, c=Qt.PenCapStyle.FlatCap))
    painter.drawLines(lines)
    text_left = left - metrics.horizontalAdvance(text) - GAP_PX / 2
    halo_text(painter, text_left, y + 4, text, colours.plate_text, colours.canvas)


def _between_pixels(painter: QPainter, position: float) -> float:
    """Return the nearest position where a line of one pixel is sharp on this device."""
    ratio = painter.device().devicePixelRatio()
    return (int(position * ratio) + 0.5) / ratio

"""Read the texts, lines and images that a widget paints, with their positions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRectF
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

CAPITAL_PX = 9.0
"""Height of capitals in the font of the window."""
_SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Text:
    """A painted text: its centre [px], whether it is bold, and its width [px]."""

    words: str
    x: float
    y: float
    bold: bool
    width: float = 0.0

    @property
    def box(self) -> QRectF:
        """Bounding box of the letters, without descenders [px]."""
        return QRectF(self.x - self.width / 2, self.y - CAPITAL_PX / 2, self.width, CAPITAL_PX)


@dataclass(frozen=True)
class Painted:
    """The texts, lines and images of a widget [px].

    Attributes
    ----------
    lines : each with its two ends
    images : left, top, width and height of each image
    """

    texts: tuple[Text, ...]
    lines: tuple[tuple[tuple[float, float], tuple[float, float]], ...]
    images: tuple[tuple[float, float, float, float], ...]

    def text(self, words: str) -> Text:
        """Return the only text with these words."""
        (found,) = (text for text in self.texts if text.words == words)
        return found


def painted(widget: QWidget) -> Painted:
    """Let a widget paint itself, and return the texts, lines and images it painted."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.ReadWrite)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(widget.size())
    generator.setResolution(widget.logicalDpiX())
    widget.render(generator, QPoint())
    root = ElementTree.fromstring(bytes(buffer.data().data()))
    texts, lines, images = [], [], []
    for group in root.iter(f"{_SVG}g"):
        dx, dy = _shift(group.get("transform", ""))
        texts += [_text(item, dx, dy) for item in group.findall(f"{_SVG}text")]
        images += [_box(item, dx, dy) for item in group.findall(f"{_SVG}image")]
        for item in group.findall(f"{_SVG}polyline"):
            (x0, y0), *_, (x1, y1) = _points(item.get("points", ""))
            lines.append(((x0 + dx, y0 + dy), (x1 + dx, y1 + dy)))
    return Painted(tuple(texts), tuple(lines), tuple(images))


def _shift(transform: str) -> tuple[float, float]:
    numbers = [float(n) for n in re.findall(r"[-+.\de]+", transform.removeprefix("matrix"))]
    if not numbers:
        return 0.0, 0.0
    assert numbers[:4] == [1, 0, 0, 1], "only translations can be read"
    return numbers[4], numbers[5]


def _text(item: ElementTree.Element, dx: float, dy: float) -> Text:
    font = QFont(item.get("font-family", ""))
    font.setPixelSize(round(float(item.get("font-size", 0))))
    font.setWeight(QFont.Weight(int(item.get("font-weight", 400))))
    metrics, words = QFontMetricsF(font), item.text or ""
    width = metrics.horizontalAdvance(words)
    middle = float(item.get("x", 0)) + width / 2
    y = float(item.get("y", 0)) - metrics.capHeight() / 2
    return Text(words, dx + middle, dy + y, font.bold(), width)


def _box(item: ElementTree.Element, dx: float, dy: float) -> tuple[float, float, float, float]:
    x, y, width, height = (float(item.get(key, 0)) for key in ("x", "y", "width", "height"))
    return x + dx, y + dy, width, height


def _points(text: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]

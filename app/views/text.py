"""Numbers and positions as text, with true minus signs."""

from __future__ import annotations

import math
import re

from app.language.translation import tr
from engine.data import number_text
from engine.geometry import Point


def number(value: float, figures: int = 3) -> str:
    """A value with so many significant figures, trailing zeros dropped."""
    if not math.isfinite(value):
        return tr("not a number") if math.isnan(value) else "∞"
    exponent = math.floor(math.log10(abs(value))) if value else 0
    if -4 <= exponent < 7:
        text = f"{value:.{max(0, figures - 1 - exponent)}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        return number_text(value, figures)
    return ("0" if text == "-0" else text).replace("-", "−")


IMAGE_OF_RUN = re.compile(
    r"final|all frames|frame \d+( of \d+)?(, [\d.e+]+ to [\d.e+]+ s)?"
    r"|(iteration|frame) \d+( of \d+)?(, subset \d+( of \d+)?)?"
)
"""Labels of images that a run has made; others are names of files."""


def millimetres(value: float) -> str:
    """A position to a tenth of a millimetre, without unit."""
    return f"{round(value, 1) + 0.0:.1f}".replace("-", "−")


def image_title(label: str) -> str:
    """Return the name of an image as a title; a file keeps its name as it is."""
    return sentence(label) if IMAGE_OF_RUN.fullmatch(label) else label


def sentence(text: str) -> str:
    """Return a text that begins with a capital."""
    return text[:1].upper() + text[1:]


def length_unit(unit: str) -> str:
    """Return the unit of lengths next to values of a unit: pixels if their size is unknown."""
    return "pixels" if unit == "1/pixel" else "mm"


def place(point_mm: Point, length: str = "mm") -> str:
    """A point of the patient."""
    x, y, z = (millimetres(value) for value in point_mm)
    return f"x {x}  y {y}  z {z} {length}"

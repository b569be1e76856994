"""Numbers and positions as text, with true minus signs."""

from __future__ import annotations

import math
import re

from app.language.translation import tr
from engine.core.visible_text import visible_line
from engine.data import number_text
from engine.geometry import Point


def number(value: float, figures: int = 3) -> str:
    """Format a value.

    Parameters
    ----------
    value
        any float
    figures
        significant digits; trailing zeros are dropped

    Returns
    -------
    decimal notation from 1e-4 to 1e7, otherwise with a power of ten
    """
    if not math.isfinite(value):
        return tr("not a number") if math.isnan(value) else "∞"
    # The position of the first digit decides how many decimals are significant.
    exponent = math.floor(math.log10(abs(value))) if value else 0
    if -4 <= exponent < 7:
        text = f"{value:.{max(0, figures - 1 - exponent)}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        return number_text(value, figures)
    # Rounding can give "-0", which would look like a sign error.
    return ("0" if text == "-0" else text).replace("-", "−")


def with_error(value: float, sd: float) -> str:
    """Format a value with its error, both with as many decimals as the error needs.

    Parameters
    ----------
    value
        any float
    sd
        its standard deviation in the same unit; two digits of it are significant

    Returns
    -------
    text such as "4.21 ± 0.32"
    """
    exponent = math.floor(math.log10(sd)) if math.isfinite(sd) and sd > 0 else 0
    # Decimals of a number with a power of ten of its own have no common position.
    if not (sd > 0 and math.isfinite(value) and exponent >= -4 and abs(value) < 1e7):
        return f"{number(value)} ± {number(sd, 2)}"
    decimals = max(0, 1 - exponent)
    shown = f"{value:.{decimals}f}".replace("-", "−")
    # Rounding can give "-0.0", which would look like a sign error.
    return f"{shown if float(f'{value:.{decimals}f}') else shown.strip('−')} ± {sd:.{decimals}f}"


IMAGE_OF_RUN = re.compile(
    r"final|all frames|frame \d+( of \d+)?(, [\d.e+]+ to [\d.e+]+ s)?"
    r"|(iteration|frame) \d+( of \d+)?(, subset \d+( of \d+)?)?"
)
"""Labels of images from a run. Other labels are file names, which must not be changed."""


def millimetres(value: float) -> str:
    """Format a length to a tenth of a millimetre, without unit.

    Parameters
    ----------
    value
        length [mm]
    """
    # Adding 0.0 turns −0.0 into 0.0.
    return f"{round(value, 1) + 0.0:.1f}".replace("-", "−")


def image_title(label: str) -> str:
    """Return the name of an image as a title.

    Parameters
    ----------
    label
        label of an image of a run, which is capitalised, or a file name, which is not
    """
    return sentence(label) if IMAGE_OF_RUN.fullmatch(label) else visible_line(label)


def sentence(text: str) -> str:
    """Capitalise the first letter."""
    return text[:1].upper() + text[1:]


def length_unit(unit: str) -> str:
    """Return the unit of lengths.

    Parameters
    ----------
    unit
        unit of the values; "1/pixel" shows that the pixel size is unknown
    """
    return "pixels" if unit == "1/pixel" else "mm"


def place(point_mm: Point, length: str = "mm") -> str:
    """Format a point.

    Parameters
    ----------
    point_mm
        (x, y, z) [mm]
    length
        unit to show
    """
    x, y, z = (millimetres(value) for value in point_mm)
    return f"x {x}  y {y}  z {z} {length}"

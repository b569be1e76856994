"""Numbers and positions as text, with true minus signs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from app.language.translation import tr
from engine.core.visible_text import visible_line
from engine.data import decimals_for, error_text, number_text
from engine.geometry import Point

PLACE_IN_RUN = re.compile(r"iteration (\d+)(?: of (\d+))?(?:, subset (\d+))?")
"""Label of an image within a run."""
FRAME_IN_RUN = re.compile(
    r"frame (\d+)(?: of (\d+))?(?:, (?:subset (\d+)|([\d.e+]+) to ([\d.e+]+) s))?"
)
"""Label of an image of a time frame, with its number, its subset or its time."""
MIN_SIZE, MAX_SIZE = 1e-4, 1e7
"""Range of values with an error that need no power of ten of their own."""
SIMPLE_NUMBER = re.compile(r"−?\d+(\.\d+)?")
"""A number without a power of ten."""


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


def without_zeros(text: str) -> str:
    """Return a number without zeros at the end of its decimals.

    Parameters
    ----------
    text
        a number; one with a power of ten is not changed
    """
    return text.rstrip("0").rstrip(".") if SIMPLE_NUMBER.fullmatch(text) and "." in text else text


def with_error(value: float, sd: float, figures: int = 2) -> str:
    """Format a value with its error, both with as many decimals as the error needs.

    Parameters
    ----------
    value
        any float
    sd
        its standard deviation in the same unit
    figures
        significant digits of the error

    Returns
    -------
    text such as "4.21 ± 0.32"
    """
    decimals = _decimals(value, sd, figures)
    error = number(sd, figures)
    if decimals is not None:
        error = error_text(sd, decimals).replace(",", "")
    return f"{as_exact_as(value, sd, figures)} ± {error}"


def as_exact_as(value: float, sd: float, figures: int = 2) -> str:
    """Format a value with as many decimals as an error needs.

    Parameters
    ----------
    value
        any float
    sd
        standard deviation in the same unit
    figures
        significant digits of the error
    """
    decimals = _decimals(value, sd, figures)
    if decimals is None:
        return number(value)
    text = f"{value:.{decimals}f}"
    # Rounding can give "-0.00", which would look like a sign error.
    return (text if float(text) else text.removeprefix("-")).replace("-", "−")


def _decimals(value: float, sd: float, figures: int) -> int | None:
    """Return the number of decimals; None if value or error need a power of ten of their own."""
    if not (math.isfinite(value) and math.isfinite(sd) and sd > 0):
        return None
    return decimals_for(sd, value, figures) if MIN_SIZE <= max(abs(value), sd) < MAX_SIZE else None


def alike(values: Sequence[float]) -> list[str]:
    """Format values with the same number of decimals, such as the labels of an axis.

    Parameters
    ----------
    values
        any finite floats

    Returns
    -------
    as many decimals as `number` needs for one of them; unchanged texts if one has a power of ten
    """
    texts = [number(value) for value in values]
    if not all(SIMPLE_NUMBER.fullmatch(text) for text in texts):
        return texts
    decimals = max(len(text.partition(".")[2]) for text in texts)
    # Adding 0.0 turns −0.0 into 0.0.
    return [f"{round(v, decimals) + 0.0:.{decimals}f}".replace("-", "−") for v in values]


def p_text(p: float) -> str:
    """Format the p value of a test.

    Parameters
    ----------
    p
        probability, 0 to 1

    Returns
    -------
    text such as "p = 0.031" or "p < 0.001"
    """
    return "p < 0.001" if p < 0.001 else f"p = {number(p, 2)}"


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
    if label == "final":
        return tr("Final")
    if label == "all frames":
        return tr("All frames")
    if frame := FRAME_IN_RUN.fullmatch(label):
        return _frame_title(*frame.groups())
    place = PLACE_IN_RUN.fullmatch(label)
    if place is None:
        return sentence(label) if IMAGE_OF_RUN.fullmatch(label) else visible_line(label)
    n, of, subset = place.groups()
    if of is None:
        return (
            tr("Iteration {n}, subset {subset}", n=n, subset=subset) if subset else sentence(label)
        )
    if subset:
        return tr("Iteration {n} of {of}, subset {subset}", n=n, of=of, subset=subset)
    return tr("Iteration {n} of {of}", n=n, of=of)


def _frame_title(
    n: str, of: str | None, subset: str | None, start: str | None, end: str | None
) -> str:
    frame = tr("Frame {n} of {of}", n=n, of=of) if of else tr("Frame {n}", n=n)
    if subset:
        return tr("{frame}, subset {subset}", frame=frame, subset=subset)
    return tr("{frame}, {start} to {end} s", frame=frame, start=start, end=end) if end else frame


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

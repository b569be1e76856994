"""Choose the list of angles among the lists of numbers in a text, or explain why none is chosen.

A list is recognised by its title, its key or the file name. Without such a name, the only list that
is plausible is used. Counters, constants, and lists with titles of other quantities are not angles.
Other cases are reported to the user, never ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile
from engine.io.xray.angles import Unit
from engine.io.xray.text.number_lists import NumberList, TextContent, content_of, decoded

Array = NDArray[np.float64]
TOKEN = re.compile(r"[^\W\d_]+|°")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
ANGLE_WORDS = frozenset(
    (
        *("ang", "angs", "angle", "angles", "angular", "theta", "thetas", "phi", "omega", "tilt"),
        *("rot", "rotation", "rotations", "rotary", "deg", "degs", "degree", "degrees", "gantry"),
        *("azimuth", "winkel", "drehwinkel", "angolo", "hoek", "θ", "φ", "ω", "°", "rad"),
        *("radian", "radians", "mdeg", "mdegs", "mdegree", "mdegrees", "mrad", "tlt"),
        *("rawtlt", "anglesrad", "anglesdeg", "thetas", "projangles", "gts"),
    )
)
OTHER_WORDS = frozenset(
    (
        *("time", "zeit", "second", "seconds", "exposure", "count", "counts", "monitor", "current"),
        *("kv", "ma", "ua", "intensity", "temperature", "temp", "index", "number", "nr", "no"),
        *("image", "bild", "file", "frame", "frames", "height", "shift", "shifts", "dose", "gain"),
        *("position", "x", "y", "z", "width", "energy", "voltage", "date", "pressure", "mean"),
    )
)
REFERENCE_WORDS = frozenset(
    (
        *("dark", "darks", "flat", "flats", "white", "whites", "open", "reference", "offset"),
        *("openbeam", "flatfield", "darkfield", "blank", "ref", "bright", "brightfield"),
    )
)
UNIT_WORDS: dict[str, tuple[Unit, float]] = {
    **dict.fromkeys(("deg", "degs", "degree", "degrees", "°", "grad"), ("deg", 1.0)),
    **dict.fromkeys(("rad", "radian", "radians", "anglesrad"), ("rad", 1.0)),
    **dict.fromkeys(("mdeg", "mdegs", "mdegree", "mdegrees"), ("deg", 1e-3)),
    **dict.fromkeys(("mrad", "mrads", "mradian", "mradians"), ("rad", 1e-3)),
    **dict.fromkeys(("arcmin", "arcmins", "arcminute", "arcminutes"), ("deg", 1 / 60)),
    **dict.fromkeys(("arcsec", "arcsecs", "arcsecond", "arcseconds"), ("deg", 1 / 3600)),
}
"""Word -> unit after conversion, and factor to it."""
SAME_DEG = 2e-3
"""Largest difference of equal lists, because one of them can be rounded."""
MAX_TEXT_BYTES = 10_000_000
MIN_SPAN_DEG, MAX_SPAN_DEG = 5.0, 3700.0
"""Plausible spans of a list without a name: up to ten turns."""


@dataclass(frozen=True)
class TextAngles:
    """Angles in a text.

    Attributes
    ----------
    values : (n,) in `unit`, one for each view, or also for flats and darks
    unit : "deg" or "rad"; None if the text does not state it
    place : position in the text, such as "column 2 (angle)"
    """

    values: Array
    unit: Unit | None
    place: str


@dataclass(frozen=True)
class UnclearAngles:
    """A sentence about numbers that could be the angles, and why they are not used."""

    text: str


def text_content(file: InputFile) -> TextContent | None:
    """Return the lists of numbers in a file.

    Parameters
    ----------
    file
        any file; one of more than 10 MB is not read

    Returns
    -------
    content
        None if this is not a text, or too large
    """
    if file.size > MAX_TEXT_BYTES:
        return None
    text = decoded(file.read())
    return None if text is None else content_of(text)


def angles_in_text(file: InputFile, lengths: Sequence[int], column: str = "") -> TextAngles:
    """Return the angles of a text in any layout.

    Parameters
    ----------
    file
        text file
    lengths
        possible numbers of angles; the number of views first
    column
        number or title of a column; "": the text must identify it

    Raises
    ------
    FileFormatError
        if the text does not show which numbers are the angles
    """
    content = text_content(file)
    if content is None:
        raise FileFormatError(
            f"{file.name}: not a text file; choose a text file or an array of angles."
        )
    # One number per line needs no title, so any length is accepted here.
    if len(content.single_column) and not column:
        return bare_angles(content)
    found = of_column(content, column) if column else choose(content, file.name, lengths)
    if isinstance(found, TextAngles):
        return found
    if isinstance(found, UnclearAngles):
        raise FileFormatError(found.text)
    if column:
        raise FileFormatError(
            f"{file.name}: the file has no column {column!r}. Write one angle per line, or a table "
            f"with a column of {lengths[0]:,} angles."
        )
    raise FileFormatError(
        f"{file.name}: the file has no list of angles. Write one angle per line, or a table with a "
        f"column of {lengths[0]:,} angles."
    )


def bare_angles(content: TextContent) -> TextAngles:
    """Return the numbers of a text with one number per line."""
    return _text_angles(NumberList("column 1", "", content.single_column), content)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text.

    Parameters
    ----------
    text
        title or name; parts of names like `rotationAngle` are separate words

    Returns
    -------
    words
        in lower case, without numbers
    """
    # "milli-degrees" and "mdeg" must become the same word.
    text = re.sub(r"(?i)milli[- ]?(?=deg|rad)", "m", CAMEL.sub(" ", text))
    return frozenset(each.lower() for each in TOKEN.findall(text.replace("_", " ")))


def is_named_angle(label: str) -> bool:
    """Return True if a title contains a word for angles."""
    return bool(words_of(label) & ANGLE_WORDS)


def choose(
    content: TextContent, name: str, lengths: Sequence[int]
) -> TextAngles | UnclearAngles | None:
    """Return the angles in a text.

    Parameters
    ----------
    content
        lists of the text
    name
        name of the file; it can contain a word for angles
    lengths
        possible numbers of angles: that of the views, then with flats and darks

    Returns
    -------
    found
        a `UnclearAngles` if the choice is not clear, None if there are no angles
    """
    n_views = lengths[0]
    stem = name.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
    # Logs of a scan often have rows for flats and darks between those of views.
    lists = [_without_references(each, n_views) for each in content.lists]
    fits = [
        each
        for each in lists
        if len(each.values) in lengths and not (each.is_in_word and each.is_counter)
    ]
    named = [each for each in fits if is_named_angle(f"{each.label} {each.unit}")]
    # A title can be wrong: constants are never angles, and counters only if there is nothing else.
    named = [each for each in named if not each.is_constant]
    named = [each for each in named if not each.is_counter] or named
    if not named and is_named_angle(stem):
        # A file named after angles can hold steps of 1°, which look like a counter.
        named = [each for each in fits if _may_be(each) or (each.is_counter and len(fits) == 1)]
    if named and not any(_is_span_of_a_scan(each, content) for each in named):
        return _far_too_wide(named[0], stem)
    if named:
        return _one_of(named, content, stem)
    likely = [each for each in fits if _may_be(each) and _is_plausible(each, content)]
    if likely:
        return _one_of(likely, content, stem)
    # A list without words and constant values is certainly not a list of angles.
    if fits and (not content.is_bare or any(not each.is_constant for each in fits)):
        return _unclear_choice(fits, stem)
    return _of_other_length(content, stem, n_views)


def unit_of(each: NumberList, content: TextContent) -> tuple[Unit | None, float]:
    """Return the stated unit of a list.

    Parameters
    ----------
    each
        list of numbers
    content
        text of the list; its head can name a unit for all lists

    Returns
    -------
    unit
        None if no unit, or several, are stated
    factor
        factor that converts to the unit
    """
    # From the closest place to the most distant one.
    for words in (words_of(each.unit), words_of(each.label), words_of(content.head)):
        stated = {UNIT_WORDS[word] for word in words & UNIT_WORDS.keys()}
        if len(stated) == 1:
            return stated.pop()
    return None, 1.0


def of_column(content: TextContent, column: str) -> TextAngles | None:
    """Return the list that the user names by number or title.

    Parameters
    ----------
    content
        lists of the text
    column
        number from 1, or a part of the title

    Returns
    -------
    angles
        None if there is no such list
    """
    for each in content.lists:
        number = each.place.removeprefix("column ")
        if column in (number, each.place) or column.lower() in each.label.lower():
            return _text_angles(each, content)
    return None


def _without_references(each: NumberList, n_views: int) -> NumberList:
    """Leave out the rows of flats and darks if one row for each view remains."""
    if len(each.rows) <= n_views:
        return each
    is_used = np.array([not words_of(row) & REFERENCE_WORDS for row in each.rows])
    if np.count_nonzero(is_used) != n_views:
        return each
    rows = tuple(row for row, is_view in zip(each.rows, is_used, strict=True) if is_view)
    return replace(each, values=each.values[is_used], rows=rows)


def _may_be(each: NumberList) -> bool:
    """Return True if a list without a name can be angles."""
    return not (each.is_counter or each.is_constant or words_of(each.label) & OTHER_WORDS)


def _is_plausible(each: NumberList, content: TextContent) -> bool:
    unit, factor = unit_of(each, content)
    span = float(np.ptp(each.values)) * factor
    degrees = np.rad2deg(span) if unit == "rad" else span
    # Half a turn in radians is 3.1, which is too small a span for degrees.
    is_radians = unit is None and span < MIN_SPAN_DEG and np.rad2deg(span) > 150
    return bool(MIN_SPAN_DEG <= degrees <= MAX_SPAN_DEG or is_radians)


def _is_span_of_a_scan(each: NumberList, content: TextContent) -> bool:
    """Return True if a list named as angles has a plausible span or even steps."""
    unit, factor = unit_of(each, content)
    span = float(np.ptp(each.values)) * factor
    degrees = np.rad2deg(span) if unit == "rad" else span
    steps = np.diff(each.values)
    is_even = (
        np.ptp(steps) <= 1e-3 * np.abs(steps).max()
    )  # golden angles that are not reduced modulo 180°
    # A list in another unit, such as encoder counts, spans far more than ten turns.
    return bool(degrees <= MAX_SPAN_DEG or is_even)


def _far_too_wide(each: NumberList, name: str) -> UnclearAngles:
    low, high = each.values.min(), each.values.max()
    return UnclearAngles(
        f"{name}, {each.place}: the angles run from {low:g} to {high:g}, more than ten turns in "
        "degrees; state the unit in the title (deg, rad, mdeg), or state the total angle, such as "
        "--angles 180."
    )


def _one_of(
    lists: Sequence[NumberList], content: TextContent, name: str
) -> TextAngles | UnclearAngles:
    """Return the only list, or the first of several equal ones."""
    found = [_text_angles(each, content) for each in lists]
    first = _degrees(found[0])
    # Logs can state the same angles in degrees and in radians.
    if all(np.allclose(_degrees(each), first, rtol=0, atol=SAME_DEG) for each in found[1:]):
        return found[0]
    names = ", ".join(each.place for each in found[:4])
    return UnclearAngles(
        f"{name}: {len(found)} lists could be the angles ({names}); name one, such as --angles "
        f"{name}#{_column(lists[0])}."
    )


def _degrees(found: TextAngles) -> Array:
    return np.rad2deg(found.values) if found.unit == "rad" else found.values


def _text_angles(each: NumberList, content: TextContent) -> TextAngles:
    unit, factor = unit_of(each, content)
    label = " ".join(each.label.split())[:40].strip(" :=[(")
    place = f"{each.place} ({label})" if label else each.place
    return TextAngles(each.values * factor if factor != 1.0 else each.values, unit, place)


def _column(each: NumberList) -> str:
    return each.place.removeprefix("column ")


def _unclear_choice(fits: Sequence[NumberList], name: str) -> UnclearAngles:
    n = len(fits[0].values)
    example = next((each for each in fits if not (each.is_counter or each.is_constant)), fits[0])
    return UnclearAngles(
        f"{name}: contains {n:,} numbers, one per view, but nothing marks them as angles; use "
        f"--angles {name}#{_column(example)} if they are angles, or state the total angle, such as "
        "--angles 180."
    )


def _of_other_length(content: TextContent, name: str, n_views: int) -> UnclearAngles | None:
    """Return a puzzle if a list named as angles has another length than the number of views."""
    for each in content.lists:
        is_named = is_named_angle(each.label) or (is_named_angle(name) and not each.is_in_word)
        if is_named and not each.place.startswith("line") and 2 * len(each.values) > n_views:
            return UnclearAngles(
                f"{name}: {len(each.values):,} angles for {n_views:,} views; correct the list, or "
                "state the total angle, such as --angles 180."
            )
    return None

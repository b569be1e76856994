"""Choose the list of angles among the lists of numbers in a text, or say why none was chosen.

A list is named as one of angles by its title, its key or the name of the file. Without a name, the
only list that can be one of angles is taken. Counters, constants and lists whose title names
another quantity are not angles. Anything else is asked about, never ignored.
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
"""Word -> unit it is converted to, and its size in that unit."""
SAME_DEG = 2e-3
"""Difference of lists that say the same: one of them may be rounded."""
MOST_TEXT_BYTES = 10_000_000
LEAST_SPAN_DEG, MOST_SPAN_DEG = 5.0, 3700.0
"""Spans that a list without a name may have: ten turns at most."""


@dataclass(frozen=True)
class TextAngles:
    """Angles that a text holds.

    Attributes
    ----------
    values : (n,) in `unit`, one for each view, or also for flats and darks
    unit : "deg" or "rad"; None where the text does not state it
    place : where they stand, e.g. "column 2 (angle)"
    """

    values: Array
    unit: Unit | None
    place: str


@dataclass(frozen=True)
class Puzzle:
    """Numbers that may be the angles, and why they were not taken; one sentence."""

    text: str


def text_content(file: InputFile) -> TextContent | None:
    """Return the lists of numbers in a file; None where it is no text."""
    if file.size > MOST_TEXT_BYTES:
        return None
    text = decoded(file.read())
    return None if text is None else content_of(text)


def angles_in_text(file: InputFile, lengths: Sequence[int], column: str = "") -> TextAngles:
    """Return the angles of a text, in any of its dialects.

    Parameters
    ----------
    file
        the text
    lengths
        numbers the list may have, of the views alone first
    column
        number or title of a column; "" where the text itself must tell

    Raises
    ------
    FileFormatError
        where the text does not tell which of its numbers are the angles
    """
    content = text_content(file)
    if content is None:
        raise FileFormatError(
            f"{file.name}: is not a text file; name a text file or an array of angles."
        )
    if len(content.plain) and not column:
        return bare_angles(content)
    found = of_column(content, column) if column else choose(content, file.name, lengths)
    if isinstance(found, TextAngles):
        return found
    if isinstance(found, Puzzle):
        raise FileFormatError(found.text)
    missing = f"contains no column {column!r}" if column else "contains no list of angles"
    raise FileFormatError(
        f"{file.name}: {missing}; expected one angle per line, or a table with a column of "
        f"{lengths[0]:,} angles."
    )


def bare_angles(content: TextContent) -> TextAngles:
    """Return the numbers of a text that holds one a line."""
    return _text_angles(NumberList("column 1", "", content.plain), content)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, those of names like `rotationAngle` apart."""
    text = re.sub(r"(?i)milli[- ]?(?=deg|rad)", "m", CAMEL.sub(" ", text))
    return frozenset(each.lower() for each in TOKEN.findall(text.replace("_", " ")))


def is_named_angle(label: str) -> bool:
    """Return True if words name angles."""
    return bool(words_of(label) & ANGLE_WORDS)


def choose(content: TextContent, name: str, lengths: Sequence[int]) -> TextAngles | Puzzle | None:
    """Return the angles in a text, a puzzle where they may be in it, None where they are not.

    Parameters
    ----------
    content
        lists of the text
    name
        of the file, for sentences; it may name angles too
    lengths
        numbers that a list may have: first those of the views, then those of flats and darks too
    """
    n_views = lengths[0]
    stem = name.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
    lists = [_without_references(each, n_views) for each in content.lists]
    fits = [
        each
        for each in lists
        if len(each.values) in lengths and not (each.is_in_word and each.is_counter)
    ]
    named = [each for each in fits if is_named_angle(f"{each.label} {each.unit}")]
    named = [each for each in named if not each.is_constant]
    named = [each for each in named if not each.is_counter] or named
    if not named and is_named_angle(stem):
        named = [each for each in fits if _may_be(each) or (each.is_counter and len(fits) == 1)]
    if named and not any(_is_span_of_a_scan(each, content) for each in named):
        return _far_too_wide(named[0], stem)
    if named:
        return _one_of(named, content, stem)
    likely = [each for each in fits if _may_be(each) and _is_plausible(each, content)]
    if likely:
        return _one_of(likely, content, stem)
    if fits and (not content.is_bare or any(not each.is_constant for each in fits)):
        return _puzzle(fits, stem)
    return _of_other_length(content, stem, n_views)


def unit_of(each: NumberList, content: TextContent) -> tuple[Unit | None, float]:
    """Return the unit that is stated for a list, and the factor that converts to it."""
    for words in (words_of(each.unit), words_of(each.label), words_of(content.head)):
        stated = {UNIT_WORDS[word] for word in words & UNIT_WORDS.keys()}
        if len(stated) == 1:
            return stated.pop()
    return None, 1.0


def of_column(content: TextContent, column: str) -> TextAngles | None:
    """Return the list that the user names by its number or its title."""
    for each in content.lists:
        number = each.place.removeprefix("column ")
        if column in (number, each.place) or column.lower() in each.label.lower():
            return _text_angles(each, content)
    return None


def _without_references(each: NumberList, n_views: int) -> NumberList:
    """Leave out the rows of flats and darks, where the rest is one for each view."""
    if len(each.rows) <= n_views:
        return each
    kept = np.array([not words_of(row) & REFERENCE_WORDS for row in each.rows])
    if np.count_nonzero(kept) != n_views:
        return each
    rows = tuple(row for row, is_view in zip(each.rows, kept, strict=True) if is_view)
    return replace(each, values=each.values[kept], rows=rows)


def _may_be(each: NumberList) -> bool:
    """Return True if a list without a name may be one of angles."""
    return not (each.is_counter or each.is_constant or words_of(each.label) & OTHER_WORDS)


def _is_plausible(each: NumberList, content: TextContent) -> bool:
    unit, factor = unit_of(each, content)
    span = float(np.ptp(each.values)) * factor
    degrees = np.rad2deg(span) if unit == "rad" else span
    is_radians = unit is None and span < LEAST_SPAN_DEG and np.rad2deg(span) > 150
    return bool(LEAST_SPAN_DEG <= degrees <= MOST_SPAN_DEG or is_radians)


def _is_span_of_a_scan(each: NumberList, content: TextContent) -> bool:
    """Whether a list that is named as angles spans what scans do, or goes on in even steps."""
    unit, factor = unit_of(each, content)
    span = float(np.ptp(each.values)) * factor
    degrees = np.rad2deg(span) if unit == "rad" else span
    steps = np.diff(each.values)
    is_even = (
        np.ptp(steps) <= 1e-3 * np.abs(steps).max()
    )  # a golden angle that is not taken mod 180
    return bool(degrees <= MOST_SPAN_DEG or is_even)


def _far_too_wide(each: NumberList, name: str) -> Puzzle:
    low, high = each.values.min(), each.values.max()
    return Puzzle(
        f"{name}: {each.place} runs from {low:g} to {high:g}, more than ten turns in degrees; "
        "state its unit in its title (deg, rad, mdeg), or state the total angle, such as --angles "
        "180."
    )


def _one_of(lists: Sequence[NumberList], content: TextContent, name: str) -> TextAngles | Puzzle:
    """Return the only list, or one of several that say the same."""
    found = [_text_angles(each, content) for each in lists]
    first = _degrees(found[0])
    if all(np.allclose(_degrees(each), first, rtol=0, atol=SAME_DEG) for each in found[1:]):
        return found[0]
    names = ", ".join(each.place for each in found[:4])
    return Puzzle(
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


def _puzzle(fits: Sequence[NumberList], name: str) -> Puzzle:
    n = len(fits[0].values)
    example = next((each for each in fits if not (each.is_counter or each.is_constant)), fits[0])
    return Puzzle(
        f"{name}: contains {n:,} numbers, one per view, but nothing marks them as angles; use "
        f"--angles {name}#{_column(example)} if they are angles, or state the total angle, such as "
        "--angles 180."
    )


def _of_other_length(content: TextContent, name: str, n_views: int) -> Puzzle | None:
    """Say that a list that is named as angles has another length than the scan has views."""
    for each in content.lists:
        is_named = is_named_angle(each.label) or (is_named_angle(name) and not each.is_in_word)
        if is_named and not each.place.startswith("line") and 2 * len(each.values) > n_views:
            return Puzzle(
                f"{name}: {len(each.values):,} angles for {n_views:,} views; correct the list, or "
                "state the total angle, such as --angles 180."
            )
    return None

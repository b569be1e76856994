"""Find all lists of numbers in a text: columns, lines, repeated keys, and JSON.

A text can have titles, comments, decimal commas, units after the numbers, or all numbers in one
line. `angle_text` decides which list contains the angles.
Lists in JSON are named by their path.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
NUMBER = r"[-+\u2212]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d{1,3})?"
COMMA_NUMBER = NUMBER.replace(r"\.", ",")
UNIT_AFTER = re.compile(
    r"\s*[\[(]?(m(?:illi)?-?deg\w*|deg\w*|°|m(?:illi)?-?rad(?:ian)?s?\b|rad(?:ian)?s?\b)[\])]?",
    re.IGNORECASE,
)
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
"""Control characters that texts do not contain."""
COMMENT = re.compile(r"^\s*(?:[#%!;*]|//)")
DELIMITERS = "\t;|,"
MIN_VALUES = 3
"""Shorter lists are ignored."""
MAX_LINES, MAX_LISTS = 200_000, 400
TITLE_LINES = 3
"""Number of lines above the first row that can contain its title."""
MAX_DEPTH = 8
JSON_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")


@dataclass(frozen=True)
class NumberList:
    """Numbers that belong together.

    Attributes
    ----------
    place : position in the text, for messages, such as "column 2"
    label : title or key; "" if there is none
    values : (n,) the numbers
    rows : (n,) text of the line of each number; () if they share a line
    is_in_word : True if the numbers are parts of words, as in file names
    unit : unit after the numbers, as written; "" if there is none
    """

    place: str
    label: str
    values: Array
    rows: tuple[str, ...] = ()
    is_in_word: bool = False
    unit: str = ""

    @property
    def is_constant(self) -> bool:
        """Return True if all numbers are the same."""
        return bool(np.ptp(self.values) == 0)

    @property
    def is_counter(self) -> bool:
        """Return True if the numbers count up or down by one."""
        steps = np.diff(self.values)
        return bool((np.abs(steps) == 1).all() and np.ptp(steps) == 0)


@dataclass(frozen=True)
class TextContent:
    """All lists of numbers in a text.

    Attributes
    ----------
    lists : the lists; equal lists only once
    head : text of all lines without numbers, which can state units
    single_column : (n,) numbers of a text with one number per line and comments after #; empty
        for other texts
    is_bare : True if there are hardly any words
    """

    lists: tuple[NumberList, ...]
    head: str = ""
    single_column: Array = field(default_factory=lambda: np.empty(0))
    is_bare: bool = False


@dataclass(frozen=True)
class _Row:
    """A line with numbers: their values and positions."""

    number: int
    text: str
    pattern: re.Pattern[str]

    @cached_property
    def found(self) -> list[re.Match[str]]:
        return list(self.pattern.finditer(self.text))

    @cached_property
    def values(self) -> list[float]:
        return [_value(each.group()) for each in self.found]

    def unit(self, k: int) -> str:
        """Return the unit right after number k."""
        after = UNIT_AFTER.match(self.text, self.found[k].end())
        return after.group(1) if after else ""

    def label(self, k: int) -> str:
        """Return the words before number k; a key with a number in it counts as one label."""
        begin = 0
        if k:
            begin = self.found[k - 1].end()
            unit = UNIT_AFTER.match(self.text, begin)
            begin = unit.end() if unit else begin
        words = " ".join(self.text[begin : self.found[k].start()].split())
        if k and not re.search(r"\w", words) and self.is_in_word(k - 1):
            return f"{self.label(k - 1)} {words}"
        return words

    def is_in_word(self, k: int) -> bool:
        start = self.found[k].start()
        return start > 0 and (self.text[start - 1].isalpha() or self.text[start - 1] == "_")

    def field(self, k: int, delimiter: str | None) -> int:
        """Return the index of the field that contains number k."""
        before = self.text[: self.found[k].start()]
        if delimiter:
            return before.count(delimiter)
        words = before.split()
        return len(words) - bool(words and not before[-1].isspace())

    def fields(self, delimiter: str | None) -> int:
        return len(self.text.split(delimiter))


@dataclass
class _Groups:
    """Rows that belong together, by the number of their numbers or by their words."""

    rows: dict[tuple[object, ...], list[_Row]] = field(default_factory=lambda: defaultdict(list))

    def add(self, row: _Row) -> None:
        n = len(row.values)
        if n:
            # Both groupings are tried: a table has equal counts, a log repeats its words.
            labels = tuple(re.sub(r"\s", "", row.label(k)) for k in range(n))
            self.rows[("by count", n)].append(row)
            self.rows[("by words", *labels)].append(row)


def decoded(data: bytes) -> str | None:
    """Return the text of a file.

    Parameters
    ----------
    data
        content of the file

    Returns
    -------
    text
        with line feeds as line ends; None if it is binary
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encodings: tuple[str, ...] = ("utf-16",)
    elif b"\0" in data[:1000]:
        return None
    else:
        # UTF-8 first: it fails for texts in other encodings, whereas latin-1 accepts everything.
        encodings = ("utf-8-sig", "cp1252", "latin-1")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if CONTROL.search(text) else text.replace("\r\n", "\n").replace("\r", "\n")
    return None


def content_of(text: str) -> TextContent:
    """Return the lists of numbers in a text.

    Parameters
    ----------
    text
        from `decoded`; XML and JSON are recognised by their first character

    Returns
    -------
    content
        lists, and the words around them
    """
    # A text that begins like JSON but cannot be parsed is read as lines.
    if text.lstrip()[:1] in ("{", "["):
        found = lists_in_json(text)
        if found is not None:
            lists = [NumberList(path or "list", path, each) for path, each in found]
            return TextContent(_different(lists), is_bare=len(lists) == 1 and not lists[0].label)
    if text.lstrip().startswith("<"):
        # Closing tags would repeat the words of each element; one element per line makes rows.
        text = re.sub(r"</[^>]*>", "", text.replace("><", ">\n<"))
    # No scan has more views; the limit keeps the time for hostile texts short.
    lines = text.splitlines()[:MAX_LINES]
    data = [(k, line) for k, line in enumerate(lines) if not COMMENT.match(line)]
    pattern = re.compile(COMMA_NUMBER if _has_decimal_commas(data) else NUMBER)
    rows = [_Row(k, line, pattern) for k, line in data if pattern.search(line)]
    with_numbers = {row.number for row in rows}
    head = "\n".join(line for k, line in enumerate(lines) if k not in with_numbers)
    found_lists = [*_columns(rows, lines), *_in_lines(rows), *_all_numbers(rows)]
    words = re.findall(r"[^\W\d_]{2,}", "\n".join(row.text for row in rows))
    return TextContent(_different(found_lists), head, _bare_numbers(lines), is_bare=len(words) <= 2)


def _bare_numbers(lines: list[str]) -> Array:
    rests = (line.partition("#")[0].strip() for line in lines)
    try:
        return np.array([float(rest) for rest in rests if rest])
    except ValueError:
        return np.empty(0)


def _has_decimal_commas(data: list[tuple[int, str]]) -> bool:
    """Return True if commas are decimal: no decimal points, and not a table separated by commas."""
    lines = [line for _, line in data if re.search(r"\d", line)]
    with_comma = [line for line in lines if re.search(r"\d,\d", line)]
    if not with_comma or 2 * len(with_comma) < len(lines):
        return False
    if any(re.search(r"\d\.\d", line) for line in lines):
        return False
    return not _is_table([line.split(",") for line in with_comma])


def _is_table(rows: list[list[str]]) -> bool:
    """Return True if fields between commas form a table and are not parts of decimal numbers."""
    try:
        values = [[float(each.strip(' "')) for each in row] for row in rows]
    except ValueError:
        return False
    if len({len(row) for row in values}) == 1 and len(values) > 1:
        columns = np.array(values).T
        # Two columns: "1,5" is ambiguous, unless the first column counts views.
        counts = bool(len(columns[0]) >= MIN_VALUES and (np.diff(columns[0]) == 1).all())
        return len(columns) > 2 or (counts and np.ptp(columns[1]) > 0)
    return max(len(row) for row in values) > 2


def _columns(rows: list[_Row], lines: list[str]) -> Iterator[NumberList]:
    groups = _Groups()
    for row in rows:
        groups.add(row)
    for key, group in groups.rows.items():
        n_columns = len(group[0].values)
        # If all rows have the same words, grouping by words repeats the grouping by count.
        if len(group) < MIN_VALUES or (key[0] == "by words" and len(group) == len(rows)):
            continue
        titles = _titles(group, lines)
        texts = tuple(row.text for row in group)
        for k in range(min(n_columns, MAX_LISTS)):
            label = f"{titles.get(k, '')} {group[0].label(k)}".strip()
            values = np.array([row.values[k] for row in group])
            in_word = all(row.is_in_word(k) for row in group)
            yield NumberList(f"column {k + 1}", label, values, texts, in_word, group[0].unit(k))


def _titles(group: list[_Row], lines: list[str]) -> dict[int, str]:
    """Return the title of each number in a row, from the lines above the rows."""
    first = group[0]
    if len(group) > 1 and group[1].number > first.number + 1 and first.label(0):
        return {}  # these rows are between others, and each has its own words
    same = {row.number for row in group}
    above = [k for k in range(max(first.number - TITLE_LINES, 0), first.number) if k not in same]
    delimiter = _delimiter(group)
    # The closest line with letters is the title.
    for k in reversed(above):
        title = COMMENT.sub("", lines[k]).strip("\n")
        if not re.search(r"[^\W\d_]", title):
            continue
        if len(first.values) == 1:
            return {0: title.strip()}
        for parts in (title.split(delimiter), re.split(r"\s{2,}|\t", title.strip())):
            if len(parts) == first.fields(delimiter):
                numbers = range(len(first.values))
                return {n: parts[first.field(n, delimiter)].strip(' "') for n in numbers}
    return {}


def _delimiter(group: list[_Row]) -> str | None:
    is_decimal = group[0].pattern.pattern == COMMA_NUMBER
    for each in DELIMITERS:
        counts = {row.text.count(each) for row in group}
        if len(counts) == 1 and counts.pop() > 0 and not (each == "," and is_decimal):
            return each
    return None


def _in_lines(rows: list[_Row]) -> Iterator[NumberList]:
    """Yield the numbers of each line with several."""
    for row in rows[:MAX_LISTS]:
        if len(row.values) >= MIN_VALUES:
            yield NumberList(f"line {row.number + 1}", row.label(0), np.array(row.values))


def _all_numbers(rows: list[_Row]) -> Iterator[NumberList]:
    """Yield all numbers in order, for a list that is broken into lines."""
    values = [value for row in rows for value in row.values]
    if len(rows) > 1 and len(values) >= MIN_VALUES:
        yield NumberList("all numbers", rows[0].label(0), np.array(values))


def _different(lists: Iterator[NumberList] | list[NumberList]) -> tuple[NumberList, ...]:
    """Leave out repeated lists; of equal lists, the one with more words stays."""
    by_content: dict[bytes, NumberList] = {}
    for each in lists:
        key = each.values.tobytes()
        before = by_content.get(key)
        if before is None or (len(each.label) > len(before.label) and not before.rows):
            by_content[key] = each
    return tuple(each for each in by_content.values() if np.isfinite(each.values).all())


def _value(text: str) -> float:
    # Unicode minus, decimal comma, and the exponent D of Fortran.
    normalised = text.replace("\u2212", "-").replace(",", ".").lower().replace("d", "e")
    return float(normalised)


def lists_in_json(text: str) -> list[tuple[str, NDArray[np.float64]]] | None:
    """Return the lists of numbers in a JSON text.

    Parameters
    ----------
    text
        any text

    Returns
    -------
    lists
        (path, numbers), without indices in the path; None if this is not JSON
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found: dict[str, list[float]] = defaultdict(list)
    _walk(value, "", 0, found)
    return [(path, np.array(each)) for path, each in found.items() if len(each) >= MIN_VALUES]


def _walk(value: object, path: str, depth: int, found: dict[str, list[float]]) -> None:
    # bool is a subclass of int.
    if isinstance(value, bool) or depth > MAX_DEPTH:
        return
    if isinstance(value, int | float) or (isinstance(value, str) and JSON_NUMBER.fullmatch(value)):
        found[path].append(float(value))
    elif isinstance(value, list):
        for each in value:
            _walk(each, path, depth + 1, found)
    elif isinstance(value, dict):
        for key, each in value.items():
            # Some programs write a list as an object with the keys 0, 1, 2; its numbers belong
            # together.
            inner = path if str(key).isdigit() else f"{path}.{key}".strip(".")
            _walk(each, inner, depth + 1, found)

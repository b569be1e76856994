"""Settings texts of scanners: `key : value` or `key=value` lines, in sections or not."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile
from engine.io.safety.ranges import DISTANCE_MM, in_range

MAX_BYTES = 1_000_000
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Fields:
    """Values by lower-case key, as texts.

    Attributes
    ----------
    path : the file, for sentences
    values : lower-case key, single-spaced -> text
    """

    path: Path
    values: dict[str, str]

    def text(self, key: str) -> str | None:
        """Return a value, None where it is absent or empty."""
        return self.values.get(key.lower()) or None

    def maybe(self, key: str) -> float | None:
        """Return the number a value begins with, None where the key is absent."""
        text = self.text(key)
        if text is None:
            return None
        match = NUMBER.match(text.strip())
        number = float(match[0]) if match else math.nan
        if not math.isfinite(number):
            raise FileFormatError(
                f"{self.path.name}: {key!r} is {text[:40]!r}, expected a number; correct the "
                "settings."
            )
        return number

    def fact(self, key: str) -> float | None:
        """Return the number of a key that only informs, None where it holds no number."""
        match = NUMBER.match((self.text(key) or "").strip())
        number = float(match[0]) if match else math.nan
        return number if math.isfinite(number) else None

    def number(self, key: str) -> float:
        """Return the number of a key that must be there."""
        number = self.maybe(key)
        if number is None:
            raise FileFormatError(
                f"{self.path.name}: {key!r} is missing; was the file cut or edited?"
            )
        return number

    def positive(self, key: str) -> float:
        """Return a number that must be there and above 0."""
        number = self.number(key)
        if number <= 0:
            raise FileFormatError(
                f"{self.path.name}: {key!r} is {number:g}, expected more than 0; correct the "
                "settings."
            )
        return number

    def whole(self, key: str) -> int:
        """Return a whole number that must be there and above 0."""
        number = self.positive(key)
        if not number.is_integer():
            raise FileFormatError(
                f"{self.path.name}: {key!r} is {number:g}, expected an integer; correct the "
                "settings."
            )
        return int(number)


def read_fields(file: InputFile, separator: str) -> Fields:
    """Read a settings text; the first of two equal keys counts."""
    values: dict[str, str] = {}
    for line in settings_text(file).splitlines():
        key, found, value = line.partition(separator)
        if found and not key.lstrip().startswith(";"):
            values.setdefault(" ".join(key.lower().split()), value.strip())
    return Fields(file.path, values)


def settings_text(file: InputFile) -> str:
    """Return a scanner's text, of UTF-8 or of Windows."""
    data = file.read() if file.size <= MAX_BYTES else None
    if data is None or b"\0" in data:
        return file.text(MAX_BYTES)  # says what is wrong
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def refuse_distances(where: Path, source_axis_mm: float, source_detector_mm: float) -> None:
    """Refuse an axis that does not lie between source and detector."""
    if not 0 < source_axis_mm < source_detector_mm:
        raise FileFormatError(
            f"{where.name}: source to axis {source_axis_mm:g} mm and source to detector "
            f"{source_detector_mm:g} mm; the axis must be between source and detector, so correct "
            "or swap them."
        )
    for name, distance_mm in (("axis", source_axis_mm), ("detector", source_detector_mm)):
        in_range(where, f"the distance from source to {name}", distance_mm, DISTANCE_MM)

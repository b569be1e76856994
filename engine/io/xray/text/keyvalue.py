"""Read settings texts of scanners: lines `key : value` or `key=value`, with or without sections."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile
from engine.io.safety.ranges import DISTANCE_MM, in_range

MAX_BYTES = 1_000_000
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Fields:
    """Values of a settings text.

    Attributes
    ----------
    path : the file, for error messages
    values : lower-case, single-spaced key -> text
    """

    path: Path
    values: dict[str, str]

    def text(self, key: str) -> str | None:
        """Return the text of a key, None if it is missing or empty."""
        return self.values.get(key.lower()) or None

    def optional(self, key: str) -> float | None:
        """Return the number at the beginning of a value.

        Parameters
        ----------
        key
            key in any case

        Returns
        -------
        number
            without a unit that follows it; None if the key is missing

        Raises
        ------
        FileFormatError
            if the value does not begin with a number
        """
        text = self.text(key)
        if text is None:
            return None
        # Units can follow the number, as in "80 kV".
        match = NUMBER.match(text.strip())
        number = float(match[0]) if match else math.nan
        if not math.isfinite(number):
            raise FileFormatError(
                f"{self.path.name}: {key!r} is {text[:40]!r}, expected a number; correct the "
                "settings."
            )
        return number

    def fact(self, key: str) -> float | None:
        """Return a number that is only shown to the user, None if there is none."""
        match = NUMBER.match((self.text(key) or "").strip())
        number = float(match[0]) if match else math.nan
        return number if math.isfinite(number) else None

    def facts(self, keys: Mapping[str, str]) -> dict[str, float]:
        """Return the facts of several keys, without those that are not numbers.

        Parameters
        ----------
        keys
            name of a fact -> key
        """
        found = {name: self.fact(key) for name, key in keys.items()}
        return {name: number for name, number in found.items() if number is not None}

    def number(self, key: str) -> float:
        """Return the number of a required key.

        Parameters
        ----------
        key
            key in any case

        Raises
        ------
        FileFormatError
            if the key is missing or has no number
        """
        number = self.optional(key)
        if number is None:
            raise FileFormatError(
                f"{self.path.name}: {key!r} is missing; copy the file again, or add the value."
            )
        return number

    def positive(self, key: str) -> float:
        """Return a required number above 0.

        Parameters
        ----------
        key
            key in any case

        Raises
        ------
        FileFormatError
            if the key is missing or not above 0
        """
        number = self.number(key)
        if number <= 0:
            raise FileFormatError(
                f"{self.path.name}: {key!r} is {number:g}, expected more than 0; correct the "
                "settings."
            )
        return number

    def whole(self, key: str) -> int:
        """Return a required integer above 0.

        Parameters
        ----------
        key
            key in any case

        Raises
        ------
        FileFormatError
            if the key is missing or not an integer above 0
        """
        number = self.positive(key)
        if not number.is_integer():
            raise FileFormatError(
                f"{self.path.name}: {key!r} is {number:g}, expected an integer; correct the "
                "settings."
            )
        return int(number)


def read_fields(file: InputFile, separator: str) -> Fields:
    """Read a settings text.

    Parameters
    ----------
    file
        text of at most 1 MB
    separator
        between key and value

    Returns
    -------
    fields
        if a key occurs twice, its first value
    """
    values: dict[str, str] = {}
    for line in settings_text(file).splitlines():
        key, found, value = line.partition(separator)
        # Semicolons begin comments in INI files.
        if found and not key.lstrip().startswith(";"):
            # Sections of some scanners repeat keys; the first one describes the scan.
            values.setdefault(" ".join(key.lower().split()), value.strip())
    return Fields(file.path, values)


def settings_text(file: InputFile) -> str:
    """Return the text of a scanner file, in UTF-8 or in the Western Windows code page."""
    data = file.read() if file.size <= MAX_BYTES else None
    if data is None or b"\0" in data:
        return file.text(MAX_BYTES)  # raises an error that states the reason
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Scanners write µ and ° in the code page of their computer; keys and numbers are ASCII.
        return data.decode("cp1252", errors="replace")


def refuse_distances(where: Path, source_axis_mm: float, source_detector_mm: float) -> None:
    """Refuse an axis that is not between source and detector.

    Parameters
    ----------
    where
        settings file, for the error message
    source_axis_mm, source_detector_mm
        distances from the source [mm]

    Raises
    ------
    FileFormatError
        if the order is wrong
    GeometryError
        if a distance is not plausible
    """
    if not 0 < source_axis_mm < source_detector_mm:
        raise FileFormatError(
            f"{where.name}: the source is {source_axis_mm:g} mm from the axis and "
            f"{source_detector_mm:g} mm from the detector, but the axis must be between the source "
            "and the detector; correct or swap the distances."
        )
    in_range(where, "source_axis_mm", source_axis_mm, DISTANCE_MM)
    in_range(where, "source_detector_mm", source_detector_mm, DISTANCE_MM)

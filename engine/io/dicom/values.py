"""Format numbers, times and texts as DICOM values (PS3.5 6.2)."""

from __future__ import annotations

import math
import unicodedata
from datetime import datetime

DECIMAL_CHARACTERS = 16
"""Longest decimal string (DS)."""
SHORT, LONG = 16, 64
"""Longest short string (SH) and long string (LO, and each part of a name)."""


def decimal(value: float) -> str:
    """Return a number as the decimal string nearest to it of at most 16 characters."""
    for digits in range(16, 0, -1):
        text = f"{value:.{digits}g}"
        if len(text) <= DECIMAL_CHARACTERS:
            return text
    raise ValueError(f"{value!r} cannot be stored as a DICOM number")


def decimal_from_above(value: float) -> str:
    """Return the decimal string of a positive number that is at least as large."""
    text = decimal(value)
    for step in range(1, 100):
        if float(text) >= value:
            return text
        text = decimal(value * (1 + step * 10.0 ** -(DECIMAL_CHARACTERS - 6)))
    return decimal(math.nextafter(value * 1.001, math.inf))


def date_of(moment: datetime | None) -> str:
    """Return a day (DA); empty where it is not known."""
    return "" if moment is None else f"{moment:%Y%m%d}"


def time_of(moment: datetime | None) -> str:
    """Return a time of day (TM); empty where it is not known."""
    return "" if moment is None else f"{moment:%H%M%S.%f}"


def date_time_of(moment: datetime | None) -> str:
    """Return a moment (DT), without its zone, which the instance states once; empty if unknown."""
    return "" if moment is None else f"{moment:%Y%m%d%H%M%S.%f}"


def zone_of(moment: datetime | None) -> str:
    """Return the offset from UTC of a moment, "+0100"; empty where it has none."""
    return "" if moment is None or moment.tzinfo is None else f"{moment:%z}"[:5]


def words(text: str, longest: int = LONG) -> str:
    """Return a text without what ends or parts values, cut to a length."""
    plain = "".join(" " if unicodedata.category(c)[0] == "C" or c in "\\^=" else c for c in text)
    return " ".join(plain.split())[:longest].strip()

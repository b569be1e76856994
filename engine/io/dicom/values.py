"""Format numbers, times, texts, identifiers and pseudonyms as DICOM values (PS3.5 6.2).

The same object always gets the same UID = 2.25.<n>, where n is the UUID from the first 16 bytes of
SHA-256 over the name (PS3.5, B.2).

Pseudonyms for patients whose identity is unknown.
"""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import datetime
from hashlib import sha256
from uuid import UUID

DECIMAL_CHARACTERS = 16
"""Maximum length of a decimal string (DS)."""
SHORT, LONG = 16, 64
"""Maximum length of a short string (SH), and of a long string (LO) and each part of a name."""
ROOT = "2.25"
PREFIX = "isocenter-"
PSEUDONYM = re.compile(PREFIX + "[0-9a-f]{12}")


def decimal(value: float) -> str:
    """Return the closest decimal string with at most 16 characters.

    Parameters
    ----------
    value
        finite number

    Raises
    ------
    ValueError
        if no such string exists
    """
    # Sign, point and exponent count too, so the number of digits depends on the value.
    for digits in range(16, 0, -1):
        text = f"{value:.{digits}g}"
        if len(text) <= DECIMAL_CHARACTERS:
            return text
    raise ValueError(f"{value!r} cannot be stored as a DICOM number")


def decimal_from_above(value: float) -> str:
    """Return a decimal string that is not smaller than a positive number.

    Parameters
    ----------
    value
        positive number, such as a slope that must not be rounded down
    """
    text = decimal(value)
    for step in range(1, 100):
        if float(text) >= value:
            return text
        text = decimal(value * (1 + step * 10.0 ** -(DECIMAL_CHARACTERS - 6)))
    return decimal(math.nextafter(value * 1.001, math.inf))


def date_of(moment: datetime | None) -> str:
    """Return a date (DA); empty if unknown."""
    return "" if moment is None else f"{moment:%Y%m%d}"


def time_of(moment: datetime | None) -> str:
    """Return a time of day (TM); empty if unknown."""
    return "" if moment is None else f"{moment:%H%M%S.%f}"


def date_time_of(moment: datetime | None) -> str:
    """Return date and time (DT) without time zone, which the file states once; empty if unknown."""
    return "" if moment is None else f"{moment:%Y%m%d%H%M%S.%f}"


def zone_of(moment: datetime | None) -> str:
    """Return the offset from UTC, such as "+0100"; empty if the time has no zone."""
    return "" if moment is None or moment.tzinfo is None else f"{moment:%z}"[:5]


def words(text: str, longest: int = LONG) -> str:
    """Return a text that is valid in a DICOM value.

    Parameters
    ----------
    text
        any text; control characters and separators become spaces
    longest
        maximum length; the rest is cut off
    """
    # "\" separates values, "^" the parts of a name, "=" its representations (PS3.5, 6.2).
    cleaned = "".join(" " if unicodedata.category(c)[0] == "C" or c in "\\^=" else c for c in text)
    return " ".join(cleaned.split())[:longest].strip()


def uid_of(*parts: str) -> str:
    """Return the UID for an object, at most 44 characters.

    Parameters
    ----------
    *parts
        words that name the object

    Examples
    --------
    >>> from engine.io.dicom.values import uid_of
    >>> uid_of("series", "1") == uid_of("series", "1") != uid_of("series", "2")
    True
    """
    # A separator that no part contains: ("a", "bc") and ("ab", "c") must differ.
    digest = sha256("\0".join(parts).encode()).digest()
    return f"{ROOT}.{UUID(bytes=digest[:16], version=5).int}"


def pseudonym_for(key: str) -> str:
    """Return the pseudonym for the patient of a scan.

    Parameters
    ----------
    key
        digest of the scan; the same scan always gets the same pseudonym
    """
    return f"{PREFIX}{key[:12]}"


def named(patient_id: str) -> str:
    """Return a patient ID, or "" if it is one of our pseudonyms, which name nobody.

    Examples
    --------
    >>> from engine.io.dicom.values import named, pseudonym_for
    >>> named("4711"), named(pseudonym_for("0123456789abcdef"))
    ('4711', '')
    """
    return "" if PSEUDONYM.fullmatch(patient_id) else patient_id

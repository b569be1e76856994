"""Format names and numbers for people."""

from __future__ import annotations

from app.language.keys import NAMES
from app.language.translation import tr
from engine.data import number_text, quantity

__all__ = ["clock", "count", "number_text", "quantity", "sentence_case", "size", "words"]

MINUTE_S, HOUR_S = 60, 3600


def clock(seconds: float) -> str:
    """Format a duration as 0:41 or 1:02:03, below ten seconds with a tenth.

    Parameters
    ----------
    seconds
        the duration [s]
    """
    # Values from 9.95 would round to "10.0 s".
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    hours, rest = divmod(whole, HOUR_S)
    minutes, left = divmod(rest, MINUTE_S)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"


def duration(seconds: float) -> str:
    """Format a duration that cannot be confused with a time of day: 41 s, 12 min, 1 h 02 min.

    Parameters
    ----------
    seconds
        the duration [s]
    """
    if seconds < MINUTE_S - 0.5:
        return f"{seconds:.0f} s"
    # Rounded to minutes first, or 59.7 minutes would become "60 min".
    hours, minutes = divmod(round(seconds / MINUTE_S), HOUR_S // MINUTE_S)
    return (
        tr("{hours} h {minutes:02d} min", hours=hours, minutes=minutes)
        if hours
        else f"{minutes} min"
    )


def count(number: float) -> str:
    """Format a large number with k, M or G.

    Parameters
    ----------
    number
        the number
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f} {letter}"
    return f"{number:.0f}"


def size(n_bytes: float) -> str:
    """Format a size in binary units.

    Parameters
    ----------
    n_bytes
        size in bytes
    """
    for unit, step in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if n_bytes >= step:
            return f"{n_bytes / step:.1f} {unit}"
    return f"{n_bytes:.0f} B"


def words(value: object) -> str:
    """Return a value or field name as text for the user.

    Parameters
    ----------
    value
        a value of a settings field, or a field name with underscores
    """
    if isinstance(value, str) and value in NAMES:
        return NAMES[value]
    # Names without a translation are field names, which are English words.
    return sentence_case(str(value).replace("_", " "))


def sentence_case(text: str) -> str:
    """Capitalise the first letter.

    Parameters
    ----------
    text
        the text; the rest is not changed
    """
    return text[:1].upper() + text[1:]

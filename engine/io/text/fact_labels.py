"""Labels for the facts of a scan: keys and values as users read them."""

from __future__ import annotations

import math
from typing import Any

from engine.data.formatting import quantity

UNITS = {
    "s": "s",
    "ms": "ms",
    "mm": "mm",
    "cm": "cm",
    "kev": "keV",
    "bq": "Bq",
    "kg": "kg",
    "ug": "µg",
}
NAMES = {
    "half_life": "Half-life",
    "injected": "Injected activity",
    "energy_low": "Lower energy threshold",
    "energy_high": "Upper energy threshold",
    "frame": "Frame duration",
    "n_time_tags": "Time tags",
    "branching": "Positrons per decay",
}
"""Labels for keys that differ from the term of the field."""
IDENTIFIERS = ("seed", "error_seed")
"""Keys of whole numbers that identify and do not count, so they have no thousands separators."""
MAX_COUNT = 1e15
"""Larger whole numbers are rounded, because a float has no digits for them."""
FEW, MANY = 4, 6
"""Significant digits of values that are converted (Bq, s), and of values shown as stored."""


def fact_of(key: str, value: Any) -> tuple[str, str]:
    """Return label and text of a fact.

    Parameters
    ----------
    key
        key of `info`; its suffix names the unit
    value
        number, text, list or table

    Returns
    -------
    label
        for "half_life_s": "Half-life"
    text
        for 6586.2 s: "109.8 min"
    """
    name, unit = _split(key)
    if key in IDENTIFIERS:
        return _label(name), str(value)
    return _label(name), _with_unit(value, UNITS[unit]) if unit else text_of(value)


def _split(key: str) -> tuple[str, str]:
    """Return name and unit of a key; the unit is "" if the key has none."""
    name, _, unit = key.rpartition("_")
    # "counts_per_mm" is a number
    return (name, unit) if unit in UNITS and not name.endswith("_per") else (key, "")


def _label(name: str) -> str:
    # Only the first letter changes, because `str.capitalize` would turn "TOF" into "Tof".
    words = NAMES.get(name) or (f"number of {name[2:]}" if name.startswith("n_") else name)
    return (words[:1].upper() + words[1:]).replace("_", " ")


def _with_unit(value: Any, unit: str) -> str:
    # A damaged header can hold text or infinity; show it as it is.
    if not isinstance(value, int | float) or not math.isfinite(value):
        return f"{text_of(value)} {unit}"
    return quantity(value, unit, FEW if unit in ("Bq", "s") else MANY)


def text_of(value: Any) -> str:
    """Return a value as text for users.

    Parameters
    ----------
    value
        bool becomes yes or no; numbers get thousands separators, and 6 significant digits if they
        are not whole; a table becomes its keys and values in one line
    """
    if isinstance(value, dict):
        return ", ".join(_part(str(key), part) for key, part in value.items())
    # Test bool before int, because bool is a subclass of int.
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    # An expected number of counts such as 2500000.0 must not appear as 2.5e+06
    is_count = value.is_integer() and abs(value) < MAX_COUNT
    return f"{value:,.0f}" if is_count else f"{value:,.6g}"


def _part(key: str, value: Any) -> str:
    """Return one entry of a table, such as "radius 18 mm"."""
    name, unit = _split(key)
    text = _with_unit(value, UNITS[unit]) if unit else text_of(value)
    return f"{name.replace('_', ' ')} {text}"

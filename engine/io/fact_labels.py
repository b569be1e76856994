"""Keys and values of what a file says of its scan, as people read them."""

from __future__ import annotations

import math
from typing import Any

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
    "energy_low": "Energy window from",
    "energy_high": "Energy window to",
    "frame": "Frame duration",
    "n_time_tags": "Time marks",
    "branching": "Positrons per decay",
}
"""What the field calls things whose key says it in another way."""
LARGE = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
MINUTES_FROM_S, HOURS_FROM_S = 120, 10_800


def fact_of(key: str, value: Any) -> tuple[str, str]:
    """Return label and text of a fact: "half_life_s", 6586.2 is "Half-life", "109.8 min"."""
    name, _, unit = key.rpartition("_")
    if unit not in UNITS or name.endswith("_per"):  # "counts_per_mm" is a number
        name, unit = key, ""
    return _label(name), quantity(value, UNITS[unit]) if unit else text_of(value)


def _label(name: str) -> str:
    words = NAMES.get(name) or (f"number of {name[2:]}" if name.startswith("n_") else name)
    return (words[:1].upper() + words[1:]).replace("_", " ")


def quantity(value: Any, unit: str) -> str:
    """Return a value with its unit, in a size that can be read: 109.8 min, 46.5 MBq."""
    if not isinstance(value, int | float) or not math.isfinite(value):
        return f"{text_of(value)} {unit}"
    if unit == "s" and abs(value) >= MINUTES_FROM_S:
        per, unit = (3600, "h") if abs(value) >= HOURS_FROM_S else (60, "min")
        return f"{value / per:.1f} {unit}"
    if unit == "Bq":
        for size, letter in LARGE:
            if abs(value) >= size:
                return f"{value / size:.4g} {letter}Bq"
    return f"{value:.6g} {unit}"


def text_of(value: Any) -> str:
    """Return a value as people read it; tables as their keys and values."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {text_of(part)}" for key, part in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)

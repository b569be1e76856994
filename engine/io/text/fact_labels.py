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
    "energy_low": "Energy window from",
    "energy_high": "Energy window to",
    "frame": "Frame duration",
    "n_time_tags": "Time marks",
    "branching": "Positrons per decay",
}
"""Labels for keys that differ from the term of the field."""
FEW, MANY = 4, 6
"""Figures that are read of what has a prefix or a clock, and of what stands as a file has it."""


def fact_of(key: str, value: Any) -> tuple[str, str]:
    """Return label and text of a fact: "half_life_s", 6586.2 is "Half-life", "109.8 min"."""
    name, _, unit = key.rpartition("_")
    if unit not in UNITS or name.endswith("_per"):  # "counts_per_mm" is a number
        name, unit = key, ""
    return _label(name), _with_unit(value, UNITS[unit]) if unit else text_of(value)


def _label(name: str) -> str:
    words = NAMES.get(name) or (f"number of {name[2:]}" if name.startswith("n_") else name)
    return (words[:1].upper() + words[1:]).replace("_", " ")


def _with_unit(value: Any, unit: str) -> str:
    if not isinstance(value, int | float) or not math.isfinite(value):
        return f"{text_of(value)} {unit}"
    return quantity(value, unit, FEW if unit in ("Bq", "s") else MANY)


def text_of(value: Any) -> str:
    """Return a value as people read it; tables as their keys and values."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {text_of(part)}" for key, part in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)

"""Keys and values of what a file says of its scan, as people read them."""

from __future__ import annotations

from typing import Any

UNITS = {"s": "s", "ms": "ms", "mm": "mm", "kev": "keV", "bq": "Bq"}


def label_of(key: str) -> str:
    """Return words for a key of the facts: "half_life_s" is "Half life (s)"."""
    words, _, unit = key.removeprefix("n_").rpartition("_")
    if unit in UNITS:
        key = f"{words} ({UNITS[unit]})"
    key = f"number of {key[2:]}" if key.startswith("n_") else key
    return (key[:1].upper() + key[1:]).replace("_", " ")


def text_of(value: Any) -> str:
    """Return a value as people read it; tables as their keys and values."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {text_of(part)}" for key, part in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)

"""Write portable JSON: sorted keys, no NaN, no Python types, always the same text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.json_types import Plain


def to_json(value: Any, *, indent: int | None = None) -> str:
    """Return the JSON text of a value.

    Parameters
    ----------
    value
        dataclasses and other types that JSON does not have become their `str`; NaN and infinity too
    indent
        spaces for each level; None: all in one line
    """
    # Sorted keys, because digests and comparisons of provenance need identical text for equal
    # values.
    return json.dumps(
        _json_value(value), sort_keys=True, indent=indent, allow_nan=False, ensure_ascii=False
    )


def from_json(text: str) -> Plain:
    """Return a JSON object.

    Parameters
    ----------
    text
        JSON text of any origin

    Raises
    ------
    ValueError
        if it is not an object, contains NaN or infinity, or is nested too deeply
    """
    try:
        # Python accepts NaN and Infinity, but JSON (RFC 8259, section 6) does not.
        value = json.loads(text, parse_constant=_refuse)
    # A hostile file of 100,000 brackets ends the parser with RecursionError.
    except RecursionError as e:
        raise ValueError("the JSON text is nested too deeply") from e
    if not isinstance(value, dict):
        raise ValueError(f"the type is {type(value).__name__!r}, expected a JSON object")
    return value


def object_of(value: object) -> Plain:
    """Return a JSON object; {} for any other value."""
    return value if isinstance(value, dict) else {}


def positive_number(values: Plain, key: str) -> float | None:
    """Return a number above 0 in a JSON object; None if there is none."""
    value = values.get(key)
    return float(value) if isinstance(value, int | float) and value > 0 else None


def _refuse(constant: str) -> None:
    raise ValueError(f"the value {constant} is not allowed in JSON")


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _json_value(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_json_value(part) for part in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _json_value(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)

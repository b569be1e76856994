"""Find lists of numbers in a JSON text by their path."""

from __future__ import annotations

import json
import re
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

FEWEST, MOST_DEPTH = 3, 8
NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")


def lists_in_json(text: str) -> list[tuple[str, NDArray[np.float64]]] | None:
    """Return the lists of numbers in a JSON text.

    Parameters
    ----------
    text
        any text

    Returns
    -------
    lists
        (path, numbers), without indices in the path; None if this is not JSON
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found: dict[str, list[float]] = defaultdict(list)
    _walk(value, "", 0, found)
    return [(path, np.array(each)) for path, each in found.items() if len(each) >= FEWEST]


def _walk(value: object, path: str, depth: int, found: dict[str, list[float]]) -> None:
    # bool is a subclass of int.
    if isinstance(value, bool) or depth > MOST_DEPTH:
        return
    if isinstance(value, int | float) or (isinstance(value, str) and NUMBER.fullmatch(value)):
        found[path].append(float(value))
    elif isinstance(value, list):
        for each in value:
            _walk(each, path, depth + 1, found)
    elif isinstance(value, dict):
        for key, each in value.items():
            # Some programs write a list as an object with the keys 0, 1, 2; its numbers belong
            # together.
            inner = path if str(key).isdigit() else f"{path}.{key}".strip(".")
            _walk(each, inner, depth + 1, found)

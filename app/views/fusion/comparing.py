"""Difference and ratio of two images at the pixels of the lower one, without Qt.

difference = lower − upper,   ratio = lower / upper where upper is at least `LEAST` of its window

NaN where there is no upper picture, or nothing to divide by.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.language.translation import tr

Values = NDArray[np.float32]
LEAST = 0.02


def difference(lower: Values, upper: Values) -> Values:
    """Return lower − upper."""
    return np.asarray(lower - upper, np.float32)


def ratio(lower: Values, upper: Values, top: float) -> Values:
    """Return lower / upper; `top` is the upper end of the window of the upper picture."""
    with np.errstate(invalid="ignore", divide="ignore"):
        usable = upper >= LEAST * abs(top)
        return np.asarray(np.where(usable, lower / upper, np.nan), np.float32)


def obstacle(mode: str, lower_unit: str, upper_unit: str) -> str:
    """Return why two volumes cannot be compared so; empty if they can."""
    if mode == "difference" and lower_unit != upper_unit:
        return tr(
            "A difference needs the same unit in both volumes. They have {lower} and {upper}.",
            lower=lower_unit or tr("no unit"),
            upper=upper_unit or tr("no unit"),
        )
    return ""

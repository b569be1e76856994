"""Difference and ratio of two images at the pixels of the lower one, without Qt.

difference = lower − upper,   ratio = lower / upper where upper is at least `LEAST` of its window.

The result is NaN outside the upper image, and where the divisor is too small.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.language.translation import tr

Values = NDArray[np.float32]
LEAST = 0.02


def difference(lower: Values, upper: Values) -> Values:
    """Return lower − upper.

    Parameters
    ----------
    lower, upper
        images of equal shape; NaN stays NaN
    """
    return np.asarray(lower - upper, np.float32)


def ratio(lower: Values, upper: Values, top: float) -> Values:
    """Return lower / upper.

    Parameters
    ----------
    lower, upper
        images of equal shape
    top
        upper window limit of the upper image; smaller divisors than `LEAST` of it give NaN
    """
    # Division by zero is expected outside the object and replaced by NaN.
    with np.errstate(invalid="ignore", divide="ignore"):
        # Near zero a ratio is only noise, which would fill the background with colours.
        usable = upper >= LEAST * abs(top)
        return np.asarray(np.where(usable, lower / upper, np.nan), np.float32)


def obstacle(mode: str, lower_unit: str, upper_unit: str) -> str:
    """Return the reason why two volumes cannot be compared.

    Parameters
    ----------
    mode
        fusion mode
    lower_unit, upper_unit
        units of the volumes

    Returns
    -------
    a sentence; empty if they can be compared
    """
    if mode == "difference" and lower_unit != upper_unit:
        return tr(
            "To show the difference, both volumes must have the same unit (first volume: {lower}, "
            "second volume: {upper}).",
            lower=lower_unit or tr("no unit"),
            upper=upper_unit or tr("no unit"),
        )
    return ""

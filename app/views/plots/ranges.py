"""Ranges of axes, and powers of a thousand for their numbers."""

from __future__ import annotations

import math

from engine.analysis.quality import LineProfile


def thousands(values: list[float]) -> int:
    """Return the power of ten that leaves at most three digits before the decimal point.

    Parameters
    ----------
    values
        values on an axis

    Returns
    -------
    a multiple of 3; 0 if the numbers are readable without it
    """
    largest = max((abs(value) for value in values), default=0.0)
    power = 3 * math.floor(math.log10(largest) / 3) if largest > 0 else 0
    return power if power >= 3 or power <= -3 else 0


def span(shown: list[LineProfile]) -> tuple[float, float]:
    """Return the range of values to show: from zero, unless all values are far above it.

    Parameters
    ----------
    shown
        one profile or more
    """
    lowest = min(float(each.values.min()) for each in shown)
    high = max(float(each.values.max()) for each in shown)
    return lowest if lowest > high / 2 > 0 else min(0.0, lowest), high

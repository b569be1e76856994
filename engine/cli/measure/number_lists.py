"""Parse options that contain several numbers, such as X,Y,Z."""

from __future__ import annotations

from math import isfinite


def numbers_of(text: str, n: int | None = None) -> tuple[float, ...]:
    """Parse finite numbers that are separated by commas.

    Parameters
    ----------
    text
        value of the option
    n
        number of numbers; None for any

    Returns
    -------
    numbers
        empty if a part is not a finite number, or there are too few or too many
    """
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        return ()
    # `float` accepts nan and inf, which no option can use
    fits = all(map(isfinite, found)) and n in (None, len(found))
    return found if fits else ()

"""Find the kind of values (counts, transmissions, line integrals) from the air region.

Most images have air at the sides. It is the brightest part of counts, 1 in transmissions, and 0 in
line integrals, which are highest in the object.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array

SIDES = 0.04
"""Fraction of the columns on each side that is assumed to be air."""
LARGEST_TRANSMISSION, LARGEST_INTEGRAL = 1.6, 20.0
FLAT_AIR = 0.1
"""Relative range of the air level below which it is used as that of the open beam."""


@dataclass(frozen=True)
class Values:
    """Kind of the values.

    Attributes
    ----------
    kind : counts, transmission or integrals
    why : reason
    white_level : level of the open beam, if it is known and no flats are needed
    needs_scale : True if line integrals are stored in another unit
    is_sure : True if it needs no confirmation
    """

    kind: str
    why: str
    white_level: float | None = None
    needs_scale: bool = False
    is_sure: bool = True


def values_of(sample: Array, *, whole_numbers: bool, has_flats: bool) -> Values:
    """Return the kind of values.

    Parameters
    ----------
    sample
        (n, rows, columns) some rows of some views
    whole_numbers
        True if values are stored as integers
    has_flats
        True if there are flat fields
    """
    sample = np.where(np.isfinite(sample), sample, np.nan)
    finite = sample[np.isfinite(sample)]
    # Quantiles ignore dead and hot pixels.
    low, high = (float(each) for each in np.quantile(finite, (0.002, 0.998)))
    if has_flats:
        return Values("counts", "flat images exist")
    air, middle, spread = _air_of(sample)
    is_bright = air > middle
    # Line integrals above 20 would mean a transmission of 2e-9, below any detector.
    if high > LARGEST_INTEGRAL or whole_numbers:
        if not is_bright:
            return Values(
                "integrals",
                f"the sides ({in_words(air)}) are darker than the centre ({in_words(middle)}), so "
                "these are logarithms in another unit",
                needs_scale=True,
                is_sure=False,
            )
        is_flat = spread < FLAT_AIR * abs(air)
        why = f"the sides are brightest ({in_words(air)} counts) and used as the open beam"
        return Values("counts", why, white_level=float(air), is_sure=is_flat)
    # A little below 0 and above 1 is noise of a transmission.
    if is_bright and low > -0.1 and high < LARGEST_TRANSMISSION:
        return Values("transmission", f"the sides are brightest ({air:.3g})")
    why = f"values from {low:.3g} to {high:.3g}, {air:.2g} at the sides"
    # Air at 0 is certain; otherwise an object that is brighter than the sides is.
    return Values("integrals", why, is_sure=abs(air) < 0.2 * max(high, 1e-9) or not is_bright)


def _air_of(sample: Array) -> tuple[float, float, float]:
    """Return the level of the sides and of the middle, and the range of the sides between views."""
    n = sample.shape[2]
    width = max(int(SIDES * n), 1)
    both = np.concatenate([sample[..., :width], sample[..., n - width :]], axis=2)
    middle = sample[..., n // 3 : n - n // 3]
    # The median ignores an object that reaches into the sides in some views.
    air = float(np.nanmedian(both))
    by_view = np.nanmean(both.reshape(len(both), -1), axis=1)
    noise_free = float(np.ptp(by_view))
    return air, float(np.nanmedian(middle)), noise_free


def in_words(number: float) -> str:
    """Return a number for display.

    Parameters
    ----------
    number
        any number

    Returns
    -------
    in_words
        whole with separators from 100, otherwise three digits
    """
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"

"""Find the kind of values (counts, transmissions, line integrals) from the air region.

At the sides of most images is air. It is the brightest part of counts, 1 in transmissions, and 0 in
line integrals, which are highest where the object is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array

SIDES = 0.04
"""Part of the columns at each side."""
LARGEST_TRANSMISSION, LARGEST_INTEGRAL = 1.6, 20.0
FLAT_AIR = 0.1
"""Spread of the air as part of its brightness below which its level is that of the open beam."""


@dataclass(frozen=True)
class Values:
    """Kind of the values.

    Attributes
    ----------
    kind : counts, transmission or integrals
    why : what it follows from
    white_level : what the open beam counts, where it can be told and no flats are needed
    wants_scale : whether line integrals are stored in another unit
    is_sure : whether it need not be asked about
    """

    kind: str
    why: str
    white_level: float | None = None
    wants_scale: bool = False
    is_sure: bool = True


def values_of(sample: Array, *, whole_numbers: bool, has_flats: bool) -> Values:
    """Return what values are.

    Parameters
    ----------
    sample
        (n, rows, columns) some rows of some views
    whole_numbers
        whether they are stored as whole numbers
    has_flats
        whether there are images of the open beam
    """
    sample = np.where(np.isfinite(sample), sample, np.nan)
    finite = sample[np.isfinite(sample)]
    low, high = (float(each) for each in np.quantile(finite, (0.002, 0.998)))
    if has_flats:
        return Values("counts", "flat images exist")
    air, middle, spread = _air_of(sample)
    is_bright = air > middle
    if high > LARGEST_INTEGRAL or whole_numbers:
        if not is_bright:
            return Values(
                "integrals",
                f"the sides ({in_words(air)}) are darker than the centre ({in_words(middle)}), so "
                "these are logarithms in another unit",
                wants_scale=True,
                is_sure=False,
            )
        is_flat = spread < FLAT_AIR * abs(air)
        why = f"the sides are brightest ({in_words(air)} counts) and used as the open beam"
        return Values("counts", why, white_level=float(air), is_sure=is_flat)
    if is_bright and low > -0.1 and high < LARGEST_TRANSMISSION:
        return Values("transmission", f"the sides are brightest ({air:.3g})")
    why = f"values from {low:.3g} to {high:.3g}, {air:.2g} at the sides"
    return Values("integrals", why, is_sure=abs(air) < 0.2 * max(high, 1e-9) or not is_bright)


def _air_of(sample: Array) -> tuple[float, float, float]:
    """Return level of sides and middle, and how much the sides differ between views."""
    n = sample.shape[2]
    width = max(int(SIDES * n), 1)
    both = np.concatenate([sample[..., :width], sample[..., n - width :]], axis=2)
    middle = sample[..., n // 3 : n - n // 3]
    air = float(np.nanmedian(both))
    by_view = np.nanmean(both.reshape(len(both), -1), axis=1)
    noise_free = float(np.ptp(by_view))
    return air, float(np.nanmedian(middle)), noise_free


def in_words(number: float) -> str:
    """Return a number for people."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"

"""Units of fixed-point sums: powers of two, as fine as 63 bits allow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.kernels.blocks import padded
from engine.kernels.rays.taps import MOST_SIDES

SUM_BITS = 62
_FINEST_SHARE = 32
_FINEST_ROW = 96


def peak_of(image: Any) -> float:
    """Largest magnitude in an image of the host; 0 of an empty one."""
    return float(max(image.max(initial=0), -image.min(initial=0)))


def row_unit(peak: float, shape: tuple[int, ...]) -> float:
    """Units per 1 in which a row of slabs through an image below `peak` is summed.

    A slab adds less than the peak, and there are at most as many as the padded image is long, on
    each side of a ray.
    """
    # frexp gives the power of two just above the peak, bit_length the one above the slabs: their
    # product bounds the sum without any rounding
    slabs = (MOST_SIDES * max(padded(shape)) - 1).bit_length()
    return math.ldexp(1.0, min(SUM_BITS - math.frexp(peak)[1] - slabs, _FINEST_ROW))


def share_unit(n_rows: int) -> float:
    """Units per count in which EM shares are summed: the shares of a row sum to 1 at most."""
    # powers of two, so that scaling there and back is exact and only the rounding to integers
    # counts
    return math.ldexp(1.0, min(_FINEST_SHARE, SUM_BITS - n_rows.bit_length()))


def in_units(sums: Array, unit: float, dtype: DTypeLike) -> Array:
    """Return sums that were kept in 1 / unit as an image of a type of floating point."""
    if unit == 1 and sums.dtype == dtype:
        return np.ascontiguousarray(sums)
    image: Array = np.empty(sums.shape, dtype)
    np.multiply(sums, 1 / unit, out=image, casting="unsafe")  # exact: a power of two
    return image


def value_unit(largest: float) -> float:
    """Units per 1 of a back projection whose sums stay below `largest`."""
    bits = SUM_BITS - math.ceil(math.log2(largest)) if largest > 0 else 0
    return math.ldexp(1.0, bits)

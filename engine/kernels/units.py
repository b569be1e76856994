"""Units of fixed-point sums: the finest powers of two with sums that fit 63 bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.kernels.blocks import padded
from engine.kernels.rays.taps import MAX_SIDES

SUM_BITS = 62
_FINEST_SHARE = 32
_FINEST_ROW = 96


def peak_of(image: Any) -> float:
    """Return the largest magnitude in a host image; 0 if it is empty."""
    return float(max(image.max(initial=0), -image.min(initial=0)))


def row_unit(peak: float, shape: tuple[int, ...]) -> float:
    """Return the units per 1 for the sum of a row through an image.

    A slab adds less than the peak, and the number of slabs is limited by the length of the padded
    image, on each side of a ray.

    Parameters
    ----------
    peak
        largest magnitude in the image
    shape
        (n_z, n_y, n_x) without the border
    """
    # frexp gives the power of two just above the peak, bit_length the power above the slabs. Their
    # product bounds the sum without rounding.
    slabs = (MAX_SIDES * max(padded(shape)) - 1).bit_length()
    return math.ldexp(1.0, min(SUM_BITS - math.frexp(peak)[1] - slabs, _FINEST_ROW))


def share_unit(n_rows: int) -> float:
    """Return the units per count for sums of EM numerators; those of a row sum to 1 at most.

    Parameters
    ----------
    n_rows
        number of rows
    """
    # A power of two, so that scaling is exact in both directions. Only the rounding to integers has
    # an error.
    return math.ldexp(1.0, min(_FINEST_SHARE, SUM_BITS - n_rows.bit_length()))


def in_units(sums: Array, unit: float, dtype: DTypeLike) -> Array:
    """Return sums in 1 / unit as a floating-point image.

    Parameters
    ----------
    sums
        integer or floating-point sums
    unit
        units per 1, a power of two
    dtype
        of the image
    """
    if unit == 1 and sums.dtype == dtype:
        return np.ascontiguousarray(sums)
    image: Array = np.empty(sums.shape, dtype)
    np.multiply(sums, 1 / unit, out=image, casting="unsafe")  # exact: a power of two
    return image


def value_unit(largest: float) -> float:
    """Return the units per 1 of a back projection.

    Parameters
    ----------
    largest
        upper bound of its sums
    """
    bits = SUM_BITS - math.ceil(math.log2(largest)) if largest > 0 else 0
    return math.ldexp(1.0, bits)

"""Integrals of a time bin's weight over the chords of a row (`engine.kernels.rays.tof`)."""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.rays.taps import MATH, Taps

_INLINE = njit(inline="always", **MATH)
_NEGATIVE = np.uint32(1 << 31)


@_INLINE
def weigh(
    table: Array,
    where: tuple[float, float, float],
    ends: tuple[float, float],
    n_slabs: int,
    taps: Taps,
) -> None:
    """Replace the length of each tap by the integral of the weight of the time bin over its chord.

    Parameters
    ----------
    table
        coefficients of the integral, see `engine.kernels.rays.tof.ChordTable`
    where
        start of the first slab relative to the centre of the bin [parts of the table], parts per
        slab, and slabs per part
    ends
        ends of the ray from the first slab [slabs]
    n_slabs
        number of slabs
    taps
        taps of the row; their lengths are overwritten
    """
    voxel, length = taps.voxel, taps.length
    real = length.dtype.type
    zero = real(0.0)
    start, stop = real(ends[0]), real(ends[1])
    first, steps, slabs = real(where[0]), real(where[1]), real(where[2])
    # Three loops, because only the middle one, the table lookup, cannot be vectorised.
    for k in range(np.int32(n_slabs)):
        a = max(real(k), start)
        crossed = a + length[0, k]
        left = crossed + length[1, k]
        voxel[3, k], length[3, k] = _part(first + a * steps, table)
        voxel[4, k], length[4, k] = _part(first + crossed * steps, table)
        voxel[5, k], length[5, k] = _part(first + left * steps, table)
    for row in range(3, 6):
        for k in range(n_slabs):
            length[row, k] = _up_to(table, voxel[row, k], length[row, k])
    # The end of a slab is the start of the next one. Only the end of the last slab is still
    # missing.
    if n_slabs > 0:
        part, t = _part(first + min(real(n_slabs), stop) * steps, table)
        length[3, n_slabs] = _up_to(table, part, t)
    # A chord without length must stay 0 in spite of rounding, and no length may be negative: images
    # of counts are not.
    for k in range(np.int32(n_slabs)):
        is_any = length[2, k] > zero
        length[0, k] = max((length[4, k] - length[3, k]) * slabs, zero)
        length[1, k] = max((length[5, k] - length[4, k]) * slabs, zero)
        length[2, k] = max((length[3, k + 1] - length[5, k]) * slabs, zero) if is_any else zero


@_INLINE
def _part(place: float, table: Array) -> tuple[np.uint32, float]:
    """Return the part of the table at a position, bit-inverted if negative, and its fraction."""
    real = table.dtype.type
    away = min(abs(place), real(table.size // 4 - 1))
    part = np.int32(away)
    return np.uint32(part if place >= real(0.0) else ~part), away - real(part)


@_INLINE
def _up_to(table: Array, part: np.uint32, t: float) -> float:
    """Return the integral of the bin's weight from its centre [parts]."""
    is_negative = part >= _NEGATIVE
    at = np.uint32(4) * np.uint32(~part if is_negative else part)
    value = table[at + np.uint32(3)]
    for power in range(2, -1, -1):
        value = value * t + table[at + np.uint32(power)]
    return -value if is_negative else value

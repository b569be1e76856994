"""The lengths of a row's taps as its time bin sees them (`engine.kernels.rays.tof`)."""

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
    """Turn the taps into what the time bin sees of them: the table's difference over each chord.

    where : parts of the table from the middle of the bin to the start of the first slab, parts per
    slab, and slabs per part
    """
    voxel, length = taps.voxel, taps.length
    real = length.dtype.type
    nought = real(0.0)
    start, stop = real(ends[0]), real(ends[1])
    first, steps, slabs = real(where[0]), real(where[1]), real(where[2])
    # three loops, because only the middle one, the table lookup, cannot be vectorised
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
    # the end of a slab is the start of the next; only the end of the last is still unknown
    if n_slabs > 0:
        part, t = _part(first + min(real(n_slabs), stop) * steps, table)
        length[3, n_slabs] = _up_to(table, part, t)
    # rounding must not make a chord of no length one, nor any a negative one: images of counts have
    # none
    for k in range(np.int32(n_slabs)):
        is_any = length[2, k] > nought
        length[0, k] = max((length[4, k] - length[3, k]) * slabs, nought)
        length[1, k] = max((length[5, k] - length[4, k]) * slabs, nought)
        length[2, k] = max((length[3, k + 1] - length[5, k]) * slabs, nought) if is_any else nought


@_INLINE
def _part(place: float, table: Array) -> tuple[np.uint32, float]:
    """Part of the table that a place is in, its bits turned on the negative side; where in it."""
    real = table.dtype.type
    away = min(abs(place), real(table.size // 4 - 1))
    part = np.int32(away)
    return np.uint32(part if place >= real(0.0) else ~part), away - real(part)


@_INLINE
def _up_to(table: Array, part: np.uint32, t: float) -> float:
    """Return the integral of the bin's weight from its middle [parts]."""
    is_negative = part >= _NEGATIVE
    at = np.uint32(4) * np.uint32(~part if is_negative else part)
    value = table[at + np.uint32(3)]
    for power in range(2, -1, -1):
        value = value * t + table[at + np.uint32(power)]
    return -value if is_negative else value

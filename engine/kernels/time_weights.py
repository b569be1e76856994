"""The lengths of a row's taps as its time bin sees them; `engine.kernels.tof` says what that is."""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.arrays import Array
from engine.kernels.taps import MATH, Taps

_INLINE = njit(inline="always", **MATH)


@_INLINE
def weigh(
    table: Array,
    where: tuple[float, float, float],
    ends: tuple[float, float],
    n_slabs: int,
    taps: Taps,
) -> None:
    """Turn the taps into what the time bin sees of them: the table's difference over each chord.

    where : place in the table of the start of the first slab, steps of the table per slab, and
    slabs per step
    """
    voxel, length = taps.voxel, taps.length
    real = length.dtype.type
    nought, last = real(0.0), real(table.size - 2)
    start, stop = real(ends[0]), real(ends[1])
    first, steps, slabs = real(where[0]), real(where[1]), real(where[2])
    # three loops, since only the middle one, the look-up, cannot run on vectors
    for k in range(np.int32(n_slabs)):
        a = max(real(k), start)
        crossed = a + length[0, k]
        left = crossed + length[1, k]
        one = min(max(first + a * steps, nought), last)
        two = min(max(first + crossed * steps, nought), last)
        three = min(max(first + left * steps, nought), last)
        voxel[3, k], voxel[4, k], voxel[5, k] = np.uint32(one), np.uint32(two), np.uint32(three)
        length[3, k] = one - real(np.int32(one))
        length[4, k] = two - real(np.int32(two))
        length[5, k] = three - real(np.int32(three))
    for row in range(3, 6):
        for k in range(n_slabs):
            i = voxel[row, k]
            length[row, k] = table[i] + length[row, k] * (table[i + 1] - table[i])
    # where a slab ends the next begins; only the end of the last is still unknown
    if n_slabs > 0:
        end = min(real(n_slabs), stop)
        at = min(max(first + end * steps, nought), last)
        i = np.uint32(at)
        length[3, n_slabs] = table[i] + (at - real(np.int32(at))) * (table[i + 1] - table[i])
    # rounding must not make a chord of no length a negative one: images of counts have none
    for k in range(np.int32(n_slabs)):
        length[0, k] = max((length[4, k] - length[3, k]) * slabs, nought)
        length[1, k] = max((length[5, k] - length[4, k]) * slabs, nought)
        length[2, k] = max((length[3, k + 1] - length[5, k]) * slabs, nought)

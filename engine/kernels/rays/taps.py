"""The taps of one row: the voxels that it crosses, slab by slab, and how long it is in each.

Of the three taps of a slab half have no length: `keep` leaves them out before an image is read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.vectors.pack import MOST_LANES, pack_row

# NaN and infinity keep their meaning: a slope of zero divides. _nrt off: no array is made in
# here, and counting references to those of the caller took a third of the time of a row.
MATH: Plain = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
# every operation as written: with sums in integers, the very bits of the CUDA twin, rays.cu
PLAIN: Plain = {"error_model": "numpy", "_nrt": False}
_INLINE = njit(inline="always", **MATH)

MOST_SIDES = 4
"""Voxels round an edge."""


class Taps(NamedTuple):
    """Working space of one thread.

    Attributes
    ----------
    voxel, length : the three voxels of each slab, and rows to look integrals up
    kept_voxel, kept : those of a row that are not 0, one after the other
    stride : steps in memory from one voxel to the next
    """

    voxel: Array
    length: Array
    kept_voxel: Array
    kept: Array
    stride: int


def taps(shape: tuple[int, ...], dtype: DTypeLike, stride: int = 1) -> Taps:
    """Room for the taps of one row through an image whose voxels lie so many steps apart."""
    # three taps of a slab at most; of a ray along a face two on each side, along an edge one each
    n = MOST_SIDES * max(shape) + MOST_LANES
    in_slabs, in_all = (6, n), n
    return Taps(
        np.empty(in_slabs, np.uint32), np.empty(in_slabs, dtype),
        np.empty(in_all, np.uint32), np.empty(in_all, dtype), stride,
    )  # fmt: skip


@_INLINE
def keep(n_slabs: int, taps: Taps) -> int:
    """Keep the taps that are not 0, some half of them; return how many."""
    n = 0
    for tap in range(3):
        n = pack_row(taps.length[tap], taps.voxel[tap], n_slabs, taps.kept, taps.kept_voxel, n)
    return n


@_INLINE
def repeat(taps: Taps, n_slabs: int, stride: int) -> int:
    """Repeat the taps of all slabs in the voxels below; return the slabs that there are then."""
    voxel, length, below = taps.voxel, taps.length, np.uint32(stride)
    for tap in range(3):
        for k in range(n_slabs):
            voxel[tap, n_slabs + k] = voxel[tap, k] - below
            length[tap, n_slabs + k] = length[tap, k]
    return 2 * n_slabs


@_INLINE
def repeat_nonzero(taps: Taps, n: int, stride: int) -> int:
    """Repeat the n taps that are kept in the voxels below; return how many there are then."""
    below = np.uint32(stride)
    for k in range(n):
        taps.kept_voxel[n + k] = taps.kept_voxel[k] - below
        taps.kept[n + k] = taps.kept[k]
    return 2 * n

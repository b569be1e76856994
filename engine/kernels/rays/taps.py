"""Taps of one row: the voxels that it crosses in each slab, and its length in each.

Half of the three taps of a slab have no length. `keep` removes them before an image is read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.vectors.pack import MAX_LANES, pack_row

# NaN and infinity are allowed, because a slope of zero divides. _nrt is off: the kernels allocate
# no arrays, and reference counts of the caller's arrays took a third of the time of a row.
MATH: Plain = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
# No reordered or fused operations: with integer sums, the same bits as the CUDA twin, rays.cu.
STRICT: Plain = {"error_model": "numpy", "_nrt": False}
_INLINE = njit(inline="always", **MATH)

MAX_SIDES = 4
"""Number of voxels that share an edge."""


class Taps(NamedTuple):
    """Working memory of one thread.

    Attributes
    ----------
    voxel, length : (6, n) positions and lengths of the three taps of each slab; rows 3 to 5 are for
        lookups in the table of a time bin
    nonzero_voxel, nonzero_length : (n,) positions and lengths of the nonzero taps of a row
    stride : distance of neighbouring voxels in memory, in values
    """

    voxel: Array
    length: Array
    nonzero_voxel: Array
    nonzero_length: Array
    stride: int


def taps(shape: tuple[int, ...], dtype: DTypeLike, stride: int = 1) -> Taps:
    """Return working memory for the taps of one row.

    Parameters
    ----------
    shape
        shape of the image with its border
    dtype
        dtype of the lengths
    stride
        distance of neighbouring voxels in memory, in values
    """
    # At most three taps per slab. A ray along a face has two on each side, a ray along an edge one
    # on each.
    n = MAX_SIDES * max(shape) + MAX_LANES
    slab_shape, n_all = (6, n), n
    return Taps(
        np.empty(slab_shape, np.uint32), np.empty(slab_shape, dtype),
        np.empty(n_all, np.uint32), np.empty(n_all, dtype), stride,
    )  # fmt: skip


@_INLINE
def keep(n_slabs: int, taps: Taps) -> int:
    """Collect the nonzero taps, about half of all; return their number.

    Parameters
    ----------
    n_slabs
        number of slabs
    taps
        working memory of the row
    """
    n = 0
    for tap in range(3):
        n = pack_row(
            taps.length[tap], taps.voxel[tap], n_slabs, taps.nonzero_length, taps.nonzero_voxel, n
        )
    return n


@_INLINE
def repeat(taps: Taps, n_slabs: int, stride: int) -> int:
    """Repeat the taps of all slabs in the voxels below a face; return the new number of slabs.

    Parameters
    ----------
    taps
        working memory of the row
    n_slabs
        number of slabs
    stride
        steps in memory from a voxel below the face to the one above
    """
    voxel, length, below = taps.voxel, taps.length, np.uint32(stride)
    for tap in range(3):
        for k in range(n_slabs):
            voxel[tap, n_slabs + k] = voxel[tap, k] - below
            length[tap, n_slabs + k] = length[tap, k]
    return 2 * n_slabs


@_INLINE
def repeat_nonzero(taps: Taps, n: int, stride: int) -> int:
    """Repeat the collected taps in the voxels below a face; return their new number.

    Parameters
    ----------
    taps
        working memory of the row
    n
        number of collected taps
    stride
        steps in memory from a voxel below the face to the one above
    """
    below = np.uint32(stride)
    for k in range(n):
        taps.nonzero_voxel[n + k] = taps.nonzero_voxel[k] - below
        taps.nonzero_length[n + k] = taps.nonzero_length[k]
    return 2 * n

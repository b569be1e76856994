"""Rows laid one ahead of the row that is worked on, so that its voxels are fetched meanwhile.

An image of 256³ voxels with its sums takes 147 MB, far more than the caches, and a thread that
reads the voxels of a row as soon as it knows them waits for most. Where they are asked for a row
ahead, `AT_ONCE` of them and then as many of the row at hand in turn, it hardly waits: an update
takes three quarters of its time, half when others fill the caches, too. In an image that lies in
the caches asking costs a twentieth, so there nothing is fetched.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.kernels.fetch import fetch
from engine.kernels.rays.slice_tracing import EventRows, Shape, lay_nonzero
from engine.kernels.rays.taps import MATH, Taps, taps

AT_ONCE = 8
"""Voxels that are fetched between as many that are worked on; 4 to 16 were measured alike."""
_NEAR_BYTES = 40 << 20
"""Images that lie in the caches of a processor, of all threads together."""

_INLINE = njit(inline="always", **MATH)


class TapBuffers(NamedTuple):
    """Working space of one thread.

    Attributes
    ----------
    one, other : for the taps of two rows
    is_far : whether voxels are to be fetched a row ahead
    """

    one: Taps
    other: Taps
    is_far: bool


class TracedRow(NamedTuple):
    """A row that is laid: its taps, how many of them are kept, and mm per slab."""

    taps: Taps
    n: int
    scale: float


def tap_buffers(
    shape: tuple[int, ...], dtype: DTypeLike, n_bytes: int, stride: int = 1
) -> TapBuffers:
    """Room to trace rows through images with a border, `shape`, whose voxels lie `stride` steps.

    n_bytes : of the images that all threads work on
    """
    return TapBuffers(taps(shape, dtype, stride), taps(shape, dtype, stride), n_bytes > _NEAR_BYTES)


@_INLINE
def no_traced_rows(space: TapBuffers) -> tuple[TracedRow, TracedRow]:
    """What there is before the first row is laid: of the row at hand, and of the next."""
    return TracedRow(space.one, 0, 0.0), TracedRow(space.other, 0, 0.0)


@_INLINE
def lay_next(row: int, stop: int, rows: EventRows, shape: Shape, taps: Taps) -> TracedRow:
    """Lay a row; none where the rows stop."""
    n, scale = 0, 0.0
    if row < stop:
        n, scale = lay_nonzero(row, rows, shape, taps)
    return TracedRow(taps, n, scale)


@_INLINE
def index_from(start: int, k: int) -> np.uint64:
    """Return start + k, of a type that is never negative: else Numba would test, value by value."""
    return np.uint64(start) + np.uint64(k)


@_INLINE
def fetch_some(values: Array, ahead: TracedRow, start: int, n: int) -> None:
    """Begin to bring the values of n kept taps near, from `start` on.

    Behind the last tap lie places of rows before or of nothing; to ask for them does no harm.
    """
    places = ahead.taps.kept_voxel
    for k in range(n):
        fetch(values, places[index_from(start, k)])

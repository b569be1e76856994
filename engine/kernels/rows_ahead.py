"""Rows traced one ahead of the current row, so that their voxels can be prefetched.

An image of 256³ voxels and its sums need 147 MB, far more than the caches. A thread that reads the
voxels of a row immediately after tracing waits for memory most of the time. With prefetching one
row ahead, `AT_ONCE` voxels at a time between as many of the current row, it hardly waits. An update
takes three quarters of the time, or half if other programs fill the caches. For images that fit the
caches, prefetching costs 5 %, so it is off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.kernels.fetch import fetch
from engine.kernels.rays.slice_tracing import EventRows, Shape, trace_nonzero
from engine.kernels.rays.taps import MATH, Taps, taps

AT_ONCE = 8
"""Voxels that are prefetched between as many that are processed; 4 to 16 are equally fast."""
_NEAR_BYTES = 40 << 20
"""Maximum size of the images of all threads that stays in the caches."""

_INLINE = njit(inline="always", **MATH)


class TapBuffers(NamedTuple):
    """Working memory of one thread.

    Attributes
    ----------
    one, other : taps of two rows
    is_far : True to prefetch voxels one row ahead
    """

    one: Taps
    other: Taps
    is_far: bool


class TracedRow(NamedTuple):
    """A traced row: its taps, the number of nonzero taps, and mm per slab."""

    taps: Taps
    n: int
    scale: float


def tap_buffers(
    shape: tuple[int, ...], dtype: DTypeLike, n_bytes: int, stride: int = 1
) -> TapBuffers:
    """Return the working memory to trace rows through images with a border.

    Parameters
    ----------
    shape
        shape of the images with their border
    dtype
        dtype of the values
    n_bytes
        size of the images of all threads
    stride
        distance of neighbouring voxels in memory, in values
    """
    return TapBuffers(taps(shape, dtype, stride), taps(shape, dtype, stride), n_bytes > _NEAR_BYTES)


@_INLINE
def no_traced_rows(space: TapBuffers) -> tuple[TracedRow, TracedRow]:
    """Return the state before the first row: the current and the next row, both empty.

    Parameters
    ----------
    space
        working memory of the thread
    """
    return TracedRow(space.one, 0, 0.0), TracedRow(space.other, 0, 0.0)


@_INLINE
def trace_next(row: int, stop: int, rows: EventRows, shape: Shape, taps: Taps) -> TracedRow:
    """Trace a row; an empty one after the last row.

    Parameters
    ----------
    row
        number of the row
    stop
        end of the rows
    rows
        all rays
    shape
        shape of the image with its border
    taps
        working memory for this row
    """
    n, scale = 0, 0.0
    if row < stop:
        n, scale = trace_nonzero(row, rows, shape, taps)
    return TracedRow(taps, n, scale)


@_INLINE
def index_from(start: int, k: int) -> np.uint64:
    """Return start + k as an unsigned integer: Numba checks signed indices for wraparound.

    Parameters
    ----------
    start
        first index, not negative
    k
        offset, not negative
    """
    return np.uint64(start) + np.uint64(k)


@_INLINE
def fetch_some(values: Array, ahead: TracedRow, start: int, n: int) -> None:
    """Prefetch the values of n taps, from `start` on.

    Positions after the last tap are those of earlier rows or undefined. To prefetch them is
    harmless.

    Parameters
    ----------
    values
        flat array
    ahead
        the next row
    start
        first tap
    n
        number of taps
    """
    places = ahead.taps.nonzero_voxel
    # n is not limited to the number of taps: a check per prefetch would cost more than it saves.
    for k in range(n):
        fetch(values, places[index_from(start, k)])

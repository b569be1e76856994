"""Decode stored rows for projection on the CPU: positions and values, in runs and groups.

For row r of a sum, non-zeros of one phase and one v with consecutive u read rows r, r + 1, ... Four
of them over the 16 rows of a patch read 19 rows instead of 64. Two thirds of the non-zeros of
DHAPET are in such runs of four, and 2 to 4 % are alone. Rows are stored by phase, then by row and
column of the voxel. If rows and columns are exchanged, this is already the order of runs. Otherwise
the non-zeros of a phase are sorted by v first.

Runs are then combined in groups, long runs first. A group of forward projection is limited so that
its rows of the image stay in the L1 cache. A group of back projection contains runs of one phase
that are close together, so that they touch a small rectangle of the image. Up to eight orientations
and two planes share a row, mirrored or not, and with it all these decisions: a mirror image has the
same runs, in reverse order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.matrix.codes import (
    ROWS,
    phase_of,
    u_of,
    v_of,
    write_codes,
)
from engine.kernels.matrix.patches import LANES, LOW, RUNS, Ends

LONGEST = RUNS[0]
"""Maximum non-zeros of a run."""
_COUNT, _FEW = 7, 4
"""Bits of each end of the runs in a group, and of distances in pitches."""
MAX_COUNT, FAR = (1 << _COUNT) - 1, (1 << _FEW) - 1
"""Maximum non-zeros of a group, and maximum distance of them in pitches."""

_WITHOUT: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_WITHOUT)
_INLINE = njit(inline="always", **_WITHOUT)


Rectangle = tuple[int, int, int, int]
"""Smallest u and v, from the margin, and the extent along both."""


class GroupLimits(NamedTuple):
    """Limits of a group of non-zeros.

    Attributes
    ----------
    most : maximum number of non-zeros, from `LONGEST` to `MAX_COUNT`
    far, wide : extent in pitches along u and v, within one phase, that each group can have; at most
        `FAR` − `LOW` and `FAR` − `LANES`. 0 and 0: any position and phase
    """

    most: int
    far: int
    wide: int

    def farthest(self, lanes: int) -> tuple[int, int]:
        """Return the maximum extent of groups of any rows, in pitches along u and v.

        Parameters
        ----------
        lanes
            numbers at each position of a column
        """
        of_columns = max(LANES // lanes, 1)
        return (self.far + LOW - 1, self.wide + of_columns - 1) if self.far else (0, 0)

    def reach(self, shapes: Array, lanes: int) -> NDArray[np.int64]:
        """Return the maximum extent of groups of some rows, so that groups fill their patches.

        Parameters
        ----------
        shapes
            (n, 2) rows and columns of the data of each row
        lanes
            numbers at each position of a column

        Returns
        -------
        (n, 2) along u and along v
        """
        if not self.far:
            return np.zeros(shapes.shape, np.int64)
        least = np.array([self.far, self.wide])
        return least + -(shapes + least) % np.array([LOW, max(LANES // lanes, 1)])


class DecodeBuffers(NamedTuple):
    """Working memory of a thread.

    Attributes
    ----------
    as_stored, codes, order, runs : int32, as long as the non-zeros of a plane
    places : (MAX_PITCHES + 1,) int32
    ends : (LONGEST + 1,) int32
    """

    as_stored: Array
    codes: Array
    order: Array
    runs: Array
    places: Array
    ends: Array


@_INLINE
def ends_of(group: int) -> Ends:
    """Return the ends of the runs of a group; the last is its number of non-zeros."""
    return (
        group & MAX_COUNT,
        group >> _COUNT & MAX_COUNT,
        group >> 2 * _COUNT & MAX_COUNT,
        group >> 3 * _COUNT & MAX_COUNT,
    )


@_INLINE
def rectangle_of(groups: Array, first: int, n: int, code: int) -> Rectangle:
    """Return the rectangle that a group covers in back projection.

    Parameters
    ----------
    groups
        packed groups
    first
        index of its first non-zero
    n
        number of its non-zeros
    code
        position of its first non-zero
    """
    if n == 1:
        return u_of(code), v_of(code), 0, 0
    packed = groups[first + 1]
    low_u, low_v = u_of(code) - (packed & FAR), v_of(code) - (packed >> _FEW & FAR)
    return low_u, low_v, packed >> 2 * _FEW & FAR, packed >> 3 * _FEW & FAR


@_INLINE
def _from_first(rectangle: Rectangle, code: int) -> int:
    """Return a rectangle as one number, relative to a non-zero in it."""
    low_u, low_v, down, along = rectangle
    before = (u_of(code) - low_u) + ((v_of(code) - low_v) << _FEW)
    return before + (down << 2 * _FEW) + (along << 3 * _FEW)


@_KERNEL
def decode(
    start: int, stop: int, begins: Array, is_turned: Array, starts: Array, windows: Array,
    edge: int, margin: int, most: int, reach: Array, places: Array, values: Array, scales: Array,
    buffers: DecodeBuffers, codes: Array, weights: Array, groups: Array,
) -> None:  # fmt: skip
    """Decode rows start ... stop − 1, plane by plane.

    Parameters
    ----------
    start, stop
        range of rows
    begins
        (n_rows,) start of each row in `places`
    is_turned
        (n_rows,) True if rows and columns are exchanged
    starts
        (n_rows, n_planes_stored + 1) start of each plane of a row in the output
    windows
        (n_rows, n_planes_stored, 4) j0, k0, height, width
    edge, margin
        voxels per pitch, and pitches of zeros around the image, as in `write_codes`
    most
        maximum number of non-zeros of a group
    reach
        (n_rows, 2) maximum extent of a group, see `GroupLimits.reach`
    places
        (n_stored,) uint16 positions in the window, row by row
    values
        values of the decoded rows, one row after another
    scales
        (n_rows,) factor of the values of each row
    buffers
        working memory
    codes, weights
        (n_nonzero,) packed positions and scaled values, which are written; see
        `engine.kernels.matrix.codes`
    groups
        (n_nonzero,) int32, which are written: at the first non-zero of a group the number for
        `ends_of`, at the second the number for `rectangle_of`
    """
    order, runs, ends = buffers.order, buffers.runs, buffers.ends
    for row in range(start, stop):
        far, wide = reach[row, 0], reach[row, 1]
        for plane in range(windows.shape[1]):
            to, n = starts[row, plane], starts[row, plane + 1] - starts[row, plane]
            begin = begins[row] + to - starts[row, 0]
            there, as_stored = places[begin : begin + n], buffers.as_stored[:n]
            write_codes(there, windows[row, plane], edge, margin, is_turned[row], as_stored)
            if is_turned[row]:  # already in the order of runs
                for e in range(n):
                    buffers.codes[e], order[e] = as_stored[e], e
            else:
                _order(as_stored, windows[row, plane], edge, margin, buffers)
            n_runs = _find_runs(n, far, wide, buffers)
            first, end, scale = 0, 0, scales[row]
            of_plane = values[to - starts[start, 0] : to - starts[start, 0] + n]
            while first < n_runs:
                last, rectangle = _group(first, n_runs, (most, far, wide), buffers)
                before, packed = end, 0
                for length in range(LONGEST, 0, -1):
                    # The number of non-zeros becomes the position of the first one, so that one
                    # pass over the runs is enough.
                    ends[length], end = end, end + ends[length]
                    packed += end - before << (LONGEST - length) * _COUNT
                for run in range(first, last):
                    e, length = runs[run] >> 2, (runs[run] & LONGEST - 1) + 1
                    at = to + ends[length]
                    ends[length] += length
                    for i in range(length):
                        codes[at + i] = buffers.codes[e + i]
                        weights[at + i] = of_plane[order[e + i]] * scale
                groups[to + before] = packed
                if far and end - before > 1:
                    groups[to + before + 1] = _from_first(rectangle, codes[to + before])
                first = last


@_INLINE
def _order(as_stored: Array, window: Array, edge: int, margin: int, buffers: DecodeBuffers) -> None:
    """Sort the non-zeros of a plane by phase, then by v, then by u."""
    n, codes, order, places = len(as_stored), buffers.codes, buffers.order, buffers.places
    # Smallest and largest v in the window.
    low = (window[1] + margin * edge) // edge
    high = (window[1] + window[3] - 1 + margin * edge) // edge
    first = 0
    while first < n:
        # Non-zeros of one phase, in which u ascends: counted by v.
        end, phase = first, phase_of(as_stored[first])
        places[low : high + 2] = 0
        while end < n and phase_of(as_stored[end]) == phase:
            places[v_of(as_stored[end]) + 1] += 1
            end += 1
        places[low] = first
        for v in range(low, high):
            places[v + 1] += places[v]
        for e in range(first, end):
            v = v_of(as_stored[e])
            codes[places[v]], order[places[v]] = as_stored[e], e
            places[v] += 1
        first = end


@_INLINE
def _find_runs(n: int, far: int, wide: int, buffers: DecodeBuffers) -> int:
    """List the runs of a plane as 4 first + length − 1; return their number.

    If groups are limited to a rectangle, runs are sorted by u in strips of the image that are as
    wide as a rectangle.
    """
    codes, runs, n_runs, e = buffers.codes, buffers.runs, 0, 0
    strip, phase, low_v = 0, -1, 0
    while e < n:
        code, length = codes[e], 1
        while length <= LONGEST and e + length < n and codes[e + length] - code == length * ROWS:
            length += 1
        if length > LONGEST:
            # Five at the end become three and two: one alone would read as many rows as two.
            after = e + length
            is_longer = after < n and codes[after] - code == length * ROWS
            length = LONGEST if is_longer else LONGEST - 1
        run = 4 * e + length - 1
        if far:
            if phase_of(code) != phase or v_of(code) - low_v > wide:
                strip, phase, low_v = n_runs, phase_of(code), v_of(code)
            # Insertion sort: few runs in a strip, nearly in order.
            place, u = n_runs, u_of(code)
            while place > strip and u_of(codes[runs[place - 1] >> 2]) > u:
                runs[place] = runs[place - 1]
                place -= 1
            runs[place] = run
        else:
            runs[n_runs] = run
        n_runs, e = n_runs + 1, e + length
    return n_runs


@_INLINE
def _group(
    first: int, n_runs: int, limits: tuple[int, int, int], buffers: DecodeBuffers
) -> tuple[int, Rectangle]:
    """Return the end of a group of runs, and the rectangle that they cover.

    The number of non-zeros in runs of each length is written to `ends`.
    """
    codes, runs, (most, far, wide) = buffers.codes, buffers.runs, limits
    buffers.ends[:] = 0
    code = codes[runs[first] >> 2]
    low_u = high_u = u_of(code)
    low_v = high_v = v_of(code)
    last, n, phase = first, 0, phase_of(code)
    while last < n_runs:
        code, length = codes[runs[last] >> 2], (runs[last] & LONGEST - 1) + 1
        u, v = u_of(code), v_of(code)
        least_u, most_u = min(low_u, u), max(high_u, u + length - 1)
        least_v, most_v = min(low_v, v), max(high_v, v)
        is_far = most_u - least_u > far or most_v - least_v > wide
        is_separate = far > 0 and (is_far or phase_of(code) != phase)
        # The first run is always accepted, so that each group has at least one.
        if last > first and (is_separate or n + length > most):
            break
        low_u, high_u, low_v, high_v = least_u, most_u, least_v, most_v
        buffers.ends[length] += length
        last, n = last + 1, n + length
    return last, (low_u, low_v, high_u - low_u, high_v - low_v)

"""Stored rows as projection on the CPU reads them: where and how much, in pairs, in groups.

Two non-zeros whose voxels are a pitch apart along u, of one phase and one v, read rows r and r + 1
for row r of a sum; over the eight rows of a patch these are 9 rows instead of 16. Four fifths of
the non-zeros of DHAPET come in such pairs, two fifths where rows and columns are interchanged. Rows
are stored by phase, then by row and column of the voxel: where those are interchanged, neighbours
follow one another as it is; elsewhere each is moved behind its neighbour.

Non-zeros are then taken in groups, pairs first. Forward a group is as many as leave their rows of
the image in the first cache; back it is those of one phase that lie near each other, so that they
touch a small rectangle of the image. Up to eight orientations and two planes share a row, mirrored
or not, and with it all that is decided here: a mirror image has the same pairs, the second first.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.matrix.codes import ROWS, phase_of, u_of, v_of, write_codes

_COUNT, _FEW = 7, 4
"""Bits of the number of non-zeros in a group, and of distances in pitches."""
MOST, FAR = (1 << _COUNT) - 1, (1 << _FEW) - 1
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
    most : maximum number of non-zeros, from two to `MOST`
    far : maximum distance in pitches within one phase, up to `FAR`; 0: any position and phase
    """

    most: int
    far: int


class DecodeBuffers(NamedTuple):
    """Working memory of a thread, each array as long as the non-zeros of a plane.

    Attributes
    ----------
    as_stored, codes, order : int32
    is_taken : bool
    """

    as_stored: Array
    codes: Array
    order: Array
    is_taken: Array


@_INLINE
def size_of(group: int) -> int:
    """Return the number of non-zeros in a group."""
    return group & MOST


@_INLINE
def n_paired_of(group: int) -> int:
    """Return the number of non-zeros in pairs, which come first."""
    return group >> _COUNT & MOST


@_INLINE
def rectangle_of(group: int, code: int) -> Rectangle:
    """Return the rectangle that a group covers in back projection.

    Parameters
    ----------
    group
        packed group
    code
        position of its first non-zero
    """
    places = group >> 2 * _COUNT
    low_u, low_v = u_of(code) - (places & FAR), v_of(code) - (places >> _FEW & FAR)
    return low_u, low_v, places >> 2 * _FEW & FAR, places >> 3 * _FEW & FAR


@_INLINE
def _from_first(rectangle: Rectangle, code: int) -> int:
    """Return a rectangle as one number, relative to a non-zero in it."""
    low_u, low_v, down, along = rectangle
    before = (u_of(code) - low_u) + ((v_of(code) - low_v) << _FEW)
    return before + (down << 2 * _FEW) + (along << 3 * _FEW)


@_KERNEL
def decode(
    start: int, stop: int, begins: Array, is_turned: Array, starts: Array, windows: Array,
    edge: int, margin: int, limits: GroupLimits, places: Array, values: Array, scales: Array,
    buffers: DecodeBuffers, codes: Array, weights: Array, groups: Array,
) -> None:  # fmt: skip
    """Decode rows start ... stop - 1, plane by plane.

    Parameters
    ----------
    start, stop
        range of rows
    begins
        (n_rows,) beginning of each in `places`
    is_turned
        (n_rows,) True where rows and columns are interchanged
    starts
        (n_rows, n_planes_stored + 1) beginning of each plane of a row in the output
    windows
        (n_rows, n_planes_stored, 4) j0, k0, height, width
    edge, margin
        of the image, as in `write_codes`
    limits
        limits of a group
    places
        (n_stored,) uint16 positions in the window, row by row
    values
        of the decoded rows, one after another, to be multiplied by `scales`
    scales
        (n_rows,)
    buffers
        working memory
    codes, weights
        (n_nonzero,) written, see `engine.kernels.matrix.codes`
    groups
        (n_nonzero,) int32, written: group k of a plane is k after its first non-zero; see `size_of`
        and the functions after it
    """
    for row in range(start, stop):
        for plane in range(windows.shape[1]):
            to, n = starts[row, plane], starts[row, plane + 1] - starts[row, plane]
            begin = begins[row] + to - starts[row, 0]
            there, as_stored = places[begin : begin + n], buffers.as_stored[:n]
            write_codes(there, windows[row, plane], edge, margin, is_turned[row], as_stored)
            _order(as_stored, is_turned[row], buffers)
            k, e = to, 0
            while e < n:
                if limits.far:
                    end, rectangle = _near(buffers.codes, e, n, limits)
                    n_paired = _pairs_first(buffers, e, end)
                    where = _from_first(rectangle, buffers.codes[e])
                else:
                    end, where = _as_many(buffers.codes, e, n, limits.most), 0
                    n_paired = _pairs_first(buffers, e, end)
                groups[k] = end - e + (n_paired << _COUNT) + (where << 2 * _COUNT)
                k, e = k + 1, end
            for e in range(n):
                codes[to + e] = buffers.codes[e]
                weights[to + e] = values[to - starts[start, 0] + buffers.order[e]] * scales[row]


@_INLINE
def _order(as_stored: Array, is_turned: bool, buffers: DecodeBuffers) -> None:
    """Sort the non-zeros of a plane so that each is followed by its neighbour along u."""
    n, codes, order, is_taken = len(as_stored), buffers.codes, buffers.order, buffers.is_taken
    if is_turned:  # already in this order
        for e in range(n):
            codes[e], order[e] = as_stored[e], e
        return
    is_taken[:n] = False
    to, partner = 0, 0
    for e in range(n):  # codes ascend
        if is_taken[e]:
            continue
        codes[to], order[to], to = as_stored[e], e, to + 1
        # the partner only moves forward, since the wanted codes ascend too: one pass in total
        wanted = as_stored[e] + ROWS
        while partner < n and as_stored[partner] < wanted:
            partner += 1
        if partner < n and as_stored[partner] == wanted:
            codes[to], order[to], to = wanted, partner, to + 1
            is_taken[partner] = True


@_INLINE
def _step(codes: Array, e: int, n: int) -> int:
    """Return the length of the next unit: 2 for a pair, else 1."""
    return 2 if e + 1 < n and codes[e + 1] - codes[e] == ROWS else 1


@_INLINE
def _as_many(codes: Array, first: int, n: int, most: int) -> int:
    """Return the end of a group with as many non-zeros as possible; pairs are not divided."""
    end = min(n, first + most)
    # in a run of neighbours every second one begins a pair
    run = end
    while run > first and run < n and codes[run] - codes[run - 1] == ROWS:
        run -= 1
    return end - (end - run & 1)


@_INLINE
def _near(codes: Array, first: int, n: int, limits: GroupLimits) -> tuple[int, Rectangle]:
    """Return the end of a group of close non-zeros, and the rectangle that they cover."""
    low_u = high_u = u_of(codes[first])
    low_v = high_v = v_of(codes[first])
    end, phase = first, phase_of(codes[first])
    while end < n:
        step, code = _step(codes, end, n), codes[end]
        u, v = u_of(code), v_of(code)  # the second of a pair is further along u
        least_u, most_u = min(low_u, u), max(high_u, u + step - 1)
        least_v, most_v = min(low_v, v), max(high_v, v)
        is_far = most_u - least_u > limits.far or most_v - least_v > limits.far
        # a first unit is always accepted, so that each group has at least one
        if end > first and (is_far or phase_of(code) != phase):
            break
        if end + step - first > limits.most:
            break
        low_u, high_u, low_v, high_v = least_u, most_u, least_v, most_v
        end += step
    return end, (low_u, low_v, high_u - low_u, high_v - low_v)


@_INLINE
def _pairs_first(buffers: DecodeBuffers, first: int, end: int) -> int:
    """Move the pairs of a group to its front; return the number of non-zeros in pairs."""
    codes, order = buffers.codes, buffers.order
    front = e = first
    while e < end:
        if _step(codes, e, end) == 1:
            e += 1
            continue
        if e - front == 1:  # the one before them goes behind
            _exchange(codes, order, front, e)
            _exchange(codes, order, e, e + 1)
        elif e > front:
            _exchange(codes, order, front, e)
            _exchange(codes, order, front + 1, e + 1)
        front, e = front + 2, e + 2
    return front - first


@_INLINE
def _exchange(codes: Array, order: Array, one: int, other: int) -> None:
    codes[one], codes[other] = codes[other], codes[one]
    order[one], order[other] = order[other], order[one]

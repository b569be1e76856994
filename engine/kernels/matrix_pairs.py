"""Non-zeros in pairs that lie on neighbouring rows of what is read, which they read once.

Two non-zeros whose voxels are a pitch apart along u, of one phase and one v, read rows r and r + 1
for row r of a sum; over the eight rows of a patch these are 9 rows instead of 16. Four fifths of
the non-zeros of DHAPET come in such pairs, two fifths where rows and columns are interchanged. Rows
are stored by phase, then by row and column of the voxel: where those are interchanged, neighbours
follow one another as it is; elsewhere each is moved behind its neighbour as rows are decoded
(`neighbours_together`).
"""

from __future__ import annotations

from numba import njit

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.plain import Plain

_WITHOUT: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_WITHOUT)
_INLINE = njit(inline="always", **_WITHOUT)


@_KERNEL
def pairs_first(
    offsets: Array, weights: Array, first: int, last: int, pitch: int, near: Array, of_near: Array
) -> int:
    """Copy the non-zeros first ... last - 1, pairs before the others; return how many are in pairs.

    offsets, weights : (n,) where each reads; its value
    pitch : how far apart two rows are that are read
    near, of_near : (last - first,) room for offsets and weights; of two that are a pair the second
        reads a row further
    """
    front, behind, e = 0, last - first, first
    while e < last:
        apart = offsets[e + 1] - offsets[e] if e + 1 < last else 0
        if apart == pitch or apart == -pitch:
            low, high = (e, e + 1) if apart == pitch else (e + 1, e)
            near[front], near[front + 1] = offsets[low], offsets[high]
            of_near[front], of_near[front + 1] = weights[low], weights[high]
            front, e = front + 2, e + 2
        else:
            behind -= 1
            near[behind], of_near[behind] = offsets[e], weights[e]
            e += 1
    return front


@_KERNEL
def neighbours_together(
    rows: Array, starts: Array, windows: Array, edge: int, places: Array, weights: Array,
    is_taken: Array, to_places: Array, to_weights: Array,
) -> None:  # fmt: skip
    """Copy the non-zeros of some rows, each followed by that a pitch below it.

    rows : (n,) which
    starts, windows, places, weights : of all rows, see `engine.operators.matrix_rows.StoredRows`
    edge : voxels on a pitch
    is_taken : (n_nonzero of a plane at most,) bool, room
    to_places, to_weights : like places and weights
    """
    for row in rows:
        for plane in range(windows.shape[1]):
            below = edge * int(windows[row, plane, 3])
            first, last = starts[row, plane], starts[row, plane + 1]
            while first < last:
                # places ascend in a phase, and one so far below another is of the same phase
                end = first + 1
                while end < last and places[end] > places[end - 1]:
                    end += 1
                _pair(places, weights, below, first, end, is_taken, to_places, to_weights)
                first = end


@_INLINE
def _pair(
    places: Array, weights: Array, below: int, first: int, last: int, is_taken: Array,
    to_places: Array, to_weights: Array,
) -> None:  # fmt: skip
    """Copy non-zeros whose places ascend."""
    is_taken[: last - first] = False
    to, partner = first, first
    for e in range(first, last):
        if is_taken[e - first]:
            continue
        to_places[to], to_weights[to] = places[e], weights[e]
        to += 1
        wanted = int(places[e]) + below
        while partner < last and int(places[partner]) < wanted:
            partner += 1
        if partner < last and int(places[partner]) == wanted:
            is_taken[partner - first] = True
            to_places[to], to_weights[to] = places[partner], weights[partner]
            to += 1

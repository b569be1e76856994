"""Projection with a stored response, in correlation form: a shift of a line shifts its voxels.

The data y of an orientation are a picture of its shifts (r, c). A non-zero w of its row lies at the
voxel (p, j, k) of the box of a line; j = D u + φ, k = D v + χ. With the image split by phases,
f[p, φ D + χ, u, v],

forward   y[r, c]                       += w f[p, φ D + χ, r + u, c + v]
back      f[p, φ D + χ, r + u, c + v]   += w y[r, c]

so that a non-zero is one product and sum for whole rows of neighbouring numbers, patch by patch
(`engine.kernels.matrix_patches`), those of a plane use the same few rows, and neighbours read them
together (`engine.kernels.matrix_pairs`). Back projection
gathers: a patch of f takes all patches of y that some non-zeros name. Each sum has one order,
whatever the number of threads.

A stored row stands for up to eight orientations, and each of its planes for the mirror image
across the panels (`engine.geometry.dual_head_symmetry`). An interchange and mirrors map phases to
phases and shifts to shifts, (u, v) -> (v, u), u -> |a| − u, v -> |b| − v: rows are read as they are
stored, a table says for each place of a window where it lies after the turn.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.matrix_pairs import pairs_first
from engine.kernels.matrix_patches import add_patches
from engine.plain import Plain

AT_ONCE = 64
"""Non-zeros whose rows of the image stay in the first cache, forward."""
TOGETHER = 16
"""Non-zeros that are taken together, back: they reach a rectangle of the image, and no more."""
FAR = 7
"""Pitches that they lie apart at most: so wide is the border of zeros around data in the cache."""
BITS = 11
"""Bits of u, and of v, in a code, both counted from the margin; the phase is above."""
MOST_PITCHES = 1 << BITS
ROOM = 2 << 16
"""Places of the largest window, and its columns."""
_ONE = MOST_PITCHES - 1

_MATH: Plain = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
_KERNEL = cached_njit(**_MATH)


@_KERNEL
def forward(
    begin_at: int, step: int, chosen: Array, shapes: Array, starts: Array, windows: Array,
    places: Array, weights: Array, edge: int, margin: int, image: Array, size: tuple[int, int],
    image_starts: Array, pitches: Array, out: Array, table: Array, offsets: Array, near: Array,
    of_near: Array,
) -> None:  # fmt: skip
    """Project the image along some orientations, adding to `out`.

    begin_at, step : the first orientation, and how far the next lies behind each
    chosen : (n, 4) row of each orientation; turn that leads from it, 1 for the interchange, + 2 and
        + 4 for the mirrors of rows and of columns after it; |a| and |b| of the orientation
    shapes : (n, 2) rows and columns of its picture
    starts : (n_rows, n_planes_stored + 1) where each plane of a row begins in places and weights
    windows : (n_rows, n_planes_stored, 4) j0, k0, height, width
    places, weights : (n_nonzero,) uint16 in the window, row by row; value
    margin : pitches of zeros around the image
    image : (n_planes, D² rows pitch + beyond), margins included; size : its rows and its pitch
    image_starts, pitches : (n,) where the picture of each orientation starts in `out`, and how far
        apart its rows are; patches cover it
    table : (ROOM,) int32 and offsets : (n,) int32, room for the non-zeros of a plane of a row
    near : (AT_ONCE,) int32 and of_near : (AT_ONCE,) like the weights, room for those taken together
    """
    n_planes, n_rows, pitch = image.shape[0], size[0], size[1]
    flat = image.reshape(image.size)
    # a plane at a time: its phases stay in the cache while all orientations pass them
    for stored in range(windows.shape[1]):
        for plane in (stored, n_planes - 1 - stored):
            for o in range(begin_at, chosen.shape[0], step):
                row, n_r, n_c = chosen[o, 0], shapes[o, 0], shapes[o, 1]
                first, last = starts[row, stored], starts[row, stored + 1]
                _codes(table, windows[row, stored], chosen[o], plane > stored, edge, margin)
                for e in range(last - first):
                    code = int(table[places[first + e]])
                    phase, u, v = code >> 2 * BITS, code >> BITS & _ONE, code & _ONE
                    offsets[e] = (phase * n_rows + u) * pitch + v
                of_row, begin = weights[first:last], plane * image.shape[1]
                for e in range(0, last - first, AT_ONCE):
                    end = min(e + AT_ONCE, last - first)
                    n_paired = pairs_first(offsets, of_row, e, end, pitch, near, of_near)
                    add_patches(
                        out, image_starts[o], pitches[o], n_r, n_c, flat, begin, pitch, near,
                        of_near, n_paired, end - e,
                    )  # fmt: skip
            # the middle plane of an odd number is its own mirror image and counts once
            if plane == n_planes - 1 - stored:
                break


@_KERNEL
def back(
    start: int, stop: int, chosen: Array, shapes: Array, starts: Array, windows: Array,
    places: Array, weights: Array, edge: int, margin: int, images: Array, border: int,
    image_starts: Array, pitches: Array, size: tuple[int, int], image: Array, table: Array,
    codes: Array, offsets: Array, near: Array, of_near: Array,
) -> None:  # fmt: skip
    """The adjoint of `forward`, into the stored planes start ... stop - 1 and their mirror images.

    images : the data of all orientations, each with a border of zeros, `border` on all sides and
        what patches cover beyond; image_starts, pitches : (n,) where each starts, how far apart
        its rows are
    codes : (n,) int32, room like that of offsets
    """
    n_planes, n_rows, pitch = image.shape[0], size[0], size[1]
    flat = image.reshape(image.size)
    for stored in range(start, stop):
        for plane in (stored, n_planes - 1 - stored):
            for o in range(chosen.shape[0]):
                row, across = chosen[o, 0], pitches[o]
                first, last = starts[row, stored], starts[row, stored + 1]
                _codes(table, windows[row, stored], chosen[o], plane > stored, edge, margin)
                for e in range(last - first):
                    codes[e] = code = int(table[places[first + e]])
                    offsets[e] = -(code >> BITS & _ONE) * across - (code & _ONE)
                of_row, n, e = weights[first:last], last - first, first
                while e < last:
                    begin = e - first
                    end, low_u, high_u, low_v, high_v = _reach(codes, begin, n)
                    # the rectangle of the image that these touch: the rest is left alone
                    at = ((codes[begin] >> 2 * BITS) * n_rows + low_u) * pitch + low_v
                    there = image_starts[o] + (border + low_u) * across + border + low_v
                    n_paired = pairs_first(offsets, of_row, begin, end, across, near, of_near)
                    add_patches(
                        flat, plane * image.shape[1] + at, pitch, shapes[o, 0] + high_u - low_u,
                        shapes[o, 1] + high_v - low_v, images, there, across, near, of_near,
                        n_paired, end - begin,
                    )  # fmt: skip
                    e = first + end
            if plane == n_planes - 1 - stored:
                break


@_KERNEL
def _codes(
    table: Array, window: Array, chosen: Array, opposite: bool, edge: int, margin: int
) -> None:
    """Say for each place of a window where it lies after a turn: phase, u and v in one number."""
    # the second half of the planes is not stored: seen from the other panel it is the first half
    # with rows and columns mirrored, bits 2 and 4 of the turn
    turn = int(chosen[1]) ^ (6 if opposite else 0)
    j0, k0, height, width = int(window[0]), int(window[1]), int(window[2]), int(window[3])
    swap, along = turn & 1, table[height * width :]
    for column in range(width):
        along[column] = _part(k0 + column, swap, turn, chosen, edge, margin)
    for row in range(height):
        down = np.int32(_part(j0 + row, 1 - swap, turn, chosen, edge, margin))
        at = np.uint64(row * width)  # unsigned: numba then knows that no index is negative
        for column in range(np.uint64(width)):
            table[at + column] = down + along[column]


@_KERNEL
def _part(place: int, to_rows: int, turn: int, chosen: Array, edge: int, margin: int) -> int:
    """What a row or column of a box, which becomes a row or a column, adds to the code."""
    shift, phase = place // edge, place % edge
    if turn & (2 if to_rows else 4):
        shift, phase = chosen[2 if to_rows else 3] - shift, edge - 1 - phase
    if to_rows:
        return (phase * edge << 2 * BITS) + (shift + margin << BITS)
    return (phase << 2 * BITS) + shift + margin


@_KERNEL
def _reach(codes: Array, first: int, last: int) -> tuple[int, int, int, int, int]:
    """Return the end of what is taken together, and its least and greatest u and v."""
    # of one phase: another lies elsewhere in the image
    low_u = high_u = codes[first] >> BITS & _ONE
    low_v = high_v = codes[first] & _ONE
    end = first + 1
    while end < min(last, first + TOGETHER) and codes[end] >> 2 * BITS == codes[first] >> 2 * BITS:
        u, v = codes[end] >> BITS & _ONE, codes[end] & _ONE
        down, along = max(high_u, u) - min(low_u, u), max(high_v, v) - min(low_v, v)
        if down > FAR or along > FAR:
            break
        low_u, high_u, low_v, high_v = min(low_u, u), max(high_u, u), min(low_v, v), max(high_v, v)
        end += 1
    return end, low_u, high_u, low_v, high_v

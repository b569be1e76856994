"""Projection with a stored response, in correlation form: a shift of a line shifts its voxels.

The data y of an orientation are a picture of its shifts (r, c). A non-zero w of its row lies at the
voxel (p, j, k) of the box of a line; j = D u + φ, k = D v + χ. With the image split by phases,
f[p, φ D + χ, u, v],

forward   y[r, c]                       += w f[p, φ D + χ, r + u, c + v]
back      f[p, φ D + χ, r + u, c + v]   += w y[r, c]

so that a non-zero is one product and sum for whole rows of neighbouring numbers, and those of a
group (plane and phase) use the same few rows. Back projection gathers: a row of f takes all rows
of y that its non-zeros name. Each sum has one order, whatever the number of threads.

A stored row stands for up to eight orientations, and each of its planes for the mirror image
across the panels (`engine.geometry.dual_head_symmetry`). An interchange and mirrors map groups to
groups and shifts to shifts, (u, v) -> (v, u), u -> |a| − u, v -> |b| − v: to read a stored group
for any of them takes another start and other steps through memory, and nothing else.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.plain import Plain

UNROLL = 4
"""Non-zeros that are taken together; groups are filled up to a multiple with zeros."""
LANES = 8
"""Numbers of a row that are taken together: rows are worked on up to the next multiple, so what
comes after a row is read, and zeros are added to it."""

_MATH: Plain = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)


@_KERNEL
def sort_groups(
    row_starts: Array, windows: Array, places: Array, values: Array, edge: int, groups: Array,
    shifts: Array, weights: Array,
) -> None:  # fmt: skip
    """Sort the non-zeros of each plane by phase, and fill each group up to a multiple of `UNROLL`.

    row_starts : (n, n_planes + 1) first non-zero of every plane of every row
    windows : (n, n_planes, 4) j0, k0, height, width; places, values : (n_nonzero,)
    groups : out (n, n_planes, D² + 1) where each group starts in the next two
    shifts : out (n_filled, 2) u and v; weights : out (n_filled,), zero on entry
    """
    n_groups, at = edge * edge, 0
    for row in range(windows.shape[0]):
        for plane in range(windows.shape[1]):
            begin, starts, window = at, groups[row, plane], windows[row, plane]
            j0, k0, width = int(window[0]), int(window[1]), int(window[3])
            first, last = row_starts[row, plane], row_starts[row, plane + 1]
            starts[:] = 0
            for n in range(first, last):
                down = int(places[n]) // width
                j, k = j0 + down, k0 + int(places[n]) - down * width
                starts[j % edge * edge + k % edge] += 1
            for g in range(n_groups):
                n_filled = _filled(starts[g])
                starts[g] = at
                at += n_filled
            for n in range(first, last):
                down = int(places[n]) // width
                j, k = j0 + down, k0 + int(places[n]) - down * width
                g = j % edge * edge + k % edge
                e = starts[g]
                shifts[e, 0], shifts[e, 1], weights[e] = j // edge, k // edge, values[n]
                starts[g] += 1
            # the starts are now the ends: repeat the last shift to the full length, and go back
            for g in range(n_groups - 1, -1, -1):
                end = starts[g]
                for e in range(end, _filled(end)):
                    shifts[e, 0], shifts[e, 1] = shifts[end - 1, 0], shifts[end - 1, 1]
                starts[g + 1] = _filled(end)
            starts[0] = begin


@_INLINE
def _filled(n: int) -> int:
    """Round up to a multiple of `UNROLL`."""
    return (n + UNROLL - 1) // UNROLL * UNROLL


@_INLINE
def _add_rows(
    target: Array, at: int, pitch: int, n_rows: int, n: int, source: Array, begin: int,
    source_pitch: int, steps: tuple[int, int], shifts: Array, weights: Array, first: int, last: int,
) -> None:  # fmt: skip
    """Add to rows of `target` the rows of `source` that the non-zeros first ... last - 1 name.

    target[at + r pitch : + n] += Σ w source[begin + r source_pitch + u steps[0] + v steps[1] : + n]
    """
    by_u, by_v = steps
    for e in range(first, last, UNROLL):
        a = begin + shifts[e, 0] * by_u + shifts[e, 1] * by_v
        b = begin + shifts[e + 1, 0] * by_u + shifts[e + 1, 1] * by_v
        c = begin + shifts[e + 2, 0] * by_u + shifts[e + 2, 1] * by_v
        d = begin + shifts[e + 3, 0] * by_u + shifts[e + 3, 1] * by_v
        w_a, w_b, w_c, w_d = weights[e], weights[e + 1], weights[e + 2], weights[e + 3]
        for r in range(n_rows):
            # unsigned: numba then knows that no index is negative
            to, ahead = np.uint64(at + r * pitch), r * source_pitch
            i_a, i_b = np.uint64(a + ahead), np.uint64(b + ahead)
            i_c, i_d = np.uint64(c + ahead), np.uint64(d + ahead)
            for i in range(np.uint64(n)):
                # four products for each load and store of the target
                near = w_a * source[i_a + i] + w_b * source[i_b + i]
                far = w_c * source[i_c + i] + w_d * source[i_d + i]
                target[to + i] += near + far


@_INLINE
def _steps(turn: int, down: int, across: int) -> tuple[int, int]:
    """Steps through memory that one of u and one of v make after a turn."""
    if turn & 2:
        down = -down
    if turn & 4:
        across = -across
    return (across, down) if turn & 1 else (down, across)


@_INLINE
def _group(turn: int, phase: int, edge: int) -> int:
    """The group that a turn makes of group `phase`."""
    j, k = phase // edge, phase % edge
    if turn & 1:
        j, k = k, j
    if turn & 2:
        j = edge - 1 - j
    if turn & 4:
        k = edge - 1 - k
    return j * edge + k


@_KERNEL
def forward(
    start: int, stop: int, chosen: Array, shapes: Array, groups: Array, shifts: Array,
    weights: Array, edge: int, margin: int, image: Array, size: tuple[int, int],
    image_starts: Array, out: Array,
) -> None:  # fmt: skip
    """Project the image along the orientations start ... stop - 1, adding to `out`.

    chosen : (n, 4) row of each orientation; turn that leads from it, 1 for the interchange, + 2 and
        + 4 for the mirrors of rows and of columns after it; |a| and |b| of the orientation
    shapes : (n, 2) rows and columns of its picture
    groups, shifts, weights : see `sort_groups`
    margin : pitches of zeros around the image
    image : (n_planes, D² rows pitch + LANES), margins included; size : its rows and its pitch
    image_starts : (n,) where the picture of each orientation starts in `out`; its rows are apart
        by their length, rounded up to `LANES`
    """
    n_planes, n_rows, pitch = image.shape[0], size[0], size[1]
    flat = image.reshape(image.size)
    # a plane at a time: its phases stay in the cache while all orientations pass them
    for stored in range(groups.shape[1]):
        for plane in (stored, n_planes - 1 - stored):
            for o in range(start, stop):
                row = chosen[o, 0]
                # the second half of the planes is not stored: seen from the other panel it is the
                # first half with rows and columns mirrored, bits 2 and 4 of the turn
                turn = chosen[o, 1] ^ (6 if plane > stored else 0)
                wide = (shapes[o, 1] + LANES - 1) // LANES * LANES
                corner = plane * image.shape[1] + margin * (pitch + 1)
                corner += chosen[o, 2] * pitch if turn & 2 else 0
                corner += chosen[o, 3] if turn & 4 else 0
                for g in range(edge * edge):
                    first, last = groups[row, stored, g], groups[row, stored, g + 1]
                    begin = corner + _group(turn, g, edge) * n_rows * pitch
                    _add_rows(
                        out, image_starts[o], wide, shapes[o, 0], wide, flat, begin, pitch,
                        _steps(turn, pitch, 1), shifts, weights, first, last,
                    )  # fmt: skip
            # the middle plane of an odd number is its own mirror image and counts once
            if plane == n_planes - 1 - stored:
                break


@_KERNEL
def back(
    start: int, stop: int, chosen: Array, shapes: Array, groups: Array, shifts: Array,
    weights: Array, edge: int, margin: int, images: Array, border: int, image_starts: Array,
    size: tuple[int, int], image: Array,
) -> None:  # fmt: skip
    """The adjoint of `forward`, into the stored planes start ... stop - 1 and their mirror images.

    images : the data of all orientations, each with a border of zeros, `border` on all sides and
        `LANES` more on the right; picture_starts : (n,) where each starts
    """
    n_planes, n_rows, pitch = image.shape[0], size[0], size[1]
    flat = image.reshape(image.size)
    for stored in range(start, stop):
        for o in range(chosen.shape[0]):
            row, n_r, n_c = chosen[o, 0], shapes[o, 0], shapes[o, 1]
            across = n_c + 2 * border + LANES
            for plane in (stored, n_planes - 1 - stored):
                turn = chosen[o, 1] ^ (6 if plane > stored else 0)
                for g in range(edge * edge):
                    first, last = groups[row, stored, g], groups[row, stored, g + 1]
                    corner = _group(turn, g, edge) * n_rows + margin
                    for e in range(first, last, UNROLL):  # few have a short reach
                        end = e + UNROLL
                        low_u, high_u, low_v, high_v = _reach(chosen[o], turn, shifts, e, end)
                        at = (corner + low_u) * pitch + margin + low_v
                        wide = (n_c + high_v - low_v + LANES - 1) // LANES * LANES
                        begin = image_starts[o] + (border + low_u) * across + border + low_v
                        begin -= chosen[o, 2] * across if turn & 2 else 0
                        begin -= chosen[o, 3] if turn & 4 else 0
                        _add_rows(
                            flat, plane * image.shape[1] + at, pitch, n_r + high_u - low_u, wide,
                            images, begin, across, _steps(turn, -across, -1), shifts, weights, e,
                            end,
                        )  # fmt: skip
                if plane == n_planes - 1 - stored:
                    break


@_INLINE
def _reach(
    chosen: Array, turn: int, shifts: Array, first: int, last: int
) -> tuple[int, int, int, int]:
    """Least and greatest u, and v, of some non-zeros after a turn."""
    # the rectangle of the image that four non-zeros touch: the rest of the plane is left alone
    low_u = high_u = shifts[first, 0]
    low_v = high_v = shifts[first, 1]
    for e in range(first + 1, last):
        low_u, high_u = min(low_u, shifts[e, 0]), max(high_u, shifts[e, 0])
        low_v, high_v = min(low_v, shifts[e, 1]), max(high_v, shifts[e, 1])
    if turn & 1:
        low_u, high_u, low_v, high_v = low_v, high_v, low_u, high_u
    if turn & 2:
        low_u, high_u = chosen[2] - high_u, chosen[2] - low_u
    if turn & 4:
        low_v, high_v = chosen[3] - high_v, chosen[3] - low_v
    return low_u, high_u, low_v, high_v

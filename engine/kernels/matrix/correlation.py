"""Projection with a stored response, in correlation form: the voxels of a line shift with the line.

The data y of an orientation are an image of its shifts (r, c). A non-zero w of its row is at the
voxel (p, j, k) of the box of a line, with j = D u + φ, k = D v + χ and D voxels per pitch. With the
image split by phases, f[p, φ D + χ, u, v],

    forward   y[r, c]                       += w f[p, φ D + χ, r + u, c + v]
    back      f[p, φ D + χ, r + u, c + v]   += w y[r, c]

A non-zero is therefore one multiply-add for whole rows of contiguous numbers. The work is done
patch by patch (`engine.kernels.matrix.patches`). Non-zeros of a plane use the same few rows, and
neighbouring non-zeros share their reads (`engine.kernels.matrix.decode`). Back projection gathers:
a patch of f reads all patches of y that its non-zeros address. Each sum has one order for any
number of threads.

A stored row represents up to eight orientations, and each of its planes also represents the mirror
image across the panels (`engine.geometry.dual_head_symmetry`). Its non-zeros are decoded once for
all of these. A mirror changes the signs of their contributions to a position
(`engine.kernels.matrix.codes`).
"""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.matrix.codes import (
    ACROSS,
    MIRROR_COLUMNS,
    MIRROR_ROWS,
    chi_of,
    phi_of,
    write_offsets,
)
from engine.kernels.matrix.decode import LONGEST, GroupLimits, ends_of, rectangle_of
from engine.kernels.matrix.patches import add_patches

FORWARD = GroupLimits(most=127, far=0, wide=0)
"""Groups of any position in a plane."""
BACK = GroupLimits(most=127, far=6, wide=3)
"""Groups that cover a small rectangle of the image, so that they fill its patches."""
BACK_IN_LANES = GroupLimits(most=127, far=4, wide=3)
"""The same for interleaved mirror images."""
_MATH: Plain = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)


class _Mirror(NamedTuple):
    """Mirror image of u or v: sign · u + shift.

    Attributes
    ----------
    is_one : 1 for a mirror, 0 for the identity
    sign : −1 for a mirror, 1 for the identity
    shift : in pitches
    """

    is_one: int
    sign: int
    shift: int


@_KERNEL
def forward(
    begin_at: int, step: int, chosen: Array, shapes: Array, starts: Array, codes: Array,
    weights: Array, groups: Array, edge: int, margin: int, lanes: int, image: Array,
    size: tuple[int, int], image_starts: Array, pitches: Array, out: Array, offsets: Array,
) -> None:  # fmt: skip
    """Project the image along some orientations, adding to `out`.

    Parameters
    ----------
    begin_at, step
        first orientation, and step to the next one
    chosen
        (n, 4) for each orientation: its row; the symmetry that leads from the row to it
        (`engine.kernels.matrix.codes`); |a| and |b|
    shapes
        (n, 2) rows and columns of its image of shifts
    starts
        (n_rows, n_planes_stored + 1) start of each plane of a row in `codes` and `weights`
    codes, weights
        (n_nonzero,) packed positions after the exchange, and values
    groups
        (n_nonzero,) int32, with the limits `FORWARD`; see `engine.kernels.matrix.decode`
    edge, margin
        D; pitches of zeros around the image
    lanes
        numbers at each position: 1, or the number of mirror images
        (`engine.operators.matrix.mirror_lanes`)
    image
        (n_planes, D² rows pitch + beyond), margins included
    size
        rows and pitch of the image
    image_starts, pitches
        (n,) start of the image of each orientation in `out`, and distance of its rows; patches
        cover it
    out
        flat sums, which are added to
    offsets
        (n,) int32 working memory for the non-zeros of a plane of a row
    """
    n_planes, pitch = image.shape[0], size[1]
    flat, of_chi = image.reshape(image.size), size[0] * pitch
    # One plane at a time: its phases stay in the cache for all orientations.
    for stored in range(starts.shape[1] - 1):
        for plane in (stored, n_planes - 1 - stored):
            for o in range(begin_at, chosen.shape[0], step):
                row = chosen[o, 0]
                first, n = starts[row, stored], starts[row, stored + 1] - starts[row, stored]
                u, v = _mirrors(chosen[o], plane > stored, margin)
                phi, chi = u.sign * edge * of_chi, v.sign * of_chi
                last = (edge - 1) * (u.is_one * edge + v.is_one) * of_chi
                base, of_v = u.shift * pitch + v.shift * lanes + last, v.sign * lanes
                write_offsets(
                    codes[first : first + n], base, phi, u.sign * pitch, chi, of_v, offsets
                )
                e = 0
                while e < n:
                    ends = ends_of(groups[first + e])
                    end = e + ends[LONGEST - 1]
                    add_patches(
                        out, image_starts[o], pitches[o], shapes[o, 0], shapes[o, 1] * lanes, flat,
                        plane * image.shape[1], pitch, offsets[e:end],
                        weights[first + e : first + end], ends, u.is_one,
                    )  # fmt: skip
                    e = end
            if _is_last(plane, stored, n_planes, lanes):
                break


@_KERNEL
def back(
    start: int, stop: int, chosen: Array, shapes: Array, starts: Array, codes: Array,
    weights: Array, groups: Array, edge: int, margin: int, lanes: int, images: Array,
    border: tuple[int, int], image_starts: Array, pitches: Array, size: tuple[int, int],
    image: Array, offsets: Array,
) -> None:  # fmt: skip
    """Add the adjoint of `forward` to the stored planes start ... stop − 1 and their mirror images.

    Parameters
    ----------
    start, stop
        range of stored planes
    chosen, shapes, starts, codes, weights, edge, margin, lanes
        as for `forward`
    groups
        (n_nonzero,) int32, with the limits `BACK`
    images
        flat data of all orientations, each with a border of zeros, and with the numbers that
        patches read after it
    border
        width of this border along u and v
    image_starts, pitches
        (n,) start of each orientation in `images`, and distance of its rows
    size
        rows and pitch of the image
    image
        (n_planes, D² rows pitch + beyond), which is added to
    offsets
        (n,) int32 working memory
    """
    n_planes, n_rows, pitch = image.shape[0], size[0], size[1]
    flat = image.reshape(image.size)
    for stored in range(start, stop):
        for plane in (stored, n_planes - 1 - stored):
            for o in range(chosen.shape[0]):
                row, across = chosen[o, 0], pitches[o]
                first, n = starts[row, stored], starts[row, stored + 1] - starts[row, stored]
                u, v = _mirrors(chosen[o], plane > stored, margin)
                base = image_starts[o] + (border[0] - u.shift) * across
                base += (border[1] - v.shift) * lanes
                of_v = -v.sign * lanes
                write_offsets(codes[first : first + n], 0, 0, -u.sign * across, 0, of_v, offsets)
                e = 0
                while e < n:
                    ends, code = ends_of(groups[first + e]), codes[first + e]
                    n_here = ends[LONGEST - 1]
                    end = e + n_here
                    # Only the rectangle of the image that this group covers.
                    low_u, low_v, down, along = rectangle_of(groups, first + e, n_here, code)
                    low_u, low_v = _least(low_u, down, u), _least(low_v, along, v)
                    phi = edge - 1 - phi_of(code) if u.is_one else phi_of(code)
                    chi = edge - 1 - chi_of(code) if v.is_one else chi_of(code)
                    at = ((phi * edge + chi) * n_rows + low_u) * pitch + low_v * lanes
                    add_patches(
                        flat, plane * image.shape[1] + at, pitch, shapes[o, 0] + down,
                        (shapes[o, 1] + along) * lanes, images,
                        base + low_u * across + low_v * lanes, across, offsets[e:end],
                        weights[first + e : first + end], ends,
                        1 - u.is_one,  # non-zeros further along u read earlier rows
                    )  # fmt: skip
                    e = end
            if _is_last(plane, stored, n_planes, lanes):
                break


@_INLINE
def _is_last(plane: int, stored: int, n_planes: int, lanes: int) -> bool:
    """Return True if a stored plane represents no other plane.

    Either its mirror images are interleaved lanes, or it is the middle one of an odd number of
    planes, which is its own mirror image and counts once.
    """
    return lanes > 1 or plane == n_planes - 1 - stored


@_INLINE
def _mirrors(chosen: Array, is_opposite: bool, margin: int) -> tuple[_Mirror, _Mirror]:
    """Return the images of u and v for an orientation, in a plane or in its mirror image."""
    turn = int(chosen[1]) ^ (ACROSS if is_opposite else 0)
    of_u, of_v = (1 if turn & MIRROR_ROWS else 0), (1 if turn & MIRROR_COLUMNS else 0)
    return (
        _Mirror(of_u, 1 - 2 * of_u, of_u * (int(chosen[2]) + 2 * margin)),
        _Mirror(of_v, 1 - 2 * of_v, of_v * (int(chosen[3]) + 2 * margin)),
    )


@_INLINE
def _least(low: int, distance: int, mirror: _Mirror) -> int:
    """Return the smallest u or v of a group after the mirror."""
    return mirror.shift + mirror.sign * (low + distance if mirror.is_one else low)

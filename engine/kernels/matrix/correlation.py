"""Projection with a stored response, in correlation form: a shift of a line shifts its voxels.

The data y of an orientation are a picture of its shifts (r, c). A non-zero w of its row lies at the
voxel (p, j, k) of the box of a line; j = D u + φ, k = D v + χ. With the image split by phases,
f[p, φ D + χ, u, v],

forward   y[r, c]                       += w f[p, φ D + χ, r + u, c + v]
back      f[p, φ D + χ, r + u, c + v]   += w y[r, c]

so that a non-zero is one product and sum for whole rows of neighbouring numbers, patch by patch
(`engine.kernels.matrix.patches`), those of a plane use the same few rows, and neighbours read them
together (`engine.kernels.matrix.decode`). Back projection gathers: a patch of f takes all patches
of y that some non-zeros name. Each sum has one order, whatever the number of threads.

A stored row stands for up to eight orientations, and each of its planes for the mirror image
across the panels (`engine.geometry.dual_head_symmetry`). Its non-zeros are read as they were
decoded once for all of these: a mirror changes signs of what their numbers add to a place
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
"""Groups of any place in a plane."""
BACK = GroupLimits(most=127, far=6, wide=3)
"""Groups that cover a small rectangle of the image, which fills its patches."""
BACK_IN_LANES = GroupLimits(most=127, far=4, wide=3)
"""The same for adjacent mirror images."""
_MATH: Plain = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)


class _Mirror(NamedTuple):
    """Image of u or v under a mirror: sign · u + shift.

    Attributes
    ----------
    is_one : 1 for a mirror, 0 for the identity
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

    begin_at, step : the first orientation, and how far the next lies behind each
    chosen : (n, 4) row of each orientation; turn that leads from it
        (`engine.kernels.matrix.codes`); |a| and |b| of the orientation
    shapes : (n, 2) rows and columns of its picture
    starts : (n_rows, n_planes_stored + 1) where each plane of a row begins in codes and weights
    codes, weights : (n_nonzero,) where each lies, after the interchange; value
    groups : (n_nonzero,) int32, those of `FORWARD`; see `engine.kernels.matrix.decode`
    edge, margin : D; pitches of zeros around the image
    lanes : numbers at each place: 1, or as many as mirror images
        (`engine.operators.matrix.mirror_lanes`)
    image : (n_planes, D² rows pitch + beyond), margins included; size : its rows and its pitch
    image_starts, pitches : (n,) where the picture of each orientation starts in `out`, and how far
        apart its rows are; patches cover it
    offsets : (n,) int32, room for the non-zeros of a plane of a row
    """
    n_planes, pitch = image.shape[0], size[1]
    flat, of_chi = image.reshape(image.size), size[0] * pitch
    # one plane at a time: its phases stay in the cache for all orientations
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
    """The adjoint of `forward`, into the stored planes start ... stop - 1 and their mirror images.

    groups : those of `BACK`
    images : the data of all orientations, each with a border of zeros, `border` along u and v, and
        what patches cover beyond; image_starts, pitches : (n,) where each starts, how far apart
        its rows are
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
                    # only the rectangle of the image that this group covers
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
    """Whether a stored plane represents no other plane.

    Either its mirror images are adjacent lanes, or it is the middle one of an odd number, which is
    its own mirror image and counts once.
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

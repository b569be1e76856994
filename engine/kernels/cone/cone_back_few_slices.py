"""Voxel-driven back projection of few slices at once, for detectors with columns along z.

    out(x) = Σ_views y_view(a, b) / τ²,   (τ a, τ b, τ) = M_view (x, 1)

Symbols, strips and buffers are those of `cone_back_along_x`. Here a and τ are the same in all
slices. The detector rows of a view are therefore interpolated along a once for a strip, and each
slice interpolates between these rows:

    v_j = (y_ij + (a - i) (y_i+1,j - y_ij)) / τ²,   out += v_j + (b - j) (v_j+1 - v_j)

i and j are the integer parts of a and b. The source is in front of all voxels, and no strip is
wider than two registers; see `share_rows`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.blocks import aligned_zeros
from engine.kernels.compile_cache import cached_njit
from engine.kernels.cone.cone_back import MATH, STILL, Corner
from engine.kernels.processor import LANES
from engine.kernels.vectors.registers import (
    MAX_DISTANCE,
    above,
    below,
    either,
    every,
    higher,
    lower,
    picked,
    ramp,
    read,
    read_some,
    real,
    short,
    tent,
    whole,
    write,
    write_some,
)

_KERNEL = cached_njit(**MATH)
_INLINE = njit(inline="always", **MATH)

VIEWS, LINES = 32, 16
"""Views and lines of voxels that are processed together, so that their pixels stay in the cache."""
MAX_RISE = 3.0
"""Maximum detector rows from slice to slice; for more, slices share too few rows."""
_PARTS = 8
"""Parts of the volume along y in which the width of strips is bounded."""
_SAME_ROW = 1e-9
"""Distance from a row, in rows, below which the next row has no weight."""


class SliceBuffers(NamedTuple):
    """Working memory of a thread: a strip of all slices in `VIEWS` views.

    Attributes
    ----------
    lines : (LINES, 3, VIEWS) τ a, τ b and τ at x = z = 0 of each line
    reals : (5, VIEWS) τ a and τ at the first voxel and their steps, and the last column; columns
        count from the first pixel
    wholes : (3, VIEWS) first column, first row of all slices, number of rows; 0 rows if no slice
        projects onto the detector
    heights : (2 * n_z * VIEWS,) τ b of each slice at the first voxel, then its steps; rows count
        from the first row of the slice
    rows : (2 * n_z * VIEWS,) first row of each slice, then the number of rows after it
    values : (n_rows, LANES) v_j of a view
    sums : (n_z, LANES) voxels of the strip
    """

    lines: Array
    reals: Array
    wholes: Array
    heights: Array
    rows: Array
    values: Array
    sums: Array


def slice_buffers(n_z: int, n_rows: int) -> SliceBuffers:
    """Return the working memory of a thread.

    Parameters
    ----------
    n_z
        slices to compute
    n_rows
        rows of the detector, including the border
    """
    return SliceBuffers(
        np.empty((LINES, 3, VIEWS)),
        aligned_zeros((5, VIEWS)),
        np.empty((3, VIEWS), np.int32),
        aligned_zeros((2 * n_z * VIEWS,)),
        np.empty(2 * n_z * VIEWS, np.int32),
        aligned_zeros((n_rows, LANES)),
        aligned_zeros((n_z, LANES)),
    )


def share_rows(matrices: Array, shape: tuple[int, int, int]) -> bool:
    """Return True if `few_slices` is defined for a volume, and faster than `along_x`.

    Parameters
    ----------
    matrices
        (n_views, 3, 4) from voxels to the detector
    shape
        (n_z, n_y, n_x) of the volume
    """
    n_z, n_y, n_x = shape
    if n_z == 1:
        return False
    # Corners (x, y, z) of parts along y. The last strip can end outside the volume.
    ends = [(0, -(-n_x // LANES) * LANES), np.linspace(0, n_y, _PARTS + 1), (0, n_z)]
    corners = np.stack([*np.meshgrid(*ends, indexing="ij"), np.ones((2, _PARTS + 1, 2))])
    seen = np.tensordot(matrices, corners, 1)
    depth = seen[:, 2]
    if (depth <= 0).any():
        return False
    by_z = np.abs(matrices[:, ::2, 2]) * n_z
    is_same = (by_z <= STILL * np.abs(seen[:, ::2]).max(axis=(2, 3, 4))).all()
    # ∂a/∂x times τ² is linear, so its maximum in each part is in a corner.
    by_a, by_depth = (matrices[:, row, 0, None, None, None] for row in (0, 2))
    by_x = np.abs(by_a * depth - by_depth * seen[:, 0])
    most = np.maximum(by_x[:, :, :-1], by_x[:, :, 1:])
    nearest = np.minimum(depth[:, :, :-1], depth[:, :, 1:])
    width = (LANES - 1) * (most / nearest**2).max()
    rise = (np.abs(matrices[:, 1, 2]) / depth.T).max()
    return bool(is_same and width <= MAX_DISTANCE - 1 and rise <= MAX_RISE)


@_INLINE
def _place_line(
    y: float, view: int, n_views: int, entries: Array, lines: Array, first: int
) -> None:
    """Compute τ a, τ b and τ at x = z = 0 for some views, from lines[first]."""
    n, ys = entries.shape[2], every(y)
    for v in range(0, n_views, LANES):
        for row in range(3):
            at = 4 * row * n + view + v
            value = read(entries, at + n) * ys + read(entries, at + 3 * n)
            write(value, lines, first + row * VIEWS + v)


@_INLINE
def _place_strip(
    x: float, line: int, z_0: int, view: int, n_views: int, entries: Array,
    sizes: tuple[int, int], strip: SliceBuffers,
) -> None:  # fmt: skip
    """Find the pixels of the strips from x of a line in some views, `LANES` views at once."""
    n, xs, steps, zero, one = (
        entries.shape[2], every(x), every(LANES - 1.0), every(0.0), every(1.0),
    )  # fmt: skip
    lines, reals, wholes, first = strip.lines, strip.reals, strip.wholes, 3 * VIEWS * line
    last_a, last_b, same = every(sizes[0] - 1.0), every(sizes[1] - 1.0), every(_SAME_ROW)
    n_z = strip.sums.shape[0]
    for v in range(0, n_views, LANES):
        by_a, by_b = read(entries, view + v), read(entries, 4 * n + view + v)
        by_depth, rise = read(entries, 8 * n + view + v), read(entries, 6 * n + view + v)
        depth = read(lines, first + 2 * VIEWS + v) + xs * by_depth
        depth_a = read(lines, first + v) + xs * by_a
        depth_b = read(lines, first + VIEWS + v) + xs * by_b
        end = depth + steps * by_depth
        # One division for both ends, because it takes as long as all other operations.
        q_both = one / (depth * end)
        q, q_end = end * q_both, depth * q_both
        a, a_end = depth_a * q, (depth_a + steps * by_a) * q_end
        low_a, high_a = higher(lower(a, a_end), zero), lower(higher(a, a_end), last_a)
        is_hit = low_a <= high_a
        i = below(lower(low_a, last_a))
        lowest, highest = last_b, zero
        for k in range(n_z):
            depth_z = depth_b + every(z_0 + k + 0.5) * rise
            b, b_end = depth_z * q, (depth_z + steps * by_b) * q_end
            # Limited to the border, which is zero.
            j = below(higher(lower(lower(b, b_end) + same, last_b), zero))
            j_end = above(higher(lower(higher(b, b_end) - same, last_b), zero))
            lowest, highest = lower(lowest, j), higher(highest, j_end)
            at = k * VIEWS + v
            write(whole(j), strip.rows, at)
            write(whole(j_end - j), strip.rows, n_z * VIEWS + at)
            write(short(depth_z - j * depth), strip.heights, at)
            write(short(by_b - j * by_depth), strip.heights, n_z * VIEWS + at)
        write(whole(i), wholes, v)
        write(whole(lowest), wholes, VIEWS + v)
        write(whole(either(is_hit, highest - lowest + one, zero)), wholes, 2 * VIEWS + v)
        write(short(depth_a - i * depth), reals, v)
        write(short(by_a - i * by_depth), reals, VIEWS + v)
        write(short(depth), reals, 2 * VIEWS + v)
        write(short(by_depth), reals, 3 * VIEWS + v)
        write(short(last_a - i), reals, 4 * VIEWS + v)


@_INLINE
def _add_view(strip: SliceBuffers, n: int, first: int, width: int, projections: Array) -> None:
    """Add view n to the strip of each slice.

    first : index of the first pixel; width : columns of the detector
    """
    reals, values, sums = strip.reals, strip.values, strip.sums
    zero, one, n_z = every(np.float32(0.0)), every(np.float32(1.0)), sums.shape[0]
    per_depth = one / ramp(reals[2, n], reals[3, n])
    # Limited to the border, which is zero.
    a = higher(lower(ramp(reals[0, n], reals[1, n]) * per_depth, every(reals[4, n])), zero)
    i = whole(a)
    part, weight = a - real(i), per_depth * per_depth
    for r in range(strip.wholes[2, n]):
        near, far = picked(projections, first + r * width, i)
        write((near + part * (far - near)) * weight, values, r * LANES)
    lowest = strip.wholes[1, n]
    heights, rows = strip.heights, strip.rows
    slopes, mores = heights.size // 2, rows.size // 2
    for k in range(n_z):
        here = n + k * VIEWS
        at, more = (rows[here] - lowest) * LANES, rows[mores + here]
        total = read(values, at)
        if more > 0:
            b = ramp(heights[here], heights[slopes + here]) * per_depth
            if more == 1:
                # Outside the detector, the nearer row is the border.
                b = higher(lower(b, one), zero)
                total = total + b * (read(values, at + LANES) - total)
            else:
                total = tent(b) * total
                for m in range(1, more + 1):
                    share = tent(b - every(np.float32(np.int32(m))))
                    total = total + share * read(values, at + m * LANES)
        write(read(sums, k * LANES) + total, sums, k * LANES)


@_KERNEL
def few_slices(
    start: int, stop: int, entries: Array, corner: Corner, projections: Array,
    strip: SliceBuffers, out: Array,
) -> None:  # fmt: skip
    """Add all views to the lines start ... stop - 1 of all slices, counted along y.

    Each voxel adds the views in order, and its bits do not depend on the box.

    Parameters
    ----------
    start, stop
        range of lines
    entries
        matrices of the whole volume, from `strip_entries`
    corner
        voxel (y, x, z) of the volume at the first voxel of `out`
    projections
        (n_views, n_rows, n_columns) with a border of one zero pixel, from `aligned_zeros`
    strip
        working memory of this thread, for the slices of `out`
    out
        (n_z, n_y, n_x), any box of the volume
    """
    n_z, n_y, n_x = out.shape
    n_views, n_rows, width = projections.shape
    for block in range(start, stop, LINES):
        for view in range(0, n_views, VIEWS):
            n_in_block = min(VIEWS, n_views - view)
            lines = range(block, min(block + LINES, stop))
            for line in lines:
                y, first = corner[0] + line + 0.5, 3 * VIEWS * (line - block)
                _place_line(y, view, n_in_block, entries, strip.lines, first)
            # Strips of neighbouring lines read the same pixels.
            for x in range(corner[1] // LANES * LANES, corner[1] + n_x, LANES):
                ends = max(corner[1] - x, 0), min(corner[1] + n_x - x, LANES)
                for line in lines:
                    _place_strip(
                        x + 0.5, line - block, corner[2], view, n_in_block, entries,
                        (width, n_rows), strip,
                    )  # fmt: skip
                    at = line * n_x + x - corner[1]
                    for k in range(n_z):
                        some = read_some(out, at + k * n_y * n_x, ends[0], ends[1])
                        write(some, strip.sums, k * LANES)
                    for n in range(n_in_block):
                        if strip.wholes[2, n] > 0:
                            row = (view + n) * n_rows + strip.wholes[1, n]
                            first = row * width + strip.wholes[0, n]
                            _add_view(strip, n, first, width, projections)
                    for k in range(n_z):
                        some = read(strip.sums, k * LANES)
                        write_some(some, out, at + k * n_y * n_x, ends[0], ends[1])

"""Voxel-driven back projection with one register of voxels along x, for volumes of few slices.

    out(x) = Σ_views y_view(a, b) / τ²,   (τ a, τ b, τ) = M_view (x, 1)

Symbols and units are those of `cone_back`. A strip is `LANES` voxels along x, with first voxels at
multiples of `LANES`. Along a strip, τ a, τ b and τ are linear, so a register needs one division.
The pixels of a strip are in few detector rows, and in each row within two registers:

    y(a, b) = Σ_rows j  max(0, 1 - |b - j|) · (y_ij + (a - i) (y_i+1,j - y_ij)),   i = ⌊a⌋

Positions of the first and the last voxel are float64. The lanes count from the first pixel of the
strip, so that float32 has seven digits for at most 32 pixels. If a strip is too wide, or crosses
the plane of the source, each voxel reads its four pixels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.kernels.blocks import aligned_zeros
from engine.kernels.compile_cache import cached_njit
from engine.kernels.cone.cone_back import MATH, Corner
from engine.kernels.processor import LANES
from engine.kernels.vectors.registers import (
    MAX_DISTANCE,
    above,
    below,
    either,
    every,
    gathered,
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
MAX_ROWS = 24.0
"""Maximum detector rows of a strip; for more it is faster to read pixels one by one."""
_SAME_ROW = 1e-9
"""Distance from a row, in rows, below which the next row has no weight."""
_ONE_BY_ONE = -1.0
"""Value instead of a number of rows for strips with pixels that are read one by one."""


class StripBuffers(NamedTuple):
    """Working memory of a thread: a strip in `VIEWS` views.

    Attributes
    ----------
    lines : (LINES, 3, VIEWS) τ a, τ b and τ at x = 0 of each line
    reals : (8, VIEWS) τ a, τ b and τ at the first voxel and their steps, last column and row;
        columns and rows count from the first pixel
    wholes : (2, VIEWS) index of the first pixel in its view, number of rows
    """

    lines: Array
    reals: Array
    wholes: Array


def strip_buffers() -> StripBuffers:
    """Return the working memory of a thread."""
    return StripBuffers(
        np.empty((LINES, 3, VIEWS)), aligned_zeros((8, VIEWS)), np.empty((2, VIEWS), np.int32)
    )


def strip_entries(matrices: Array) -> Array:
    """Return matrices (n_views, 3, 4) for `along_x`: (3, 4, n), n a multiple of `LANES`.

    Columns and rows count from the centre of the first pixel of the border.

    Parameters
    ----------
    matrices
        (n_views, 3, 4) from voxels to the detector
    """
    shifted = matrices.copy()
    shifted[:, :2] += 0.5 * matrices[:, 2:]
    more = -len(matrices) % LANES
    return np.pad(shifted.transpose(1, 2, 0), ((0, 0), (0, 0), (0, more)), mode="edge")


@_INLINE
def _place_line(
    y: float, z: float, view: int, n_views: int, entries: Array, lines: Array, first: int
) -> None:
    """Compute τ a, τ b and τ at x = 0 for some views, from lines[first]."""
    n, (ys, zs) = entries.shape[2], (every(y), every(z))
    for v in range(0, n_views, LANES):
        for row in range(3):
            at = 4 * row * n + view + v
            by_y, by_z = read(entries, at + n) * ys, read(entries, at + 2 * n) * zs
            write(by_y + by_z + read(entries, at + 3 * n), lines, first + row * VIEWS + v)


@_INLINE
def _place_strip(
    x: float, line: int, view: int, n_views: int, entries: Array, sizes: tuple[int, int],
    strip: StripBuffers,
) -> None:  # fmt: skip
    """Find the pixels of the strip from x of a line in some views, `LANES` views at once."""
    n, xs, steps, zero, one = (
        entries.shape[2], every(x), every(LANES - 1.0), every(0.0), every(1.0),
    )  # fmt: skip
    lines, reals, wholes, first = strip.lines, strip.reals, strip.wholes, 3 * VIEWS * line
    last_a, last_b, same = every(sizes[0] - 1.0), every(sizes[1] - 1.0), every(_SAME_ROW)
    width, half = every(sizes[0] * 1.0), every(0.5)
    for v in range(0, n_views, LANES):
        by_a, by_b = read(entries, view + v), read(entries, 4 * n + view + v)
        by_depth = read(entries, 8 * n + view + v)
        depth = read(lines, first + 2 * VIEWS + v) + xs * by_depth
        depth_a = read(lines, first + v) + xs * by_a
        depth_b = read(lines, first + VIEWS + v) + xs * by_b
        end = depth + steps * by_depth
        # One division for both ends, because it takes as long as all other operations.
        q_both = one / (depth * end)
        q, q_end = end * q_both, depth * q_both
        a, a_end = depth_a * q, (depth_a + steps * by_a) * q_end
        b, b_end = depth_b * q, (depth_b + steps * by_b) * q_end
        low_a, high_a = higher(lower(a, a_end), zero), lower(higher(a, a_end), last_a)
        low_b, high_b = higher(lower(b, b_end), zero), lower(higher(b, b_end), last_b)
        is_ahead = (zero < depth) & (zero < end)
        is_hit = is_ahead & (low_a <= high_a) & (low_b <= high_b)
        i, j = below(low_a), below(low_b + same)
        n_rows = higher(above(high_b - same) - j, zero) + one
        is_narrow = (below(high_a) - i <= every(MAX_DISTANCE * 1.0)) & (n_rows <= every(MAX_ROWS))
        # A wide strip counts from its middle, where float32 has most digits.
        i = either(is_hit, either(is_narrow, i, below((low_a + high_a) * half)), zero)
        j = either(is_hit, either(is_narrow, j, below((low_b + high_b) * half)), zero)
        # A strip across the plane of the source has no bounds. A strip behind this plane is
        # skipped.
        is_crossed = (zero < depth) | (zero < end)
        missed = either(is_crossed & (end * depth <= zero), every(_ONE_BY_ONE), zero)
        n_rows = either(is_narrow, n_rows, every(_ONE_BY_ONE))
        write(whole(j * width + i), wholes, v)
        write(whole(either(is_hit, n_rows, missed)), wholes, VIEWS + v)
        write(short(depth_a - i * depth), reals, v)
        write(short(by_a - i * by_depth), reals, VIEWS + v)
        write(short(depth_b - j * depth), reals, 2 * VIEWS + v)
        write(short(by_b - j * by_depth), reals, 3 * VIEWS + v)
        write(short(depth), reals, 4 * VIEWS + v)
        write(short(by_depth), reals, 5 * VIEWS + v)
        write(short(last_a - i), reals, 6 * VIEWS + v)
        write(short(last_b - j), reals, 7 * VIEWS + v)


@_INLINE
def _in_rows(strip: StripBuffers, n: int, first: int, width: int, projections: Array):  # type: ignore[no-untyped-def]
    """Return y / τ² of a strip in view n, from the register pairs at its first pixel."""
    reals = strip.reals
    zero, one, n_rows = every(np.float32(0.0)), every(np.float32(1.0)), strip.wholes[1, n]
    per_depth = one / ramp(reals[4, n], reals[5, n])
    # Limited to the border, which is zero.
    a = higher(lower(ramp(reals[0, n], reals[1, n]) * per_depth, every(reals[6, n])), zero)
    i = whole(a)
    part = a - real(i)
    near, far = picked(projections, first, i)
    total = near + part * (far - near)
    if n_rows > 1:
        b = ramp(reals[2, n], reals[3, n]) * per_depth
        near, far = picked(projections, first + width, i)
        value = near + part * (far - near)
        if n_rows == 2:
            # Outside the detector, the nearer row is the border.
            total = total + higher(lower(b, one), zero) * (value - total)
        else:
            total = tent(b) * total + tent(b - one) * value
            for j in range(2, n_rows):
                near, far = picked(projections, first + j * width, i)
                value = near + part * (far - near)
                total = total + tent(b - every(np.float32(np.int32(j)))) * value
    return total * (per_depth * per_depth)


@_INLINE
def _one_by_one(  # type: ignore[no-untyped-def]
    strip: StripBuffers, n: int, first: int, sizes: tuple[int, int], projections: Array
):
    """Return y / τ² of a strip in view n, for pixels anywhere on the detector."""
    reals = strip.reals
    zero, one = every(np.float32(0.0)), every(np.float32(1.0))
    depth = ramp(reals[4, n], reals[5, n])
    per_depth = either(zero < depth, one / depth, zero)
    a, b = ramp(reals[0, n], reals[1, n]) / depth, ramp(reals[2, n], reals[3, n]) / depth
    # Limited to the border; the last pixel but one, because the next one is also read.
    last_a, last_b = reals[6, n], reals[7, n]
    first_a, first_b = last_a - np.float32(sizes[0] - 1), last_b - np.float32(sizes[1] - 1)
    a = higher(lower(a, every(last_a)), every(first_a))
    b = higher(lower(b, every(last_b)), every(first_b))
    i, j = below(lower(a, every(last_a) - one)), below(lower(b, every(last_b) - one))
    a, b, i, j, width = a - i, b - j, whole(i), whole(j), sizes[0]
    place = i + j * every(np.int32(width))
    near, far = gathered(projections, first, place), gathered(projections, first + 1, place)
    low = near + a * (far - near)
    near = gathered(projections, first + width, place)
    far = gathered(projections, first + width + 1, place)
    high = near + a * (far - near)
    return (low + b * (high - low)) * (per_depth * per_depth)


@_KERNEL
def along_x(
    start: int, stop: int, entries: Array, corner: Corner, projections: Array,
    strip: StripBuffers, out: Array,
) -> None:  # fmt: skip
    """Add all views to the lines of voxels start ... stop - 1, counted through (z, y).

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
        working memory of this thread
    out
        (n_z, n_y, n_x), any box of the volume
    """
    n_y, n_x = out.shape[1], out.shape[2]
    n_views, n_rows, width = projections.shape
    for block in range(start, stop, LINES):
        for view in range(0, n_views, VIEWS):
            n_in_block = min(VIEWS, n_views - view)
            lines = range(block, min(block + LINES, stop))
            for line in lines:
                z, y = corner[2] + line // n_y + 0.5, corner[0] + line % n_y + 0.5
                first = 3 * VIEWS * (line - block)
                _place_line(y, z, view, n_in_block, entries, strip.lines, first)
            # Strips of neighbouring lines read the same pixels.
            for x in range(corner[1] // LANES * LANES, corner[1] + n_x, LANES):
                ends = max(corner[1] - x, 0), min(corner[1] + n_x - x, LANES)
                for line in lines:
                    _place_strip(
                        x + 0.5, line - block, view, n_in_block, entries, (width, n_rows), strip
                    )
                    at = line * n_x + x - corner[1]
                    total = read_some(out, at, ends[0], ends[1])
                    for n in range(n_in_block):
                        seen = strip.wholes[1, n]
                        first = (view + n) * n_rows * width + strip.wholes[0, n]
                        if seen > 0:
                            total = total + _in_rows(strip, n, first, width, projections)
                        elif seen < 0:
                            total = total + _one_by_one(
                                strip, n, first, (width, n_rows), projections
                            )
                    write_some(total, out, at, ends[0], ends[1])

"""EM numerators of several bootstrap replicates of a scan.

    x_c · Aᵀ( y_c / (A x_c + b) ),    c = 1 ... n

x_c : image of replicate c
y_c : counts of the rows in replicate c (`engine.kernels.rays.event_weights`)
b : background

A ray is traced once for all replicates. Images are interleaved in bricks: the values of all
replicates at a voxel are adjacent in memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array, only_read
from engine.kernels.blocks import OnProgress, padded, run_blocks, sum_blocks
from engine.kernels.compile_cache import cached_njit
from engine.kernels.rays.bricks import SHIFT, Bricks, steps
from engine.kernels.rays.event_weights import THRESHOLDS, Draws, draw
from engine.kernels.rays.slice_tracing import EventRows, Shape, trace_exact
from engine.kernels.rays.taps import MATH, STRICT, Taps, keep, taps
from engine.kernels.rows_ahead import TapBuffers, no_traced_rows, tap_buffers, trace_next
from engine.kernels.units import in_units, peak_of, row_unit, share_unit
from engine.kernels.vectors.replicates import LANES, gather_lanes, scatter_lanes

_KERNEL = cached_njit(**MATH)
_EXACT = cached_njit(**STRICT)
_INLINE = njit(inline="always", **STRICT)

_MIN_EXPECTED = 1e-24
"""Rows with at most these expected counts are skipped, as in `engine.kernels.rays.ray_tracing`."""


@_KERNEL
def numerators(
    start: int, stop: int, rows: EventRows, shape: Shape, space: TapBuffers,
    images: Array, background: Array, counts: Array, draws: Draws, weights: Array, values: Array,
    sums: Array,
) -> None:  # fmt: skip
    """Add Aᵀ(y / q) of some rows to the sums of all replicates, q = A x + b.

    Parameters
    ----------
    start, stop
        range of rows
    rows
        all rays
    shape
        shape of an image with its border
    space
        working memory of the thread, with the lanes as stride
    images
        flat float32, interleaved in bricks
    background
        (n_rows,), or empty
    counts
        (n_rows,), or empty if each row is one event
    draws
        weights of the rows
    weights, values
        (n_lanes,) working memory of the thread
    sums
        flat float32, interleaved in bricks
    """
    here, ahead = no_traced_rows(space)
    for row in range(start - 1, stop):
        here, ahead = ahead, trace_next(row + 1, stop, rows, shape, here.taps)
        if row < start:
            continue
        draw(draws, row, counts[row] if counts.size else 1.0, weights)
        places, lengths = here.taps.nonzero_voxel, here.taps.nonzero_length
        for first in range(0, len(values), LANES):
            gather_lanes(images, places, lengths, here.n, first, values)
        scale, rest = np.float32(here.scale), np.float32(0.0)
        if background.size:
            rest = background[row]
        for lane in range(len(values)):
            q = values[lane] * scale + rest
            values[lane] = scale * weights[lane] / q if q > _MIN_EXPECTED else np.float32(0.0)
        for first in range(0, len(values), LANES):
            scatter_lanes(sums, places, lengths, here.n, first, values)


@_EXACT
def numerators_exact(
    start: int, stop: int, rows: EventRows, shape: Shape, taps: Taps,
    images: Array, row_units: Array, background: Array, draws: Draws, weights: Array,
    values: Array, unit: float, sums: Array,
) -> None:  # fmt: skip
    """Add the numerators of some events to int64 sums.

    The result has the bits of `ray_tracing.update_exact` on a list that contains each event as
    often as its weight, for any number of threads.

    Parameters
    ----------
    start, stop
        range of rows
    rows
        all rays
    shape
        shape of an image with its border
    taps
        working memory of the thread, with the lanes as stride
    images
        flat float32, interleaved in bricks
    row_units
        (n_lanes,) units per 1 of the sum of a row through each image
    background
        (n_rows,), or empty
    draws
        weights of the rows
    weights, values
        (n_lanes,) working memory of the thread
    unit
        units per 1 of `sums`
    sums
        flat int64, interleaved in bricks
    """
    real = images.dtype.type
    for row in range(start, stop):
        draw(draws, row, 1.0, weights)
        n_slabs, scale = trace_exact(row, rows, shape, taps)
        n, rest = keep(n_slabs, taps), real(0.0)
        if background.size:
            rest = background[row]
        for lane in range(len(values)):
            total = _slab_sum(images, n_slabs, taps, lane, row_units[lane])
            q = total * real(scale) + rest
            if q > real(_MIN_EXPECTED) and weights[lane] > 0:
                share = real(scale) / q * real(unit)
                _scatter_lane(sums, images, taps, n, lane, share, int(weights[lane]))


@_INLINE
def _slab_sum(images: Array, n_slabs: int, taps: Taps, lane: int, unit: float) -> float:
    """Return the sum of a row through one image, with the slabs summed in integers."""
    voxel, length = taps.voxel, taps.length
    real = length.dtype.type
    half, total = real(0.5), np.int64(0)
    for k in range(n_slabs):
        slab = length[0, k] * images[voxel[0, k] + lane]
        slab += length[1, k] * images[voxel[1, k] + lane]
        slab += length[2, k] * images[voxel[2, k] + lane]
        slab *= real(unit)
        total += np.int64(slab + math.copysign(half, slab))
    return real(total) * real(1.0 / unit)


@_INLINE
def _scatter_lane(
    sums: Array, images: Array, taps: Taps, n: int, lane: int, value: float, weight: int
) -> None:
    """Add weight times the rounded value · length · image to the voxels of n taps."""
    voxel, length = taps.nonzero_voxel, taps.nonzero_length
    half = length.dtype.type(0.5)
    for k in range(n):
        share = value * (length[k] * images[voxel[k] + lane])
        sums[voxel[k] + lane] += weight * np.int64(share + math.copysign(half, share))


@_KERNEL
def _write(images: Array, n_lanes: int, start: int, stop: int, bricks: Array) -> None:
    n, nz, ny, nx = images.shape
    (step_x, jump_x), (step_y, jump_y), (step_z, _) = steps((nz + 2, ny + 2, nx + 2), n_lanes)
    for z in range(start + 1, stop + 1):
        for y in range(1, ny + 1):
            row = z * step_z + y * step_y + (y >> SHIFT) * jump_y
            for c in range(n):
                for x in range(1, nx + 1):
                    at = row + x * step_x + (x >> SHIFT) * jump_x
                    bricks[at + c] = images[c, z - 1, y - 1, x - 1]


@_KERNEL
def _add(bricks: Array, n_lanes: int, start: int, stop: int, images: Array) -> None:
    n, nz, ny, nx = images.shape
    (step_x, jump_x), (step_y, jump_y), (step_z, _) = steps((nz + 2, ny + 2, nx + 2), n_lanes)
    for z in range(start + 1, stop + 1):
        for y in range(1, ny + 1):
            row = z * step_z + y * step_y + (y >> SHIFT) * jump_y
            for c in range(n):
                for x in range(1, nx + 1):
                    at = row + x * step_x + (x >> SHIFT) * jump_x
                    images[c, z - 1, y - 1, x - 1] += bricks[at + c]


@dataclass(frozen=True)
class Interleaved:
    """Several images in bricks, interleaved voxel by voxel.

    Attributes
    ----------
    shape : (n, n_z, n_y, n_x)
    dtype : dtype of the values
    """

    shape: tuple[int, int, int, int]
    dtype: DTypeLike

    @property
    def n_lanes(self) -> int:
        """Values of a voxel: the number of images, rounded up to whole vectors."""
        return -(-self.shape[0] // LANES) * LANES

    @property
    def n_bytes(self) -> int:
        """Bytes of all images."""
        return Bricks(self.shape[1:], self.dtype, self.n_lanes).n_bytes

    def empty(self) -> Array:
        """Return images of zeros."""
        return np.zeros(Bricks(self.shape[1:], self.dtype, self.n_lanes).n_values, self.dtype)

    def arranged(self, images: Array, threads: int) -> Array:
        """Return images interleaved in bricks, flat; borders and further lanes are 0.

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x)
        threads
            number of threads
        """
        bricks, plain = self.empty(), np.ascontiguousarray(images, self.dtype)

        def planes(_: int, start: int, stop: int) -> None:
            _write(plain, self.n_lanes, start, stop, bricks)

        run_blocks(planes, self.shape[1], threads, smallest=1)
        return bricks

    def total(self, parts: Sequence[Array], threads: int) -> Array:
        """Return the sum of interleaved images, (n, n_z, n_y, n_x).

        Parameters
        ----------
        parts
            interleaved images, added in this order
        threads
            number of threads
        """
        images = np.zeros(self.shape, self.dtype)

        def planes(_: int, start: int, stop: int) -> None:
            for part in parts:
                _add(part, self.n_lanes, start, stop, images)

        run_blocks(planes, self.shape[1], threads, smallest=1)
        return images


def host_numerators(
    rows: EventRows,
    images: NDArray[np.float32],
    background: Array | None,
    counts: Array | None,
    draws: Draws,
    *,
    threads: int,
    is_exact: bool,
    on_progress: OnProgress | None = None,
    rows_at_once: int = 0,
) -> NDArray[np.float32]:
    """Return the numerators of all rows by CPU threads, (n, n_z, n_y, n_x).

    Parameters
    ----------
    rows
        all rays
    images
        (n, n_z, n_y, n_x) images of the replicates, not negative
    background
        (n_rows,) expected additive counts; None: none
    counts
        (n_rows,) measured counts; None: one each
    draws
        weights of the rows in n replicates
    threads
        maximum number of threads
    is_exact
        True for integer sums of events without counts, with the same bits for any number of threads
    on_progress
        called about five times a second; can raise to stop
    rows_at_once
        rows of a block; 0: derived from the numbers of rows and threads
    """
    layout = Interleaved(images.shape, np.float32)
    flat, shape = layout.arranged(images, threads), padded(images.shape[1:])
    rest, measured = column_of(background), column_of(counts)
    n_lanes, n_rows = layout.n_lanes, len(rows.ends)
    row_units = np.ones(n_lanes)
    if is_exact:
        row_units[: len(images)] = [row_unit(peak_of(x), x.shape) for x in images]
    unit = share_unit(n_rows * len(THRESHOLDS)) if is_exact else 1.0

    def work(sums: Array, start: int, stop: int) -> None:
        weights, values = np.zeros(n_lanes, np.float32), np.empty(n_lanes, np.float32)
        if is_exact:
            space = taps(shape, np.float32, n_lanes)
            numerators_exact(
                start, stop, rows, shape, space, flat, row_units, rest, draws, weights, values,
                unit, sums,
            )  # fmt: skip
        else:
            ahead = tap_buffers(shape, np.float32, flat.nbytes, n_lanes)
            numerators(
                start, stop, rows, shape, ahead, flat, rest, measured, draws, weights, values, sums
            )

    sums = Interleaved(images.shape, np.int64 if is_exact else np.float32)
    total = sum_blocks(
        work, n_rows, sums, threads=threads, on_progress=on_progress, rows=rows_at_once
    )
    found = in_units(total, unit, np.float32)
    # Integer sums contain the image already, which bounds them. Floating-point sums do not: one
    # product per voxel is cheaper.
    return found if is_exact else np.multiply(found, images, out=found)


def column_of(values: Array | None) -> Array:
    """Return a column of rows for the kernels; empty without values.

    Parameters
    ----------
    values
        (n_rows,), or None
    """
    column = np.empty(0, np.float32) if values is None else values
    return only_read(np.ascontiguousarray(column, np.float32))

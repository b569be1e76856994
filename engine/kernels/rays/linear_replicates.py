"""Back projections of several bootstrap replicates at once, for errors from the Hessian.

    noise       Aᵀ( (y_c − y) / q ),    c = 1 ... n
    curvature   Aᵀ( w · A v_c )

y_c : counts of the rows in replicate c (`engine.kernels.rays.event_weights`)
y, q : measured and expected counts
w : weights of the rows
v_c : image of replicate c

A ray is traced once for all replicates (`engine.kernels.rays.replicates`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.kernels.blocks import OnProgress, padded, sum_blocks
from engine.kernels.compile_cache import cached_njit
from engine.kernels.rays.event_weights import Draws, draw
from engine.kernels.rays.replicates import Interleaved, column_of
from engine.kernels.rays.slice_tracing import EventRows, Shape
from engine.kernels.rays.taps import MATH
from engine.kernels.rows_ahead import TapBuffers, no_traced_rows, tap_buffers, trace_next
from engine.kernels.vectors.replicates import LANES, gather_lanes, scatter_lanes

_KERNEL = cached_njit(**MATH)


@_KERNEL
def noise(
    start: int, stop: int, rows: EventRows, shape: Shape, space: TapBuffers,
    counts: Array, inverse: Array, draws: Draws, weights: Array, values: Array, sums: Array,
) -> None:  # fmt: skip
    """Add Aᵀ((y_c − y) / q) of some rows to the sums of all replicates.

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
    counts
        (n_rows,) y, or empty if each row is one event
    inverse
        (n_rows,) 1 / q; 0 for rows that are left out
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
        if row < start or inverse[row] == 0:
            continue
        count = counts[row] if counts.size else 1.0
        draw(draws, row, count, weights)
        factor = np.float32(here.scale) * inverse[row]
        for lane in range(len(values)):
            values[lane] = factor * (weights[lane] - count)
        places, lengths = here.taps.nonzero_voxel, here.taps.nonzero_length
        for first in range(0, len(values), LANES):
            scatter_lanes(sums, places, lengths, here.n, first, values)


@_KERNEL
def curvature(
    start: int, stop: int, rows: EventRows, shape: Shape, space: TapBuffers,
    images: Array, weights: Array, values: Array, sums: Array,
) -> None:  # fmt: skip
    """Add Aᵀ(w · A v_c) of some rows to the sums of all images.

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
        flat float32, v_c interleaved in bricks
    weights
        (n_rows,) w
    values
        (n_lanes,) working memory of the thread
    sums
        flat float32, interleaved in bricks
    """
    here, ahead = no_traced_rows(space)
    for row in range(start - 1, stop):
        here, ahead = ahead, trace_next(row + 1, stop, rows, shape, here.taps)
        if row < start or weights[row] == 0:
            continue
        places, lengths = here.taps.nonzero_voxel, here.taps.nonzero_length
        factor = np.float32(here.scale) * np.float32(here.scale) * weights[row]
        for first in range(0, len(values), LANES):
            gather_lanes(images, places, lengths, here.n, first, values)
        for lane in range(len(values)):
            values[lane] *= factor
        for first in range(0, len(values), LANES):
            scatter_lanes(sums, places, lengths, here.n, first, values)


def host_noise(
    rows: EventRows,
    shape: tuple[int, ...],
    counts: Array | None,
    inverse: Array,
    draws: Draws,
    **sharing: Any,
) -> NDArray[np.float32]:
    """Return Aᵀ((y_c − y) / q) of all replicates by CPU threads, (n, n_z, n_y, n_x).

    Parameters
    ----------
    rows
        all rays
    shape
        (n_z, n_y, n_x) of an image
    counts
        (n_rows,) y; None: one each
    inverse
        (n_rows,) 1 / q; 0 for rows that are left out
    draws
        weights of the rows in n replicates
    sharing
        threads, `on_progress` and `rows_at_once` as in `host_numerators`
    """
    measured, factors = column_of(counts), column_of(inverse)

    def add(sums: Array, start: int, stop: int, space: TapBuffers, values: Array) -> None:
        weights = np.zeros_like(values)
        noise(
            start, stop, rows, padded(shape), space, measured, factors, draws, weights, values, sums
        )

    n_z, n_y, n_x = shape
    return _summed(add, rows, (draws.n, n_z, n_y, n_x), **sharing)


def host_curvature(
    rows: EventRows, images: NDArray[np.float32], weights: Array, **sharing: Any
) -> NDArray[np.float32]:
    """Return Aᵀ(w · A v_c) of all images by CPU threads, (n, n_z, n_y, n_x).

    Parameters
    ----------
    rows
        all rays
    images
        (n, n_z, n_y, n_x) v_c
    weights
        (n_rows,) w; 0 for rows that are left out
    sharing
        threads, `on_progress` and `rows_at_once` as in `host_numerators`
    """
    layout, factors = Interleaved(images.shape, np.float32), column_of(weights)
    flat, shape = layout.arranged(images, sharing["threads"]), padded(images.shape[1:])

    def add(sums: Array, start: int, stop: int, space: TapBuffers, values: Array) -> None:
        curvature(start, stop, rows, shape, space, flat, factors, values, sums)

    return _summed(add, rows, images.shape, **sharing)


def _summed(
    add: Callable[[Array, int, int, TapBuffers, Array], None],
    rows: EventRows,
    shape: tuple[int, int, int, int],
    *,
    threads: int,
    on_progress: OnProgress | None = None,
    rows_at_once: int = 0,
) -> NDArray[np.float32]:
    """Return the sums of a kernel over all rows, (n, n_z, n_y, n_x)."""
    layout = Interleaved(shape, np.float32)

    def work(sums: Array, start: int, stop: int) -> None:
        n_bytes = 2 * layout.n_bytes
        space = tap_buffers(padded(shape[1:]), np.float32, n_bytes, layout.n_lanes)
        add(sums, start, stop, space, np.zeros(layout.n_lanes, np.float32))

    return sum_blocks(
        work, len(rows.ends), layout, threads=threads, on_progress=on_progress, rows=rows_at_once
    )

"""Ray tracing by CPU threads."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, only_read
from engine.core.backend import Backend
from engine.core.profiling import Profiler
from engine.kernels.blocks import OnProgress, block_size, padded, run_blocks, sum_blocks
from engine.kernels.host_variants import Sharing
from engine.kernels.rays import ray_tracing as kernels
from engine.kernels.rays.bricks import Bricks, Pairs
from engine.kernels.rays.shares import (
    ImagePool,
    PlaneImages,
    ReusedImages,
    Share,
    shares_of,
    sum_shares,
)
from engine.kernels.rays.slice_tracing import EventRows
from engine.kernels.rays.taps import Taps, taps
from engine.kernels.rows_ahead import TapBuffers, tap_buffers
from engine.kernels.stored_variants import chosen, ray_slot
from engine.kernels.units import in_units, peak_of, row_unit

if TYPE_CHECKING:
    from engine.kernels.rays.event_weights import Draws

Work = Callable[[Array, int, int], None]
"""Function that adds rows start to stop to an image."""

_VOXELS_PER_ROW = 200
"""Measured number of voxels that can be filled and summed in the time that pairs save for a row."""


class HostRays:
    """Rows of a projector on the CPU; see `engine.operators.rays.RayProjector`."""

    def __init__(
        self,
        rows: EventRows,
        shape: tuple[int, ...],
        *,
        dtype: str,
        on: Backend,
        exact: bool,
        form: Sharing | None,
        to_store: Callable[[Array], Array],
        rest: Callable[[], None],
        on_progress: OnProgress | None,
        profiler: Profiler,
    ) -> None:
        self._to_store, self._rest = to_store, rest
        self.rows, self.shape = _only_read(rows), shape
        self.dtype = np.dtype(dtype)
        self._bricks = Bricks(shape, self.dtype)
        slot = ray_slot(prod(shape), is_timed=len(rows.bins) > 0, reproducible=exact)
        form = form or chosen(on, slot, Sharing())
        self._threads, self._rows_at_once = form.workers(on.threads), form.rows
        self._exact, self._on_progress = exact, on_progress
        self._profiler = profiler
        # All parts share the memory, because they work one after the other.
        self._pool = ImagePool()
        self._found: list[Share] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rays."""
        return len(self.rows.ends)

    def _tick(self, done: int, total: int) -> None:
        """Release the memory of rows in files, and report progress."""
        self._rest()
        if self._on_progress is not None:
            self._on_progress(done, total)

    def _copied(self) -> HostRays:
        made = copy(self)
        made._found = None  # the shares of other rows
        return made

    def part(self, first: int, step: int) -> HostRays:
        """Return rows first, first + step, ..., as contiguous copies.

        Parameters
        ----------
        first
            first row
        step
            distance of the rows
        """
        part = self._copied()
        # copied, not strided: kernels are compiled for contiguous arrays, and a subset is used
        # often
        ends = self._to_store(self.rows.ends[first::step])
        bins = self._to_store(self.rows.bins[first::step])
        part.rows = _only_read(self.rows._replace(ends=ends, bins=bins))
        return part

    def selected(self, rows: NDArray[np.int64]) -> HostRays:
        """Return some rows, which can be repeated.

        Parameters
        ----------
        rows
            (n,) numbers of the rows
        """
        part = self._copied()
        ends, bins = self.rows.ends[rows], self.rows.bins
        bins = self._to_store(bins[rows]) if bins.size else bins
        part.rows = _only_read(self.rows._replace(ends=self._to_store(ends), bins=bins))
        return part

    def replicates(
        self, images: Array, background: Array | None, counts: Array | None, draws: Draws
    ) -> Array:
        """Return the numerators of EM updates of several replicates, (n, n_z, n_y, n_x).

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x) image of each replicate
        background
            (n_rows,) expected additive counts; None: none
        counts
            (n_rows,) measured counts; None: one each
        draws
            counts of the rows in each replicate
        """
        # Only runs with replicates compile these kernels.
        from engine.kernels.rays.replicates import host_numerators

        with self._profiler.span("fused", events=self.n_rows):
            return host_numerators(
                self.rows,
                images,
                background,
                counts,
                draws,
                threads=self._threads,
                is_exact=self._exact,
                on_progress=self._tick,
                rows_at_once=self._rows_at_once,
            )

    def noise(self, counts: Array | None, inverse: Array, draws: Draws) -> Array:
        """Return Aᵀ((y_c − y) / q) of all replicates, (n, n_z, n_y, n_x).

        Parameters
        ----------
        counts
            (n_rows,) y; None: one each
        inverse
            (n_rows,) 1 / q; 0 for rows that are left out
        draws
            counts of the rows in each replicate
        """
        from engine.kernels.rays.linear_replicates import host_noise

        with self._profiler.span("back", events=self.n_rows):
            return host_noise(self.rows, self.shape, counts, inverse, draws, **self._sharing)

    def curvature(self, images: Array, weights: Array) -> Array:
        """Return Aᵀ(w · A v_c) of several images, (n, n_z, n_y, n_x).

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x) v_c
        weights
            (n_rows,) w; 0 for rows that are left out
        """
        from engine.kernels.rays.linear_replicates import host_curvature

        with self._profiler.span("fused", events=self.n_rows):
            return host_curvature(self.rows, images, weights, **self._sharing)

    @property
    def _sharing(self) -> dict[str, Any]:
        """Arguments that divide rows among threads."""
        return {
            "threads": self._threads,
            "on_progress": self._tick,
            "rows_at_once": self._rows_at_once,
        }

    def forward(self, x: Array) -> Array:
        """Return line integrals along the rays.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image

        Returns
        -------
        (n_rows,)
        """
        image = self._bricks.arranged(x, self._threads)
        out = np.empty(self.n_rows, self.dtype)
        unit = row_unit(peak_of(x), self.shape) if self._exact else 0.0

        def work(_: int, start: int, stop: int) -> None:
            if self._exact:
                kernels.forward_exact(start, stop, *self._trace(), image, unit, out)
            else:
                kernels.forward(start, stop, *self._trace_ahead(image.nbytes), image, out)

        with self._profiler.span("forward", events=self.n_rows):
            run_blocks(work, self.n_rows, self._threads, self._tick, rows=self._rows_at_once)
        return out

    def back(self, values: Array, unit: float) -> Array:
        """Return the sum of the rays, each times its value.

        Parameters
        ----------
        values
            (n_rows,)
        unit
            units per 1 of integer sums; 1 for floating-point sums

        Returns
        -------
        (n_z, n_y, n_x)
        """
        values = only_read(np.ascontiguousarray(values, self.dtype))

        def work(sums: Array, start: int, stop: int) -> None:
            if self._exact:
                kernels.back_exact(start, stop, *self._trace(), values, unit, sums)
            else:
                trace = self._trace_ahead(self._threads * sums.nbytes)
                kernels.back(start, stop, *trace, values, unit, sums)

        with self._profiler.span("back", events=self.n_rows):
            return self._sum(work, unit)

    def update(self, x: Array, background: Array | None, unit: float) -> tuple[Array, Array]:
        """Return the numerator of the EM update, and the expected counts.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        background
            (n_rows,) expected additive counts; None: none
        unit
            units per 1 of integer sums

        Returns
        -------
        numerator (n_z, n_y, n_x) and expected counts (n_rows,)
        """
        rest = self._rest_of(background)
        expected = np.empty(self.n_rows, self.dtype)
        with self._profiler.span("fused", events=self.n_rows):
            if self._exact:
                return self._update_exact(x, rest, expected, unit), expected
            if self._is_worth_pairs():
                return self._update_pairs(x, rest, expected, unit), expected
            return self._update_bricks(x, rest, expected, unit), expected

    def update_sums(
        self, x: Array, background: Array | None, unit: float
    ) -> tuple[NDArray[np.int64], Array]:
        """Return the sums of `update` for reproducible rays, as integers in 1 / unit.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        background
            (n_rows,) expected additive counts; None: none
        unit
            units per 1

        Returns
        -------
        sums [z, y, x], and expected counts (n_rows,)
        """
        rest = self._rest_of(background)
        expected = np.empty(self.n_rows, self.dtype)
        with self._profiler.span("fused", events=self.n_rows):
            return self._total(self._exactly(x, rest, expected, unit)), expected

    def _rest_of(self, background: Array | None) -> Array:
        """Return the background of each ray; empty if there is none."""
        nothing = np.empty(0, self.dtype)
        rest = nothing if background is None else np.ascontiguousarray(background, self.dtype)
        return only_read(rest)

    def _update_exact(self, x: Array, rest: Array, expected: Array, unit: float) -> Array:
        return self._sum(self._exactly(x, rest, expected, unit), unit)

    def _exactly(self, x: Array, rest: Array, expected: Array, unit: float) -> Work:
        image, per_row = self._bricks.arranged(x, self._threads), row_unit(peak_of(x), self.shape)

        def work(sums: Array, start: int, stop: int) -> None:
            kernels.update_exact(
                start, stop, *self._trace(), image, per_row, rest, expected, unit, sums
            )

        return work

    def _update_bricks(self, x: Array, rest: Array, expected: Array, unit: float) -> Array:
        image = self._bricks.arranged(x, self._threads)

        def work(sums: Array, start: int, stop: int) -> None:
            trace = self._trace_ahead(image.nbytes + self._threads * sums.nbytes)
            kernels.update(start, stop, *trace, image, rest, expected, unit, sums)

        return self._sum(work, unit)

    def _update_pairs(self, x: Array, rest: Array, expected: Array, unit: float) -> Array:
        """Update with each sum adjacent to its value, in the same cache line."""

        def work(pairs: Array, start: int, stop: int) -> None:
            trace = self._trace_ahead(self._threads * pairs.nbytes, stride=2)
            kernels.update(start, stop, *trace, pairs, rest, expected, unit, pairs[1:])

        return self._sum(work, unit, Pairs(x, self.dtype))

    def _is_worth_pairs(self) -> bool:
        """Return True if rows gain more than filling pairs of voxels and summing them costs."""
        n_voxels = self._bricks.n_values
        is_filled_for_less = self._threads * n_voxels < _VOXELS_PER_ROW * self.n_rows
        # positions are 32-bit integers
        return is_filled_for_less and 2 * n_voxels < 1 << 31

    def _trace(self) -> tuple[EventRows, tuple[int, ...], Taps]:
        """Return the arguments of a thread: the rays, the padded shape, and working memory."""
        shape = padded(self.shape)
        # new memory for each call, because calls run in parallel
        return self.rows, shape, taps(shape, self.dtype)

    def _trace_ahead(
        self, n_bytes: int, stride: int = 1
    ) -> tuple[EventRows, tuple[int, ...], TapBuffers]:
        """Return the arguments for kernels that trace one row ahead.

        n_bytes : size of the images of all threads
        """
        shape = padded(self.shape)
        return self.rows, shape, tap_buffers(shape, self.dtype, n_bytes, stride)

    def _sum(self, work: Work, unit: float, images: PlaneImages | None = None) -> Array:
        """Run a kernel that adds to images, in integers if the sums must be exact."""
        return in_units(self._total(work, images), unit, self.dtype)

    def _total(self, work: Work, images: PlaneImages | None = None) -> Array:
        images = images or Bricks(self.shape, np.int64 if self._exact else self.dtype)
        block = self._rows_at_once or block_size(self.n_rows, self._threads)
        shares = self._shares(block)
        if shares:
            return sum_shares(
                work,
                shares,
                images,
                self._pool,
                threads=self._threads,
                block=block,
                on_progress=self._tick,
            )
        return sum_blocks(
            work,
            self.n_rows,
            ReusedImages(images, range(self.shape[0]), self._pool),
            threads=self._threads,
            on_progress=self._tick,
            rows=self._rows_at_once,
        )

    def _shares(self, block: int) -> list[Share]:
        """Return contiguous shares of the rows if they reach few planes; else none."""
        if self._found is None:
            self._found = shares_of(self.rows, self.shape, self._threads, block)
        return self._found


def _only_read(rows: EventRows) -> EventRows:
    return rows._replace(
        points=only_read(rows.points),
        ends=only_read(rows.ends),
        voxel_mm=only_read(rows.voxel_mm),
        bins=only_read(rows.bins),
        table=only_read(rows.table),
        in_lanes=only_read(rows.in_lanes),
    )

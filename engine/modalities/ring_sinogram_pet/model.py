"""System model of sinograms from corrected counts and a grid.

Rows follow one another as (plane, tangential bin, view): every B-th row is of every B-th view, so
that a subset holds whole views, and neighbours cross neighbouring voxels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, to_host
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.profiling import Profiler
from engine.data.histogram import total
from engine.data.sinogram import Sinogram
from engine.geometry.grid import ImageGrid
from engine.modalities.ring_sinogram_pet import timed_rows
from engine.operators.rays import RayProjector, Rays
from engine.recon.model import BinnedModel, TimedModel

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class Usable:
    """Counts that are valid for a Poisson model.

    Attributes
    ----------
    data : without counts below 0 and without those in dead bins
    n_negative, negative : bins, of time where times are known, that were below 0, and their sum
    n_dropped : counts in dead bins
    """

    data: Sinogram
    n_negative: int
    negative: float
    n_dropped: float


def usable(data: Sinogram) -> Usable:
    """Return the counts that can be used, and what was left out."""
    timed = data.timed
    counted = data.prompts if timed is None else timed.counts
    below = counted < 0
    n_negative, negative = int(np.count_nonzero(below)), total(counted[below])
    counts, n_dropped = data.prompts, 0.0
    if n_negative and timed is None:
        counts = np.maximum(counts, 0)
    elif n_negative and timed is not None:  # times of both signs may add up to 0 and more
        timed = timed.where(~below)
        counts = timed.sums(data.layout.n_bins)
    if data.factors is not None:
        live = data.factors > 0
        n_dropped = total(counts[~live])
        counts = np.where(live, counts, np.float32(0))
        timed = None if timed is None else timed.where(live[timed.bins])
    used = replace(data, prompts=counts, timed=timed)
    return Usable(used, n_negative, negative, n_dropped)


def build(
    data: Sinogram,
    grid: ImageGrid,
    *,
    n_subsets: int,
    on: Backend,
    on_progress: OnProgress | None = None,
    profiler: Profiler | None = None,
) -> BinnedModel | TimedModel:
    """Compose the model of `usable` counts on live bins.

    The sensitivity of all bins is computed where it is used: with one subset. With more, the model
    computes that of each.
    """
    return build_of(
        data,
        rows_of(data),
        grid,
        n_subsets=n_subsets,
        on=on,
        on_progress=on_progress,
        profiler=profiler,
    )


def build_of(
    data: Sinogram,
    bins: NDArray[np.int64],
    grid: ImageGrid,
    *,
    n_subsets: int,
    on: Backend,
    on_progress: OnProgress | None = None,
    profiler: Profiler | None = None,
) -> BinnedModel | TimedModel:
    """Compose the model of some live bins, in this order; all timed counts are of them."""
    if len(bins) < n_subsets:
        raise DataError(
            f"the sinogram has {len(bins):,} live bins for {n_subsets:,} subsets; "
            "choose fewer subsets."
        )
    if data.timed is not None:
        return timed_rows.build(
            data,
            bins,
            grid,
            n_subsets=n_subsets,
            on=on,
            on_progress=on_progress,
            profiler=profiler,
        )
    rays = Rays(data.layout.points_mm, data.layout.ends_of(bins))
    A = RayProjector(rays, grid, on=on, on_progress=on_progress, profiler=profiler)
    counts, factors = data.prompts[bins], _of(data.factors, bins)
    background = np.zeros(len(bins), np.float32)
    if data.background is not None:
        background = data.background[bins]
        if factors is not None:
            background = (background / factors).astype(np.float32)
    if n_subsets == 1:
        return BinnedModel.of(A, background, counts, factors)
    return BinnedModel(A, background, np.zeros((), np.float32), counts, factors)


def uniform_start(
    data: Sinogram, grid: ImageGrid, model: BinnedModel | TimedModel
) -> NDArray[np.float32]:
    """Return the constant image, where anything is seen, that explains the counts."""
    background = 0.0 if data.background is None else total(data.background)
    return start_from(data.n_prompts, background, grid, model)


def start_from(
    counts: float, background: float, grid: ImageGrid, model: BinnedModel | TimedModel
) -> NDArray[np.float32]:
    """Return the constant image that explains so many counts, some of them additive."""
    lines = model.lines if isinstance(model, TimedModel) else model.A
    lengths = to_host(lines(np.ones(grid.shape, np.float32)))
    factors = 1.0 if model.factors is None else model.factors
    expected = float(np.sum(factors * lengths, dtype=np.float64))
    if expected <= 0:
        raise DataError("no bin crosses the image; check the centre and size of the grid.")
    level = max(counts - background, 0.01 * counts) / expected
    return np.full(grid.shape, np.float32(level), np.float32)


def rows_of(data: Sinogram) -> NDArray[np.int64]:
    """Numbers of the live bins in the order of the rows."""
    bins = np.arange(data.layout.n_bins).reshape(data.layout.shape)
    rows = bins.transpose(0, 2, 1).reshape(-1)
    return rows if data.factors is None else rows[data.factors[rows] > 0]


def _of(values: Array | None, bins: Array) -> Array | None:
    return None if values is None else values[bins]

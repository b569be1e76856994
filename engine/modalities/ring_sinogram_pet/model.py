"""System model of sinograms from corrected counts and a grid.

Rows are ordered by plane, tangential bin and view. Every B-th row therefore belongs to every B-th
view, so that a subset contains whole views, and neighbouring rows cross neighbouring voxels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.profiling import Profiler
from engine.data.histogram import total
from engine.data.sinogram import Sinogram
from engine.geometry.grid import ImageGrid
from engine.modalities.ring_sinogram_pet import timed_rows
from engine.operators.rays import RayProjector, Rays
from engine.recon.model import BinnedModel, SystemModel, TimedModel

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class Usable:
    """Counts that are valid for a Poisson model.

    Attributes
    ----------
    data : counts without those below 0 and those in dead bins
    n_negative, negative : number of bins (TOF bins if there are any) below 0, and their sum
    n_dropped : counts in dead bins
    """

    data: Sinogram
    n_negative: int
    negative: float
    n_dropped: float


def usable(data: Sinogram) -> Usable:
    """Return the counts that can be used, and what was removed.

    Parameters
    ----------
    data
        sinogram with its factors
    """
    timed = data.timed
    counted = data.prompts if timed is None else timed.counts
    below = counted < 0
    n_negative, negative = int(np.count_nonzero(below)), total(counted[below])
    counts, n_dropped = data.prompts, 0.0
    if n_negative and timed is None:
        counts = np.maximum(counts, 0)
    # TOF bins of both signs may add up to 0 or more, so they are tested one by one.
    elif n_negative and timed is not None:
        timed = timed.where(~below)
        counts = timed.sums(data.layout.n_bins)
    # A count in a bin that detects nothing has probability 0, which no image explains.
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
) -> SystemModel:
    """Return the model of `usable` counts on live bins, with the point spread of the data.

    With one subset the sensitivity of all bins is computed here. With more, the model computes that
    of each subset.

    Parameters
    ----------
    data
        counts from `usable`, with factors and background
    grid
        grid of the image
    n_subsets
        number of subsets
    on
        device
    on_progress
        called with the work done and in total; None if it is not needed
    profiler
        profiler of the run; None if it is not needed
    """
    model = build_of(
        data,
        rows_of(data),
        grid,
        n_subsets=n_subsets,
        on=on,
        on_progress=on_progress,
        profiler=profiler,
    )
    if data.point_spread is None:
        return model
    from engine.operators.point_spread import PointSpreadBlur
    from engine.recon.model import BlurredModel

    return BlurredModel.of(model, PointSpreadBlur(data.point_spread, grid))


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
    """Return the model of some live bins in a given order, with thin lines.

    Parameters
    ----------
    data
        counts from `usable`; all timed counts must be in these bins
    bins
        (n,) numbers of live bins
    grid
        grid of the image
    n_subsets
        number of subsets
    on
        device
    on_progress
        called with the work done and in total; None if it is not needed
    profiler
        profiler of the run; None if it is not needed

    Raises
    ------
    DataError
        if there are fewer bins than subsets
    """
    if not len(bins):
        raise DataError(
            "the sinogram has no usable bin; check that the normalisation and the attenuation "
            "factors are not 0 everywhere."
        )
    if len(bins) < n_subsets:
        raise DataError(
            f"the sinogram has only {len(bins):,} usable bins for {n_subsets:,} subsets; choose "
            f"at most {len(bins):,} subsets."
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
    counts, factors = data.prompts[bins], _values_of(data.factors, bins)
    background = np.zeros(len(bins), np.float32)
    if data.background is not None:
        background = data.background[bins]
        if factors is not None:
            # The model needs the background relative to the factor: g = c / (n a).
            background = (background / factors).astype(np.float32)
    if n_subsets == 1:
        return BinnedModel.of(A, background, counts, factors)
    # With subsets, the sensitivity of all bins is never used, so it is not computed.
    return BinnedModel(A, background, np.zeros((), np.float32), counts, factors)


def uniform_start(data: Sinogram, grid: ImageGrid, model: SystemModel) -> NDArray[np.float32]:
    """Return the uniform image that explains the counts.

    Parameters
    ----------
    data
        counts with their background
    grid
        grid of the image
    model
        system model
    """
    background = 0.0 if data.background is None else total(data.background)
    return start_from(data.n_prompts, background, grid, model)


def start_from(
    counts: float, background: float, grid: ImageGrid, model: SystemModel
) -> NDArray[np.float32]:
    """Return the uniform image that explains a number of counts.

    Parameters
    ----------
    counts
        number of prompts
    background
        number of these that are randoms or scatter
    grid
        grid of the image
    model
        system model

    Raises
    ------
    DataError
        if no line crosses the image
    """
    expected = model.expected_of_image(np.ones(grid.shape, np.float32))
    if expected <= 0:
        raise DataError(
            "no line of response of the sinogram crosses the image; check the position and size "
            "of the image grid."
        )
    # At least 1 % of the counts: EM cannot leave an image of zeros.
    level = max(counts - background, 0.01 * counts) / expected
    return np.full(grid.shape, np.float32(level), np.float32)


def rows_of(data: Sinogram) -> NDArray[np.int64]:
    """Return the numbers of the live bins in the order of the rows."""
    bins = np.arange(data.layout.n_bins).reshape(data.layout.shape)
    # View last: the order in the module docstring.
    rows = bins.transpose(0, 2, 1).reshape(-1)
    return rows if data.factors is None else rows[data.factors[rows] > 0]


def _values_of(values: Array | None, bins: Array) -> Array | None:
    return None if values is None else values[bins]

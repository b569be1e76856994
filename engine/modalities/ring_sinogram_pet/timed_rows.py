"""Model of TOF sinograms: rows are the TOF bins with counts on live lines.

Subset k of B contains the timed counts of the lines k, k + B, ... among the live ones in the order
of `model.rows_of`. Its sensitivity is therefore that of whole lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.profiling import Profiler
from engine.data.sinogram import Sinogram
from engine.data.timing.timed_counts import TimedCounts
from engine.geometry.grid import ImageGrid
from engine.operators.rays import RayProjector, Rays
from engine.recon.model import TimedModel

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class TimedRows:
    """TOF counts in the order of their rows.

    Attributes
    ----------
    bins, times : (n,) line and TOF bin of each row
    counts, background : (n,) measured counts, and expected background over the factor of the line
    ends : (n_subsets + 1,) rows of subset k begin at entry k
    """

    bins: NDArray[np.int64]
    times: NDArray[np.int16]
    counts: NDArray[np.float32]
    background: NDArray[np.float32]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, data: Sinogram, lines: NDArray[np.int64], n_subsets: int) -> TimedRows:
        """Return the timed counts, sorted by the subset of their line and by line.

        Parameters
        ----------
        data
            counts with their background
        lines
            (n_lines,) live bins in their order
        n_subsets
            number of subsets
        """
        timed = _timed(data)
        # Inverse of the order of the lines: bin number to position.
        place = np.empty(data.layout.n_bins, np.int64)
        place[lines] = np.arange(len(lines))
        own = place[timed.bins]
        subset = own % n_subsets
        # Subset first: each projector then traces one contiguous block.
        order = np.lexsort((own, subset))
        background = np.zeros(len(order), np.float32)
        if timed.background is not None:
            background = timed.background[order]
            if data.factors is not None:
                background = background / data.factors[timed.bins[order]]
        ends = np.searchsorted(subset[order], np.arange(n_subsets + 1))
        rows = timed.bins[order].astype(np.int64), timed.times[order], timed.counts[order]
        return cls(*rows, background.astype(np.float32), ends)


def _timed(data: Sinogram) -> TimedCounts:
    if data.timed is None:
        raise DataError("the sinogram contains no TOF information; load a TOF sinogram.")
    return data.timed


def build(
    data: Sinogram,
    lines: NDArray[np.int64],
    grid: ImageGrid,
    *,
    n_subsets: int,
    on: Backend,
    on_progress: OnProgress | None = None,
    profiler: Profiler | None = None,
) -> TimedModel:
    """Return the model of usable timed counts.

    Parameters
    ----------
    data
        counts from `usable`
    lines
        (n_lines,) live bins in their order
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
        if a subset has no counts, because an update would then clear the image
    """
    layout, tof = data.layout, data.scanner.tof
    rows = TimedRows.of(data, lines, n_subsets)
    empty = np.flatnonzero(np.diff(rows.ends) == 0)
    if len(empty):
        raise DataError(
            f"the sinogram has {len(rows.counts):,} TOF bins with counts, but subset "
            f"{empty[0] + 1} of {n_subsets:,} contains none of them; choose fewer subsets."
        )

    def projector(bins: NDArray[np.int64], times: NDArray[np.int16] | None) -> RayProjector:
        rays = Rays(layout.points_mm, layout.ends_of(bins), times)
        used = None if times is None else tof
        return RayProjector(rays, grid, on=on, tof=used, on_progress=on_progress, profiler=profiler)

    places = [slice(a, b) for a, b in zip(rows.ends, rows.ends[1:], strict=False)]
    parts = tuple(projector(rows.bins[each], rows.times[each]) for each in places)
    factors = None if data.factors is None else data.factors[lines]
    # Sensitivity is a property of whole lines, so its projector has no time of flight.
    return TimedModel.of(parts, rows.background, rows.counts, projector(lines, None), factors)

"""Requests to workers that compute a part of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins

SharedUpdate = Callable[[Array, int, int], tuple[Array, float, int]]
"""Called with an image, k and B for subset k of B. Returns x · A_kᵀ(1 / (A_k x + g_k)), the sum
of the logarithms of the expected counts, and the number of rows that expect no counts."""
OnRows = Callable[[int, int], None]
"""Called with (rows done, all rows) while workers compute; can raise an exception to stop."""


@dataclass(frozen=True, eq=False)
class TracedEvents:
    """Corrected prompts, as input of a projector.

    Attributes
    ----------
    points_mm : (m, 3) float64, positions of the crystals [mm]
    crystals : (n, 2) int32, crystals of each event
    tof_bins : (n,) int16; None: no time of flight
    tof : TOF bins of the scanner; None: no time of flight
    background : (n,) float32, expected counts that do not come from the image
    grid : grid of the image
    """

    points_mm: NDArray[np.float64]
    crystals: NDArray[np.int32]
    tof_bins: NDArray[np.int16] | None
    tof: TofBins | None
    background: NDArray[np.float32]
    grid: ImageGrid


OfSlices = Callable[[range], Array]
"""Called with slices of a volume, returns their values (n, n_y, n_x)."""


@dataclass(frozen=True, eq=False)
class ProjectedSlabs:
    """A volume that is reconstructed in slabs.

    Attributes
    ----------
    values : (n_views, n_rows, n_columns) float32, prepared projections
    slabs : slices of each slab, in order
    slice_shape : (n_y, n_x)
    made_from : called in a worker with the mapped projections and a number of threads; returns
        the function that makes slabs. It can be pickled
    """

    values: NDArray[np.float32]
    slabs: tuple[range, ...]
    slice_shape: tuple[int, int]
    made_from: Callable[[Array, int], OfSlices]


DivideUpdates = Callable[[TracedEvents, OnRows | None], SharedUpdate]
"""Distributes updates over events to workers."""
DivideSlabs = Callable[[ProjectedSlabs, OnRows | None], Iterator[Array]]
"""Distributes slabs to workers, and yields their values in order."""


@dataclass(frozen=True)
class Divide:
    """Callback that distributes a run to workers.

    Attributes
    ----------
    n_parts : number of parts
    updates : updates of list mode
    slabs : slabs of a volume that is back-projected
    """

    n_parts: int
    updates: DivideUpdates
    slabs: DivideSlabs

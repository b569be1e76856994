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
"""Given an image, and k and B of subset k of B: its numerator x · A_kᵀ(1 / (A_k x + g_k)), the sum
of the logarithms of what is expected, and the rows that expect nothing."""
OnRows = Callable[[int, int], None]
"""Called with (rows done, all) while others work; may raise to stop."""


@dataclass(frozen=True, eq=False)
class TracedEvents:
    """Corrected prompts, as input of a projector.

    Attributes
    ----------
    points_mm : (m, 3) float64, where the crystals are [mm]
    crystals : (n, 2) int32, those of each event
    tof_bins : (n,) int16; None: no time of flight
    tof : bins of the scanner, None without time of flight
    background : (n,) float32, expected counts that are not of the image
    grid : the image
    """

    points_mm: NDArray[np.float64]
    crystals: NDArray[np.int32]
    tof_bins: NDArray[np.int16] | None
    tof: TofBins | None
    background: NDArray[np.float32]
    grid: ImageGrid


OfSlices = Callable[[range], Array]
"""Given slices of a volume, returns their values (n, n_y, n_x)."""


@dataclass(frozen=True, eq=False)
class ProjectedSlabs:
    """A volume that is reconstructed in slabs.

    Attributes
    ----------
    values : (n_views, n_rows, n_columns) float32, prepared projections
    slabs : the slices of each, in order
    slice_shape : (n_y, n_x)
    made_from : can be sent; given the projections, wherever they are mapped, and a number of
        threads, returns what makes slabs of them
    """

    values: NDArray[np.float32]
    slabs: tuple[range, ...]
    slice_shape: tuple[int, int]
    made_from: Callable[[Array, int], OfSlices]


DivideUpdates = Callable[[TracedEvents, OnRows | None], SharedUpdate]
"""Shares the updates over events out."""
DivideSlabs = Callable[[ProjectedSlabs, OnRows | None], Iterator[Array]]
"""Shares slabs out, and yields their values in order."""


@dataclass(frozen=True)
class Divide:
    """Callback that distributes a run to workers.

    Attributes
    ----------
    n_parts : in which work is divided
    updates : updates of list mode
    slabs : slabs of a volume that is projected back
    """

    n_parts: int
    updates: DivideUpdates
    slabs: DivideSlabs

"""What those need who trace a part of the events of a run elsewhere, and how they are asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins

SharedUpdate = Callable[[Array, int, int], tuple[Array, float, int]]
"""Given an image, and k and B of subset k of B: its numerator x · A_kᵀ(1 / (A_k x + g_k)), the sum
of the logarithms of what is expected, and the rows that expect nothing."""
OnRows = Callable[[int, int], None]
"""Called with (rows done, all) while others work; may raise to stop."""


@dataclass(frozen=True, eq=False)
class TracedEvents:
    """Corrected prompts as a projector takes them.

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


Divide = Callable[[TracedEvents, OnRows | None], SharedUpdate]
"""Shares the updates over events out."""

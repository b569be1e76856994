"""The weight of one time bin along a line, as a table.

W(s) = Φ((s + w/2) / σ) − Φ((s − w/2) / σ), s from the middle of the bin, w its width [mm], and
Φ the distribution function of a Gaussian cut off beyond ±3σ and normalised, so that the bins of
a line sum to exactly 1. The step divides the width: neighbouring bins then read their tables
at the same fraction of a step, and the sum survives linear interpolation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

CUTOFF_SIGMAS = 3.0
_STEPS_PER_SIGMA = 64
_MOST_STEPS_PER_BIN = 4096


@dataclass(frozen=True)
class WeightTable:
    """W at (i − (n − 1) / 2) · step_mm for i = 0 … n − 1; zero at both ends."""

    weights: NDArray[np.floating]
    step_mm: float


def cut_gaussian_cdf(sigmas: float) -> float:
    """Distribution function of the Gaussian cut off beyond ±3σ."""
    inside = min(max(sigmas, -CUTOFF_SIGMAS), CUTOFF_SIGMAS)
    return 0.5 + 0.5 * math.erf(inside / math.sqrt(2)) / math.erf(CUTOFF_SIGMAS / math.sqrt(2))


def weight_table(sigma_mm: float, bin_mm: float, dtype: DTypeLike) -> WeightTable:
    """Tabulate the bin weight finely enough for linear interpolation (error below 1e-4)."""
    # a whole number of steps per bin: then neighbouring bins read at the same fraction of a step,
    # and their interpolated weights still sum to 1
    n_steps = min(max(math.ceil(_STEPS_PER_SIGMA * bin_mm / sigma_mm), 1), _MOST_STEPS_PER_BIN)
    step_mm = bin_mm / n_steps
    reach = math.ceil((CUTOFF_SIGMAS * sigma_mm + bin_mm / 2) / step_mm) + 1
    # half of it suffices, W is even; mirrored below, so that the table is even to the last bit
    weights = [
        cut_gaussian_cdf((i * step_mm + bin_mm / 2) / sigma_mm)
        - cut_gaussian_cdf((i * step_mm - bin_mm / 2) / sigma_mm)
        for i in range(reach + 1)
    ]
    return WeightTable(np.array(weights[:0:-1] + weights, dtype), step_mm)

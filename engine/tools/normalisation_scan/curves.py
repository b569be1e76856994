"""Measured components as people look at them: a map of crystals, and curves with their errors.

A class of lines (Δ, |t|) has one factor. What a curve shows over one of both is the mean over the
other, each weighted by the inverse square of its standard error, σ² = 1 / Σ 1/σ_k².
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry.ring import RingScanner
from engine.tools.normalisation_scan.fixed_point import MeasuredComponents

F32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FactorCurve:
    """Factors of lines over one of their numbers.

    Attributes
    ----------
    places : ring differences, or tangential bins from the middle
    factors : mean of the lines there
    errors : standard errors of these
    """

    places: NDArray[np.int64]
    factors: NDArray[np.float64]
    errors: NDArray[np.float64]


def crystal_map(found: MeasuredComponents, scanner: RingScanner) -> F32:
    """(n_rings, n_crystals_per_ring) efficiencies; NaN in gaps and of what was not seen."""
    crystals = found.components.crystals
    rows = scanner.settings.n_rings
    if crystals is None:
        return np.full((rows, scanner.settings.n_crystals_per_ring), np.nan, np.float32)
    return np.where(crystals > 0, crystals, np.float32(np.nan)).reshape(rows, -1)


def over_ring_difference(found: MeasuredComponents) -> FactorCurve:
    """Return the factors of the geometry by the difference of a line's rings."""
    return _curve(found, over=0)


def over_distance(found: MeasuredComponents) -> FactorCurve:
    """Return the factors of the geometry by the distance from the middle, in tangential bins."""
    return _curve(found, over=1)


def _curve(found: MeasuredComponents, over: int) -> FactorCurve:
    table, errors = found.components.geometry, found.errors.geometry
    if table is None or errors is None:
        return FactorCurve(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    sigma = np.where(errors > 0, errors * table, np.nan).astype(np.float64)
    weights = np.nan_to_num(1 / sigma**2)
    total = weights.sum(axis=1 - over)
    known = total > 0
    factors = (weights * table).sum(axis=1 - over)[known] / total[known]
    return FactorCurve(np.flatnonzero(known), factors, 1 / np.sqrt(total[known]))

"""Measured components as shown to users: a map of crystals, and curves with their errors.

A class of lines (Δ, |t|) has one factor. A curve over one of both shows the mean over the other,
weighted by the inverse squares of the standard errors, with σ² = 1 / Σ 1/σ_k².
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
    """Factors of lines against ring difference or tangential bin.

    Attributes
    ----------
    places : ring differences, or tangential bins from the centre
    factors : mean factors of the lines
    errors : standard errors of the means
    """

    places: NDArray[np.int64]
    factors: NDArray[np.float64]
    errors: NDArray[np.float64]


def crystal_map(found: MeasuredComponents, scanner: RingScanner) -> F32:
    """Return the efficiencies, (n_rings, n_crystals_per_ring).

    Parameters
    ----------
    found
        measured components
    scanner
        ring scanner

    Returns
    -------
    efficiencies
        NaN for gaps and for crystals without counts
    """
    crystals = found.components.crystals
    rows = scanner.settings.n_rings
    if crystals is None:
        return np.full((rows, scanner.settings.n_crystals_per_ring), np.nan, np.float32)
    # Crystals without counts have the efficiency 0, which would dominate the colour scale
    return np.where(crystals > 0, crystals, np.float32(np.nan)).reshape(rows, -1)


def over_ring_difference(found: MeasuredComponents) -> FactorCurve:
    """Return the geometric factors against ring difference.

    Parameters
    ----------
    found
        measured components; without geometry the curve is empty
    """
    return _curve(found, over=0)


def over_distance(found: MeasuredComponents) -> FactorCurve:
    """Return the geometric factors against the distance from the axis in tangential bins.

    Parameters
    ----------
    found
        measured components; without geometry the curve is empty
    """
    return _curve(found, over=1)


def _curve(found: MeasuredComponents, over: int) -> FactorCurve:
    table, errors = found.components.geometry, found.errors.geometry
    if table is None or errors is None:
        return FactorCurve(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    # Stored errors are relative; weights need absolute ones
    sigma = np.where(errors > 0, errors * table, np.nan).astype(np.float64)
    # Unknown errors become weight 0
    weights = np.nan_to_num(1 / sigma**2)
    # Independent errors: inverse variances add up
    total = weights.sum(axis=1 - over)
    known = total > 0
    factors = (weights * table).sum(axis=1 - over)[known] / total[known]
    return FactorCurve(np.flatnonzero(known), factors, 1 / np.sqrt(total[known]))

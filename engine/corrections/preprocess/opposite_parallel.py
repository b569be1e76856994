"""Search for the rotation axis of parallel rays over a full turn, from opposite rays.

The ray at distance s from the axis in the view at β coincides with the ray at −s in the view at β +
π. With the axis at column c,

p(β, c + s) = p(β + π, c − s)   for all s with both columns on the detector.

For every c in steps of half a column, the mean square difference of these rays is divided by their
variance, so that air and short overlaps have no advantage. The ratio is near 0 at the axis and near
1 elsewhere. The sums over all pairs are correlations, computed by the Fourier transform. Truncated
rows do no harm, since only rays that were measured twice are compared. (Truncation biases methods
based on the spectrum of the sinogram.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.corrections.preprocess.parameter_sweep import Candidate, Estimate, lowest
from engine.data.projections import Projections
from engine.recon.filtering.redundancy import coverage

Array = NDArray[np.float64]

MIN_OVERLAP = 8
"""Smallest number of columns that both views of a pair share."""
MAX_VIEWS = 512
"""Largest number of views used; others are omitted evenly."""
NEAR_ROWS = 2
"""Number of rows averaged on each side of the middle row."""
SMOOTHING = 1.0
"""Standard deviation along columns [columns]."""
TOO_DIFFERENT = 0.25
"""Fraction of the variance above which two rays do not match."""
MIN_VARIANCE = 0.003
"""Smallest variance of the rays about an axis, relative to that of all rays.

Air contains no evidence.
"""
CLEARLY = 2.5
"""Factor by which another position must be worse."""
SEPARATION = 3.0
"""Smallest distance of a competing position from the best one [columns]."""


def by_opposite_parallel(projections: Projections) -> Estimate:
    """Return the axis column, from 0, of parallel views over a whole turn.

    Parameters
    ----------
    projections
        line integrals on the host

    Raises
    ------
    DataError
        if the views do not cover a turn, or if no column is clearly the best
    """
    views, opposite = _pairs(projections)
    columns, scores = _differences(views, opposite)
    if not np.isfinite(scores).any():
        raise DataError(
            f"Centre of rotation: {views.shape[1]} columns are too few to compare "
            "opposite rays; enter the column."
        )
    best = int(np.argmin(scores))
    # Half-column steps are coarse; a parabola through the lowest points gives the fraction.
    near = slice(max(best - 2, 0), best + 3)
    found = lowest(columns[near], scores[near])
    _refuse_unclear(columns, scores, best)
    tried = zip(columns, scores, strict=True)
    candidates = tuple(Candidate(float(c), float(s)) for c, s in tried if np.isfinite(s))
    return Estimate(found, "opposite rays", "pixels", candidates)


def is_full_turn(projections: Projections) -> bool:
    """Return True if the views cover a whole turn, in any order.

    Parameters
    ----------
    projections
        scan whose angles are tested
    """
    return coverage(projections.geometry.angles_rad).is_whole


def _refuse_unclear(columns: Array, scores: Array, best: int) -> None:
    """Refuse an axis that does not explain the data, or that is not the only good one."""
    if scores[best] > TOO_DIFFERENT:
        raise DataError(
            "Centre of rotation: rays that are measured twice differ by "
            f"{100 * scores[best]:.0f} % of their variance, expected at most "
            f"{100 * TOO_DIFFERENT:.0f} %; check the angles, or enter the column."
        )
    others = scores[np.abs(columns - columns[best]) > SEPARATION]
    if len(others) and others.min() < CLEARLY * scores[best]:
        other = columns[np.abs(columns - columns[best]) > SEPARATION][int(np.argmin(others))]
        raise DataError(
            f"Centre of rotation: columns {columns[best]:.1f} and {other:.1f} match "
            "the opposite rays equally well; enter the column."
        )


def _pairs(projections: Projections) -> tuple[Array, Array]:
    """Return (n, columns) views, and interpolated views half a turn later."""
    from scipy import ndimage

    turned = np.mod(projections.geometry.angles_rad, 2 * np.pi)
    order = np.argsort(turned, kind="stable")
    middle = projections.shape[1] // 2
    rows = slice(max(middle - NEAR_ROWS, 0), middle + NEAR_ROWS + 1)
    sinogram = projections.values[:, rows].mean(axis=1, dtype=np.float64)[order]
    sinogram = ndimage.gaussian_filter1d(sinogram, SMOOTHING, axis=1, mode="nearest")
    angles = turned[order]
    chosen = np.linspace(0, len(angles) - 1, min(len(angles), MAX_VIEWS)).round().astype(int)
    sought = np.mod(angles[chosen] + np.pi, 2 * np.pi)
    # The opposite angle is usually between two views, so both are interpolated.
    after = np.searchsorted(angles, sought)
    first, last = (after - 1) % len(angles), after % len(angles)
    gap = np.mod(angles[last] - angles[first], 2 * np.pi)
    angle_from_first = np.mod(sought - angles[first], 2 * np.pi)
    share = np.divide(angle_from_first, gap, out=np.zeros_like(angle_from_first), where=gap > 0)[
        :, None
    ]
    return sinogram[chosen], sinogram[first] * (1 - share) + sinogram[last] * share


def _differences(views: Array, opposite: Array) -> tuple[Array, Array]:
    """Return columns in steps of a half, and the relative difference of rays about each.

    The difference is ∞ if there are too few rays.
    """
    n_views, n = views.shape
    sums = np.arange(2 * n - 1)  # of the columns of two rays about the same axis
    low, high = np.maximum(sums - n + 1, 0), np.minimum(sums, n - 1)
    count = n_views * (high - low + 1)
    # Padding to 2 n avoids wrap-around of the circular correlation.
    waves = (np.fft.rfft(each, 2 * n, axis=1) for each in (views, opposite))
    one, other = waves
    product = np.fft.irfft((one * other).sum(axis=0), 2 * n)[: 2 * n - 1]
    # Cumulative sums give the energy of every overlap without a loop over columns.
    squares, totals = (
        [np.append(0.0, np.cumsum(power(each).sum(axis=0))) for each in (views, opposite)]
        for power in (np.square, np.asarray)
    )
    square = sum(each[high + 1] - each[low] for each in squares)
    mean = [(each[high + 1] - each[low]) / count for each in totals]
    variance = square / count - mean[0] ** 2 - mean[1] ** 2
    difference = (square - 2 * product) / count
    scores = np.maximum(difference, 0) / np.maximum(variance, 1e-30)
    tells = variance > MIN_VARIANCE * (views.var() + opposite.var())
    scores[~tells | (high - low + 1 < MIN_OVERLAP)] = np.inf
    return sums / 2, scores

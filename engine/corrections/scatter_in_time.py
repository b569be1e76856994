"""Expected scatter of sinogram bins in each TOF bin.

If the file of the estimate has no time of flight, the scatter of a bin is distributed over the TOF
bins in proportion to the counts near that bin,

s_jt = s_j p_t(v, b),    p_t ∝ G * Σ_planes (y_jt − r_jt),

with prompts y minus randoms r, summed over the planes of a view v and tangential bin b and smoothed
by a Gaussian G with a σ of 1/32 of the views and bins. Scatter follows the object less closely than
trues. The result is therefore slightly too sharp inside the object, and exact where all counts are
scatter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.data.sinogram import Sinogram
from engine.data.timing.timed_counts import TimedCounts
from engine.geometry.sinogram_layout import SinogramLayout

PARTS = 32
"""All views, and all tangential bins, in standard deviations of the smoothing."""


def near_by(data: Sinogram, timed: TimedCounts, expected: Array) -> NDArray[np.float32]:
    """Distribute the expected scatter of bins over their TOF bins.

    Parameters
    ----------
    data
        sinogram with its randoms as background
    timed
        counts by bin and TOF bin
    expected
        (n_bins,) scatter in all TOF bins together

    Returns
    -------
    near_by
        (n,) float32, the scatter in the bin and TOF bin of each timed count
    """
    shares = _shares(data, timed)
    across = timed.bins % shares.shape[1]
    return np.asarray(expected[timed.bins] * shares[timed.times, across], np.float32)


def _shares(data: Sinogram, timed: TimedCounts) -> NDArray[np.float32]:
    """Return p, (n_times, views · tangential bins); uniform in time where nothing was counted."""
    from scipy.ndimage import gaussian_filter

    layout, n_times = data.layout, timed.n_times
    n_views, n_across = layout.n_views, layout.n_tangential
    # Randoms are uniform in time. Subtracting them leaves trues and scatter, whose times matter.
    flat = 0 if data.background is None else _summed(layout, data.background) / n_times
    counts = np.empty((n_times, n_views, n_across), np.float32)
    for time in range(n_times):
        rows = timed.of_time(time)
        number = timed.bins[rows] % (n_views * n_across)
        # Sums over planes have enough counts for a histogram in time; single planes do not.
        found = np.bincount(number, timed.counts[rows], n_views * n_across) - flat
        sigmas = (n_views / PARTS, n_across / PARTS)
        counts[time] = gaussian_filter(found.reshape(n_views, n_across), sigmas, mode="nearest")
    # Subtracting randoms can give negative sums, which are not probabilities.
    positive = np.maximum(counts, 0).reshape(n_times, -1)
    sums = positive.sum(axis=0)
    return np.divide(positive, sums, out=np.full_like(positive, 1 / n_times), where=sums > 0)


def _summed(layout: SinogramLayout, values: Array) -> Array:
    """(views · tangential bins,) sums over the planes."""
    return values.reshape(layout.n_planes, -1).sum(axis=0, dtype=np.float64)

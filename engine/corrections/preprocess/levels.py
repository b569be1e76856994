"""Find air and water in the histogram of an image: the tallest peaks near their values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError

BINS = 200
"""Histogram bins across the attenuation of water."""
SMOOTHING = 3.0
"""Standard deviation [bins]."""
AIR, WATER = (-0.2, 0.2), (0.6, 1.6)
"""Search ranges in units of the expected attenuation of water.

Lungs and fat are between them, bone is
above.
"""
MIN_SHARE = 0.002
"""Smallest share of the voxels in a peak, counted in the bins within 5 % of water around it."""


def find_levels(values: Array, near: float) -> tuple[float, float]:
    """Return the measured attenuation of air and of water, or soft tissue [1/mm].

    Parameters
    ----------
    values
        (n_z, n_y, n_x) attenuation; only the cylinder that touches the edges is evaluated
    near
        expected attenuation of water [1/mm]

    Raises
    ------
    DataError
        if the histogram has no peak in one of the ranges
    """
    from scipy import ndimage

    disc = _disc(values.shape[1:])
    # The margin lets a peak at the end of a range have neighbours on both sides.
    first, last = AIR[0] - 0.1, WATER[1] + 0.1
    n = round((last - first) * BINS)
    edges = np.histogram_bin_edges([], n, (first * near, last * near))
    counts = np.zeros(n, np.int64)
    for each in values:  # Slice by slice, because the volume may be in a file.
        counts += np.histogram(each[disc], n, (first * near, last * near))[0]
    smooth = ndimage.gaussian_filter1d(counts.astype(float), SMOOTHING)
    middles = (edges[1:] + edges[:-1]) / 2
    found = []
    for name, (low, high) in (("mu_air_per_mm", AIR), ("mu_water_per_mm", WATER)):
        peak = _peak(smooth, middles / near, low, high)
        share = counts[abs(middles / near - peak) < 0.05].sum() / (len(values) * int(disc.sum()))
        if not share >= MIN_SHARE:
            raise DataError(
                f"CT numbers: the histogram has no peak for {name}, expected one between "
                f"{low * near:.3g} and {high * near:.3g} 1/mm; correct the expected attenuation of "
                "water, or enter both values."
            )
        found.append(peak * near)
    return found[0], found[1]


def _disc(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return the pixels (n_y, n_x) within the ellipse that touches the edges."""
    y, x = ((np.arange(n) + 0.5) * 2 / n - 1 for n in shape)
    return np.asarray(y[:, None] ** 2 + x**2 <= 1)


def _peak(smooth: NDArray[np.float64], at: NDArray[np.float64], low: float, high: float) -> float:
    """Return the position of the highest local maximum in a range; NaN if there is none."""
    k = np.arange(1, len(smooth) - 1)
    is_top = (smooth[k] >= smooth[k - 1]) & (smooth[k] > smooth[k + 1])
    k = k[is_top & (at[k] >= low) & (at[k] <= high)]
    if not len(k):
        return np.nan
    top = k[smooth[k].argmax()]
    before, here, after = smooth[top - 1 : top + 2]
    return float(at[top] + (after - before) / (2 * (2 * here - before - after)) * (at[1] - at[0]))

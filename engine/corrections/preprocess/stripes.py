"""Find narrow stripes of a sinogram, and subtract them.

A pixel with a gain error g adds −ln g to its line integral in every view, for any object. The mean
of its column over the views therefore deviates from that of its neighbours by exactly this value.
Only the offset is subtracted, so the column's own information about the object stays sharp.

Noisy flat fields leave a faint stripe in every column. The mean p of a row then oscillates about
parabolas p̄ fitted to the columns around each (Savitzky & Golay, Anal Chem 36 (1964) 1627), and all
parts k of the views share that residual, r_k = p_k − p̄_k. A column adds

    m · max(m² − s², 0) / m²,    m = median of r_k,  s² its variance, from the spread of r_k,

or nothing if |m| is far above the typical value, which indicates an edge of the object. A row has
such stripes if

    coherence = ⟨ Σ_{k≠l} r_k r_l / (K (K − 1)) ⟩ / ⟨ Σ_k r_k² / K ⟩

is not small. Noise has no coherence, and an object that rotates has little.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.backend.filters import ndimage_of
from engine.core.backend.gpu import Array

MAD_PER_SIGMA = 0.6745
_SPREAD = 6**0.5
"""Noise of a - 2 b + c, relative to that of each value."""
_SOME = 64
"""Number of views from which the noise is estimated."""
PARTS, MAX_SHARE = 8, 0.5
"""Number of parts of the views; smallest share of its mean that a stripe has in the median part."""
_EDGE = 4.0
"""Ratio of a column's deviation from the parabola to the typical one that indicates an edge."""
_OF_MEDIAN = 1.5
"""Variance of a median, relative to that of a mean."""
COHERENT, CALM = 0.07, 0.8
"""Coherence above which all columns have stripes; share of the columns it is computed from.

These are the calmest columns. The others contain edges of the object.
"""


def across_columns(values: Array, size: int) -> Array:
    """Return the median of `size` neighbours along the last axis, mirrored at its ends."""
    xp, half = module_of(values), size // 2
    ends = ((0, 0),) * (values.ndim - 1)
    padded = xp.pad(values, (*ends, (half, half)), mode="symmetric")
    line = ndimage_of(values).median_filter(padded.ravel(), size=size)  # in a line it is fastest
    return line.reshape(padded.shape)[..., half : half + values.shape[-1]]


def detect(values: Array, widest: int, snr: float) -> Array:
    """Return the columns (rows, cols) of sinograms (n_views, rows, cols) that contain stripes.

    A stripe deviates from lines through the columns d and 2 d on its left and right, on both sides
    in the same direction, by more than `snr` times the noise and times the typical deviation around
    it. An edge of the object deviates on one side only, or in opposite directions. A wall that
    moves deviates in some views, a stripe in most of them.

    Parameters
    ----------
    values
        line integrals
    widest
        largest width of a stripe [columns]; d runs from 1 to this width
    snr
        smallest ratio to the noise
    """
    xp = module_of(values)
    profile = values.mean(axis=0, dtype=np.float64)
    parts = means_of_parts(values)
    # Exact simulated data have no noise, so float32 rounding is the lower bound.
    least = _SPREAD * noise_of_mean(values) + np.finfo(np.float32).eps * xp.abs(profile)
    found = xp.zeros(profile.shape, bool)
    for d in range(1, widest + 1):
        from_left, from_right = _from_sides(profile, d)
        away = xp.minimum(xp.abs(from_left), xp.abs(from_right)) * (from_left * from_right > 0)
        typical = across_columns(away, 8 * widest + 1) / MAD_PER_SIGMA
        stands_out = away > snr * xp.maximum(least, typical)
        for whole, each in zip((from_left, from_right), _from_sides(parts, d), strict=True):
            stands_out &= xp.median(each, axis=0) * whole > MAX_SHARE * whole**2
        found |= stands_out
    # An opening with a longer element keeps only runs that are too wide; they belong to the object.
    wide = ndimage_of(values).binary_opening(found, xp.ones((1, widest + 1), bool))
    return found & ~wide


def means_of_parts(values: Array, n: int = PARTS) -> Array:
    """Return means over consecutive groups of views.

    Parameters
    ----------
    values
        (n_views, rows, cols) line integrals
    n
        number of groups

    Returns
    -------
    means_of_parts
        (n, rows, cols) float64
    """
    ends = np.linspace(0, len(values), n + 1).astype(int)
    means = [values[a:b].mean(axis=0, dtype=np.float64) for a, b in pairwise(ends)]
    return module_of(values).stack(means)


def _from_sides(profile: Array, d: int) -> tuple[Array, Array]:
    """Return the deviation from lines through columns d and 2 d to the left and right."""
    n_cols, ends = profile.shape[-1], ((0, 0),) * (profile.ndim - 1)
    padded = module_of(profile).pad(profile, (*ends, (2 * d, 2 * d)), mode="edge")
    far_left, left, _, right, far_right = (padded[..., k * d : k * d + n_cols] for k in range(5))
    return profile - 2 * left + far_left, profile - 2 * right + far_right


def noise_of_mean(values: Array) -> Array:
    """Return the standard deviation of the mean over the views, (rows, cols).

    It follows from differences between consecutive views. Their median ignores the views in which
    an edge of the object passes.

    Parameters
    ----------
    values
        (n_views, rows, cols) line integrals
    """
    xp, n = module_of(values), len(values)
    # 64 differences determine a median well enough; more would only cost time.
    some = xp.asarray(np.unique(np.linspace(0, n - 2, min(n - 1, _SOME)).astype(int)))
    steps = xp.median(xp.abs(values[some + 1] - values[some]), axis=0)
    return steps / (MAD_PER_SIGMA * (2 * n) ** 0.5)


def uneven(profile: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Return the deviation of means from a local parabola.

    Parameters
    ----------
    profile
        (..., cols) means over the views
    size
        odd number of columns of each fit

    Returns
    -------
    uneven
        (..., cols). In the first and last columns, the parabola of the nearest complete window is
        used.
    """
    half = size // 2
    place = np.arange(-half, half + 1)
    # As in the Savitzky-Golay filter, the fit at the middle is one fixed convolution.
    powers = np.vander(place, 3)
    fitted = powers @ np.linalg.pinv(powers)  # parabola through `size` values, at each place
    inner = ndimage_of(profile).correlate1d(profile, fitted[half], axis=-1)
    inner[..., :half] = profile[..., :size] @ fitted[:half].T
    inner[..., profile.shape[-1] - half :] = profile[..., -size:] @ fitted[half + 1 :].T
    return np.asarray(profile - inner)


def shared(parts: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Return the offset of columns (rows, cols) that all parts of the views share.

    Parameters
    ----------
    parts
        (K, rows, cols) means of parts of the views
    size
        number of columns that the parabola is fitted to
    """
    off = uneven(parts, size)
    middle = np.median(off, axis=0)
    spread = np.median(np.abs(off - middle), axis=0) / MAD_PER_SIGMA
    # Shrinkage: an offset that is not larger than its error becomes 0, a certain one is unchanged.
    certain = np.maximum(middle**2 - _OF_MEDIAN * spread**2 / len(parts), 0)
    typical = np.median(np.abs(middle), axis=-1, keepdims=True) / MAD_PER_SIGMA
    is_stripe = (np.abs(middle) <= _EDGE * typical) & (middle != 0)
    return np.divide(certain, middle, out=np.zeros_like(middle), where=is_stripe)


def rows_with_many(parts: NDArray[np.float64], size: int) -> NDArray[np.bool_]:
    """Return the rows that have stripes in all columns.

    Parameters
    ----------
    parts
        (K, rows, cols) means of parts of the views
    size
        number of columns that the parabola is fitted to
    """
    off = uneven(parts, size)
    energy = np.square(off).mean(axis=0)
    # Mean product of different parts: equal to (|Σ r|² − Σ r²) / (K (K − 1)), without a double
    # loop.
    common = (np.square(off.sum(axis=0)) / len(off) - energy) / (len(off) - 1)
    calm = energy <= np.quantile(energy, CALM, axis=1, keepdims=True)
    of_calm = [np.where(calm, each, 0).sum(axis=1) for each in (common, energy)]
    return np.asarray(of_calm[0] > COHERENT * of_calm[1])


def offsets(profile: NDArray[np.float64], stripes: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the offsets to subtract from the columns of a mean over the views.

    Parameters
    ----------
    profile
        (rows, cols) mean over the views
    stripes
        (rows, cols) columns to correct

    Returns
    -------
    added
        (rows, cols). Marked columns become the interpolation of the nearest unmarked ones.
    """
    added, columns = np.zeros_like(profile), np.arange(profile.shape[1])
    # Rows in which every column is marked have nothing to interpolate from.
    for row in np.flatnonzero(stripes.any(axis=1) & ~stripes.all(axis=1)):
        bad, sound = columns[stripes[row]], columns[~stripes[row]]
        added[row, bad] = profile[row, bad] - np.interp(bad, sound, profile[row, sound])
    return added

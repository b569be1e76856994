"""Find narrow stripes of a sinogram, and subtract them.

A pixel whose gain is wrong by a factor g adds −ln g to its line integral in every view, whatever
the object does. So the mean of its column over the views is off by just that from the means of its
neighbours. Nothing else of the column changes: what its own views tell of the object stays sharp.

Flats that are themselves noisy leave a faint stripe in every column. Then the mean p of a row lies
to and fro of parabolas p̄ fitted to as many columns around each (Savitzky & Golay, Anal Chem 36
(1964) 1627), and all parts k of the views share that, r_k = p_k − p̄_k. What a column adds is

    m · max(m² − s², 0) / m²,    m = median of r_k,  s² its variance by their spread,

none where |m| is far more than usual, which is an edge of the object. A row has such stripes if

    coherence = ⟨ Σ_{k≠l} r_k r_l / (K (K − 1)) ⟩ / ⟨ Σ_k r_k² / K ⟩

is not small: noise has none of it, an object that turns little.
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
"""Noise of a - 2 b + c, in that of each."""
_SOME = 64
"""Views from which the noise is told."""
PARTS, MOST = 8, 0.5
"""Parts of the views, in the middle one of which a stripe has at least this part of its mean."""
_EDGE = 4.0
"""How many times the usual a column is off a parabola from which on it is an edge."""
_OF_MEDIAN = 1.5
"""Variance of a median, in that of a mean."""
COHERENT, CALM = 0.07, 0.8
"""Coherence from which on all columns are taken to have stripes, and the part of them, the calmest,
that tell it; edges of the object are among the others."""


def across_columns(values: Array, size: int) -> Array:
    """Median of `size` neighbours along the last axis, mirrored at its ends."""
    xp, half = module_of(values), size // 2
    ends = ((0, 0),) * (values.ndim - 1)
    padded = xp.pad(values, (*ends, (half, half)), mode="symmetric")
    line = ndimage_of(values).median_filter(padded.ravel(), size=size)  # in a line it is fastest
    return line.reshape(padded.shape)[..., half : half + values.shape[-1]]


def detect(values: Array, widest: int, snr: float) -> Array:
    """Return where (rows, cols) sinograms (n_views, rows, cols) hold stripes.

    A stripe stands out of the mean over the views from both sides, against lines through the
    columns d and 2 d to its left and to its right, by more than `snr` times the noise of such a
    distance and times what is usual around it. An edge of the object stands out from one side, or
    to opposite ones; a wall that goes to and fro stands out in some views, a stripe in most. d runs
    from 1 to `widest`; what is wider is the object.
    """
    xp = module_of(values)
    profile = values.mean(axis=0, dtype=np.float64)
    parts = means_of_parts(values)
    least = _SPREAD * noise_of_mean(values) + np.finfo(np.float32).eps * xp.abs(profile)
    found = xp.zeros(profile.shape, bool)
    for d in range(1, widest + 1):
        from_left, from_right = _from_sides(profile, d)
        away = xp.minimum(xp.abs(from_left), xp.abs(from_right)) * (from_left * from_right > 0)
        typical = across_columns(away, 8 * widest + 1) / MAD_PER_SIGMA
        stands_out = away > snr * xp.maximum(least, typical)
        for whole, each in zip((from_left, from_right), _from_sides(parts, d), strict=True):
            stands_out &= xp.median(each, axis=0) * whole > MOST * whole**2
        found |= stands_out
    wide = ndimage_of(values).binary_opening(found, xp.ones((1, widest + 1), bool))
    return found & ~wide


def means_of_parts(values: Array, n: int = PARTS) -> Array:
    """Means (n, rows, cols) over views that follow one another."""
    ends = np.linspace(0, len(values), n + 1).astype(int)
    means = [values[a:b].mean(axis=0, dtype=np.float64) for a, b in pairwise(ends)]
    return module_of(values).stack(means)


def _from_sides(profile: Array, d: int) -> tuple[Array, Array]:
    """Distance of (..., cols) from lines through the columns d and 2 d to the left and right."""
    n_cols, ends = profile.shape[-1], ((0, 0),) * (profile.ndim - 1)
    padded = module_of(profile).pad(profile, (*ends, (2 * d, 2 * d)), mode="edge")
    far_left, left, _, right, far_right = (padded[..., k * d : k * d + n_cols] for k in range(5))
    return profile - 2 * left + far_left, profile - 2 * right + far_right


def noise_of_mean(values: Array) -> Array:
    """Standard deviation (rows, cols) of the mean over the views, from some views to their next.

    The median over them, as now and then an edge of the object passes.
    """
    xp, n = module_of(values), len(values)
    some = xp.asarray(np.unique(np.linspace(0, n - 2, min(n - 1, _SOME)).astype(int)))
    steps = xp.median(xp.abs(values[some + 1] - values[some]), axis=0)
    return steps / (MAD_PER_SIGMA * (2 * n) ** 0.5)


def uneven(profile: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Return how far means (..., cols) are off parabolas through `size` columns, an odd number.

    In the first and last columns, of which one side is too short, off those of the nearest column
    whose sides are whole.
    """
    half = size // 2
    place = np.arange(-half, half + 1)
    powers = np.vander(place, 3)
    fitted = powers @ np.linalg.pinv(powers)  # parabola through `size` values, at each place
    inner = ndimage_of(profile).correlate1d(profile, fitted[half], axis=-1)
    inner[..., :half] = profile[..., :size] @ fitted[:half].T
    inner[..., profile.shape[-1] - half :] = profile[..., -size:] @ fitted[half + 1 :].T
    return np.asarray(profile - inner)


def shared(parts: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Return what columns (rows, cols) add in all parts of the views.

    Parameters
    ----------
    parts
        (K, rows, cols) means of parts of the views
    size
        columns that a mean is evened over
    """
    off = uneven(parts, size)
    middle = np.median(off, axis=0)
    spread = np.median(np.abs(off - middle), axis=0) / MAD_PER_SIGMA
    certain = np.maximum(middle**2 - _OF_MEDIAN * spread**2 / len(parts), 0)
    typical = np.median(np.abs(middle), axis=-1, keepdims=True) / MAD_PER_SIGMA
    is_stripe = (np.abs(middle) <= _EDGE * typical) & (middle != 0)
    return np.divide(certain, middle, out=np.zeros_like(middle), where=is_stripe)


def rows_with_many(parts: NDArray[np.float64], size: int) -> NDArray[np.bool_]:
    """Return which rows have stripes in all columns; the parameters are those of `shared`."""
    off = uneven(parts, size)
    energy = np.square(off).mean(axis=0)
    common = (np.square(off.sum(axis=0)) / len(off) - energy) / (len(off) - 1)
    calm = energy <= np.quantile(energy, CALM, axis=1, keepdims=True)
    of_calm = [np.where(calm, each, 0).sum(axis=1) for each in (common, energy)]
    return np.asarray(of_calm[0] > COHERENT * of_calm[1])


def offsets(profile: NDArray[np.float64], stripes: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return what is to be taken off the columns (rows, cols) of a mean over the views.

    Marked columns come to lie between the nearest others on both sides.
    """
    added, columns = np.zeros_like(profile), np.arange(profile.shape[1])
    for row in np.flatnonzero(stripes.any(axis=1) & ~stripes.all(axis=1)):
        bad, sound = columns[stripes[row]], columns[~stripes[row]]
        added[row, bad] = profile[row, bad] - np.interp(bad, sound, profile[row, sound])
    return added

"""Stripes of a sinogram, which become rings: found, and taken out between sorted columns.

Vo, Atwood & Drakopoulos, Optics Express 26 (2018) 28396. The values of a column of the sinogram,
sorted, change little from one column to the next, whatever the object does; what a bad pixel adds
stays. So sort each column, take from its neighbours what each rank should be, and put the values
back in the order they had.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import module_of
from engine.backend.filters import ndimage_of
from engine.backend.gpu import Array

MAD_PER_SIGMA = 0.6745
_SPREAD = 6**0.5
"""Noise of a - 2 b + c, in that of each."""
_SOME = 64
"""Views from which the noise is told."""


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
    to opposite ones. d runs from 1 to `widest`; what is wider is the object.
    """
    xp, n_cols = module_of(values), values.shape[-1]
    profile = values.mean(axis=0, dtype=np.float64)
    least = _SPREAD * _noise_of_mean(values) + np.finfo(np.float32).eps * xp.abs(profile)
    found = xp.zeros(profile.shape, bool)
    for d in range(1, widest + 1):
        padded = xp.pad(profile, ((0, 0), (2 * d, 2 * d)), mode="edge")
        far_left, left, _, right, far_right = (padded[:, k * d : k * d + n_cols] for k in range(5))
        from_left, from_right = profile - 2 * left + far_left, profile - 2 * right + far_right
        away = xp.minimum(xp.abs(from_left), xp.abs(from_right)) * (from_left * from_right > 0)
        usual = across_columns(away, 8 * widest + 1) / MAD_PER_SIGMA
        found |= away > snr * xp.maximum(least, usual)
    wide = ndimage_of(values).binary_opening(found, xp.ones((1, widest + 1), bool))
    return found & ~wide


def _noise_of_mean(values: Array) -> Array:
    """Standard deviation (rows, cols) of the mean over the views, from some views to their next.

    The median over them, as now and then an edge of the object passes.
    """
    xp, n = module_of(values), len(values)
    some = xp.asarray(np.unique(np.linspace(0, n - 2, min(n - 1, _SOME)).astype(int)))
    steps = xp.median(xp.abs(values[some + 1] - values[some]), axis=0)
    return steps / (MAD_PER_SIGMA * (2 * n) ** 0.5)


def interpolate_ranks(sinogram: Array, stripes: NDArray[np.bool_]) -> None:
    """Give marked columns (cols,) of a sinogram (n_views, cols) what lies between their neighbours.

    Each value becomes that of the same rank in the nearest sound columns on both sides.
    """
    xp = module_of(sinogram)
    sound, bad = np.flatnonzero(~stripes), np.flatnonzero(stripes)
    if not len(sound):
        return
    after = np.clip(np.searchsorted(sound, bad), 0, len(sound) - 1)
    left, right = sound[np.maximum(after - 1, 0)], sound[after]
    share = np.clip((bad - left) / np.maximum(right - left, 1), 0, 1).astype(np.float32)
    ranked, t = xp.sort(sinogram, axis=0), xp.asarray(share)
    between = (1 - t) * ranked[:, left] + t * ranked[:, right]
    sinogram[:, bad] = _in_order_of(sinogram[:, bad], between)


def smooth_ranks(values: Array, size: int) -> Array:
    """Values (n_views, rows, cols), each become the median over `size` columns of its rank.

    The paper's algorithm 3.
    """
    xp = module_of(values)
    return _in_order_of(values, across_columns(xp.sort(values, axis=0), size))


def _in_order_of(values: Array, ranked: Array) -> Array:
    """Values sorted along the first axis, put back in the order that `values` have."""
    xp = module_of(values)
    out: Any = xp.empty_like(ranked)
    xp.put_along_axis(out, xp.argsort(values, axis=0), ranked, axis=0)
    return out

"""Find pixels and values that were not measured, and replace them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.backend.filters import ndimage_of
from engine.core.backend.gpu import Array

TRIMMED = 0.2
"""Share of the fields left out at either end of a pixel's mean, so that a zinger does not count."""
SIGMAS = 10.0
"""Distance from the neighbours, in standard deviations, from which a pixel is defective."""
GAIN_OFF = 0.3
"""A gain that differs by less than this from its neighbours' is calibrated, not defective."""
MAD_PER_SIGMA = 0.6745
NEIGHBOURHOOD = 7
"""Edge of the square in which the usual deviation of a pixel is taken."""
WINDOW = 8.0
"""Mean absolute deviations that make an outlier; about six standard deviations of noise."""


def mean_field(fields: NDArray[Any]) -> NDArray[np.float32]:
    """Mean of flats or darks (n, rows, cols), without the largest and smallest of five or more.

    Where any field is NaN, so is the mean.
    """
    # in place of scipy.stats.trim_mean, whose import costs every run half a second
    n_cut = int(TRIMMED * len(fields))
    middle = slice(n_cut, len(fields) - n_cut)
    ordered = np.partition(fields, (middle.start, middle.stop - 1), axis=0)
    mean = np.asarray(ordered[middle].mean(axis=0), np.float32)
    mean[np.isnan(fields.max(axis=0))] = np.nan  # sorted to the end, it would be left out
    return mean


def from_fields(
    flats: NDArray[Any] | None, darks: NDArray[Any] | None, open_beam: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Map (rows, cols) of defective pixels: dark level, dark noise or gain unlike the others.

    `open_beam` (n, rows, cols) is flat minus dark; a pixel must see light in each.
    """
    beam = open_beam.min(axis=0)
    bad = ~(beam > 0)  # NaN too
    if darks is not None:
        bad |= _unlike(mean_field(darks))
        if len(darks) > 2:
            noise = darks.std(axis=0, dtype=np.float64)
            bad |= noise > SIGMAS * max(float(np.nanmedian(noise)), 1e-6)
    if flats is not None:
        sound = np.where(bad, np.median(beam[~bad]) if (~bad).any() else 0, beam)
        smoothed = ndimage_of(sound).median_filter(sound, 5)
        bad |= (np.abs(beam - smoothed) > GAIN_OFF * smoothed) & _unlike(sound)
    return bad


def _unlike(field: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return where a field (rows, cols) is far from the median of its surroundings."""
    away = np.abs(field - ndimage_of(field).median_filter(field, 5))
    spread = float(np.nanmedian(away)) / MAD_PER_SIGMA
    floor = 1e-3 * float(np.nanmax(np.abs(field), initial=0))
    return ~(away <= max(SIGMAS * spread, floor))


def median_of_medians(values: Array) -> Array:
    """Median along the rows of the medians along the columns, three by three."""
    xp, ends = module_of(values), ((0, 0),) * (values.ndim - 2)
    padded = xp.pad(values, (*ends, (1, 1), (1, 1)), mode="edge")
    across = _median3(padded[..., :-2], padded[..., 1:-1], padded[..., 2:])
    return _median3(across[..., :-2, :], across[..., 1:-1, :], across[..., 2:, :])


def _median3(a: Array, b: Array, c: Array) -> Array:
    xp = module_of(a)
    low, high = xp.minimum(a, b), xp.maximum(a, b)
    xp.minimum(high, c, out=high)
    return xp.maximum(low, high, out=low)


def outliers(
    values: Array, threshold: float, scale: Literal["relative", "absolute"]
) -> NDArray[np.bool_]:
    """Return where values (n, rows, cols) stand alone: zingers, pixels that failed for a view.

    They differ from their neighbours' median by more than `threshold` (of it, if relative), and
    by more than is usual around them: edges of the object and noise are left alone.
    """
    xp, size = module_of(values), NEIGHBOURHOOD
    smoothed = median_of_medians(values)
    away = xp.abs(values - smoothed)
    around = ndimage_of(values).uniform_filter(away, size=(1, size, size), mode="reflect")
    around = (size**2 * around - away) / (size**2 - 1)
    limit = threshold * xp.abs(smoothed) if scale == "relative" else threshold
    found: NDArray[np.bool_] = (away > limit) & (away > WINDOW * around)
    return found


def fill(values: Array) -> None:
    """Replace NaN in values (n, rows, cols) by the median of the neighbours, from the rim inwards.

    A view with nothing but NaN is left as it is.
    """
    xp = module_of(values)
    n_left = -1
    while True:
        view, row, col = xp.nonzero(xp.isnan(values))
        if view.size in (0, n_left):
            return
        n_left = view.size
        values[view, row, col] = _neighbour_median(values, view, row, col)


def _neighbour_median(values: Array, view: Array, row: Array, col: Array) -> Array:
    """Median of those of the eight neighbours that are numbers; NaN where none is."""
    xp, (_, n_rows, n_cols) = module_of(values), values.shape
    around = xp.full((8, view.size), np.nan, np.float32)
    steps = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]
    for place, (r, c) in enumerate(steps):
        inside = (row + r >= 0) & (row + r < n_rows) & (col + c >= 0) & (col + c < n_cols)
        at = view[inside], row[inside] + r, col[inside] + c
        around[place, inside] = values[at]
    around.sort(axis=0)  # NaN last
    n = xp.maximum((~xp.isnan(around)).sum(axis=0), 1)
    each = xp.arange(view.size)
    return (around[(n - 1) // 2, each] + around[n // 2, each]) / 2

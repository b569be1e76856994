"""Find pixels and values that were not measured, and replace them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.backend.filters import ndimage_of
from engine.core.backend.gpu import Array

TRIMMED = 0.2
"""Fraction of the fields that is omitted at each end of a pixel's mean, to exclude zingers."""
SIGMAS = 10.0
"""Distance from the neighbours, in standard deviations, from which a pixel is defective."""
GAIN_OFF = 0.3
"""Smallest relative deviation of a gain from its neighbours that counts as a defect."""
MAD_PER_SIGMA = 0.6745
NEIGHBOURHOOD = 7
"""Edge of the square that defines the typical deviation around a pixel."""
PART_BYTES = 64 * 2**20
"""Size as float64 of the rows that are evaluated at once: a scan can have 20,000 flats."""
WINDOW = 8.0
"""Mean absolute deviations that make an outlier; about six standard deviations of noise."""


def mean_field(fields: NDArray[Any]) -> NDArray[np.float32]:
    """Return the trimmed mean of flat or dark fields (n, rows, cols), NaN where any field is NaN.

    With five or more fields, the largest and smallest fifth are omitted.
    """
    return _by_rows(_mean_field, fields)


def _by_rows(
    work: Callable[[NDArray[Any]], NDArray[np.floating]], fields: NDArray[Any]
) -> NDArray[Any]:
    """Return the results of `work` for groups of rows, joined: it needs copies of its fields."""
    n_rows = fields.shape[1]
    bytes_each = 8 * fields.size // max(n_rows, 1)
    length = max(1, PART_BYTES // max(bytes_each, 1))
    if length >= n_rows:
        return work(fields)
    parts = [work(fields[:, row : row + length]) for row in range(0, n_rows, length)]
    return np.concatenate(parts)


def _mean_field(fields: NDArray[Any]) -> NDArray[np.float32]:
    # Our own trimmed mean: importing scipy.stats would take half a second in every run.
    n_cut = int(TRIMMED * len(fields))
    middle = slice(n_cut, len(fields) - n_cut)
    # A partition is enough: only the members of the middle part matter, not their order.
    ordered = np.partition(fields, (middle.start, middle.stop - 1), axis=0)
    mean = np.asarray(ordered[middle].mean(axis=0), np.float32)
    # NaN is sorted to the end, where the trimmed mean would ignore it.
    mean[np.isnan(fields.max(axis=0))] = np.nan
    return mean


def from_fields(
    flats: NDArray[Any] | None, darks: NDArray[Any] | None, open_beam: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Return the defective pixels (rows, cols): unusual dark level, dark noise or gain.

    Parameters
    ----------
    flats
        (n, rows, cols) flat fields; None if there are none
    darks
        (n, rows, cols) dark fields; None if there are none
    open_beam
        (n, rows, cols) flat minus dark; a pixel must have signal in each
    """
    beam = open_beam.min(axis=0)
    bad = ~(beam > 0)  # NaN too
    if darks is not None:
        bad |= _outliers(mean_field(darks))
        # Two dark fields do not give a useful standard deviation.
        if len(darks) > 2:
            noise = _by_rows(lambda rows: rows.std(axis=0, dtype=np.float64), darks)
            # The floor keeps noiseless simulated dark fields from flagging every pixel.
            bad |= noise > SIGMAS * max(float(np.nanmedian(noise)), 1e-6)
    if flats is not None:
        # Known defects would distort the median of their neighbours.
        sound = np.where(bad, np.median(beam[~bad]) if (~bad).any() else 0, beam)
        smoothed = ndimage_of(sound).median_filter(sound, 5)
        # Both limits must be exceeded: a gain that differs much, and by more than that of other
        # pixels.
        bad |= (np.abs(beam - smoothed) > GAIN_OFF * smoothed) & _outliers(sound)
    return bad


def _outliers(field: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return where a field (rows, cols) deviates strongly from the median of its surroundings."""
    away = np.abs(field - ndimage_of(field).median_filter(field, 5))
    spread = float(np.nanmedian(away)) / MAD_PER_SIGMA
    # 0.1 % of the largest value, so that rounding in a uniform field is not a defect.
    floor = 1e-3 * float(np.nanmax(np.abs(field), initial=0))
    # Written with ~(<=), so that NaN counts as defective.
    return ~(away <= max(SIGMAS * spread, floor))


def median_of_medians(values: Array) -> Array:
    """Return the median of three medians of three, over 3 × 3 neighbours.

    This separable approximation of the 3 × 3 median needs no sorting of nine values.
    """
    xp, ends = module_of(values), ((0, 0),) * (values.ndim - 2)
    padded = xp.pad(values, (*ends, (1, 1), (1, 1)), mode="edge")
    across = _median3(padded[..., :-2], padded[..., 1:-1], padded[..., 2:])
    return _median3(across[..., :-2, :], across[..., 1:-1, :], across[..., 2:, :])


def _median3(a: Array, b: Array, c: Array) -> Array:
    # The median of three without branches: max(min(a, b), min(max(a, b), c)).
    xp = module_of(a)
    low, high = xp.minimum(a, b), xp.maximum(a, b)
    xp.minimum(high, c, out=high)
    return xp.maximum(low, high, out=low)


def outliers(
    values: Array, threshold: float, scale: Literal["relative", "absolute"]
) -> NDArray[np.bool_]:
    """Return isolated values: zingers, or pixels that failed in one view.

    Edges of the object and noise are not flagged.

    Parameters
    ----------
    values
        (n, rows, cols) without NaN
    threshold
        smallest deviation from the median of the neighbours
    scale
        "relative": the threshold is a fraction of that median; "absolute": a difference
    """
    xp, size = module_of(values), NEIGHBOURHOOD
    smoothed = median_of_medians(values)
    away = values - smoothed
    xp.abs(away, out=away)
    around = ndimage_of(values).uniform_filter(away, size=(1, size, size), mode="reflect")
    # Exclude the pixel itself, because a strong outlier would raise its own limit.
    around *= size**2
    around -= away
    around *= WINDOW / (size**2 - 1)
    limit: Array | float = threshold
    if scale == "relative":
        limit = xp.abs(smoothed, out=smoothed)
        limit *= threshold
    found: NDArray[np.bool_] = away > limit
    found &= away > around
    return found


def fill(values: Array) -> None:
    """Replace NaN in values (n, rows, cols) by the median of the neighbours, in place.

    Large defects are filled from their rim inwards. A view that contains only NaN is unchanged.
    """
    xp = module_of(values)
    n_left = -1
    while True:
        missing = xp.isnan(values)
        # Finding their places takes ten times as long, and most blocks have none.
        if not missing.any():
            return
        view, row, col = xp.nonzero(missing)
        if view.size == n_left:
            # Stop if a pass fills nothing; otherwise views without any value would loop forever.
            return
        # Read all neighbours before writing any, so that the result does not depend on the order.
        n_left = view.size
        values[view, row, col] = _neighbour_median(values, view, row, col)


def _neighbour_median(values: Array, view: Array, row: Array, col: Array) -> Array:
    """Return the median of the measured values among the eight neighbours; NaN if none is."""
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

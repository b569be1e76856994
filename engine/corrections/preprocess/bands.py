"""Find broad stripes of a sinogram: adjacent columns with the same offset in every view.

The mean of an object over the views has no sharp step up with an equal step down some columns later
that all views share. If the mean p of a row has such a pair of steps, at columns l and r, the model

    p(c) = q0 + q1 x + q2 x² + [l ≤ c < r] (a + b x),    x = (c − (l + r) / 2) / (r − l),

is fitted over the columns between them and as many on each side. They enclose a band if a exceeds
the noise, the residual is small, and separate parts of the views agree about a. The band then adds
a + b x. A round rod on the axis also has steps, but the dome between them leaves a large residual.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.corrections.preprocess.stripes import MAD_PER_SIGMA, across_columns

Values = NDArray[np.float64]

_STEP_SPREAD = 5**0.5
"""Noise of a step, in that of a column's mean: (9 + 9 + 1 + 1) / 4."""
_AROUND = 64
"""Columns around a step that define the typical step."""
_MAX_BANDS = 100
"""Largest number of bands in a row."""
_MARGIN = 4
"""Smallest number of columns on each side that the fit uses."""
_LEFT_OVER = 0.4
"""Largest residual of the fit (root mean square), as a fraction of a."""
_ROUNDED = 0.25
"""Largest deviation between a band's steps and its height, as a fraction of the height."""
_MIN_NEIGHBOUR_SHARE = 0.75
"""Smallest step, as a fraction of its neighbours.

The steps of a one-column band are equally high.
"""
_OF_ONE = 1.5
"""Step of a one-column band relative to its height.

Half of it comes from the opposite neighbour.
"""
_ALIKE = 0.4
"""Largest deviation of half of the parts of the views, as a fraction of a."""


@dataclass(frozen=True)
class Band:
    """Adjacent columns of a row with a common offset.

    Attributes
    ----------
    row : row of the detector
    columns : columns from the first to after the last
    added : (columns,) offset of each column in all views
    """

    row: int
    columns: slice
    added: Values


def find_bands(
    profile: Values, parts: Values, noise: Values, *, widths: range, snr: float
) -> list[Band]:
    """Return the bands in the sinogram of each row, the strongest first.

    Each search subtracts the bands already found, so the columns between two bands are not a band.

    Parameters
    ----------
    profile
        (rows, cols) mean over the views, without narrow stripes
    parts
        (n, rows, cols) the same for parts of the views
    noise
        (rows, cols) standard deviation of the profile
    widths
        number of columns that a band may have
    snr
        smallest ratio of its steps and height to the noise
    """
    found = []
    # A band needs two steps; most rows have none and are skipped without a fit.
    for row in np.flatnonzero(_is_step(profile, noise, snr).sum(axis=1) > 1):
        rest, of_parts = profile[row : row + 1].copy(), parts[:, row].copy()
        for _ in range(_MAX_BANDS):
            band = _strongest(int(row), rest, of_parts, noise[row : row + 1], widths, snr)
            if band is None:
                break
            found.append(band)
            rest[0, band.columns] -= band.added
            of_parts[:, band.columns] -= band.added
    return found


def _is_step(profile: Values, noise: Values, snr: float) -> NDArray[np.bool_]:
    """Return the columns whose step exceeds both the noise and the typical steps around them."""
    steps = np.abs(_steps(profile))
    typical = across_columns(steps, _AROUND + 1) / MAD_PER_SIGMA
    is_step = steps > snr * np.maximum(_STEP_SPREAD * noise, typical)
    return np.asarray(is_step & (steps >= _MIN_NEIGHBOUR_SHARE * _neighbours(steps)))


def _strongest(
    row: int, profile: Values, parts: Values, noise: Values, widths: range, snr: float
) -> Band | None:
    """Return the band of a row that adds most; None if there is none."""
    at, steps = np.flatnonzero(_is_step(profile, noise, snr)[0]), _steps(profile)[0]
    fitted = (
        _fitted(row, slice(left, right), profile[0], parts, noise[0], snr)
        for left, right in _pairs(at, steps[at], widths)
    )
    bands = [each for each in fitted if each is not None and _has_edges(each, steps, noise[0])]
    return max(bands, key=lambda each: abs(float(each.added.mean())), default=None)


def _steps(profile: Values) -> Values:
    """Return the step of each column from the one before, minus the slope around it."""
    rises = np.diff(profile, axis=-1, prepend=profile[..., :1])
    # Subtracting the mean of both neighbouring steps removes slopes; their noise is then
    # `_STEP_SPREAD`.
    before, after = np.roll(rises, 1, axis=-1), np.roll(rises, -1, axis=-1)
    steps = rises - (before + after) / 2
    steps[..., :2] = steps[..., -1:] = 0  # beyond the ends there is nothing to step from
    return np.asarray(steps)


def _neighbours(steps: Values) -> Values:
    """Return the larger of both neighbouring steps; a step causes half of its height there."""
    return np.maximum(np.roll(steps, 1, axis=-1), np.roll(steps, -1, axis=-1))


def _pairs(at: NDArray[np.int64], steps: Values, widths: range) -> Iterator[tuple[int, int]]:
    """Yield the columns of each step and of a similar step in the opposite direction."""
    for i, left in enumerate(at):
        for k in range(i + 1, len(at)):
            # Steps are sorted by column, so all later pairs are wider still.
            if at[k] - left >= widths.stop:
                break
            up, down = steps[i], -steps[k]
            is_alike = up * down > 0 and abs(up) < 2 * abs(down) < 4 * abs(up)
            if at[k] - left in widths and is_alike:
                yield int(left), int(at[k])


def _fitted(
    row: int, columns: slice, profile: Values, parts: Values, noise: Values, snr: float
) -> Band | None:
    """Return the columns between two steps as a band; None if the fit rejects it."""
    left, right = columns.start, columns.stop
    margin = max(_MARGIN, (right - left) // 2)
    low, high = max(0, left - margin), min(len(profile), right + margin)
    # At the ends of the detector one side is too short to determine the parabola.
    if left - low < _MARGIN or high - right < _MARGIN:
        return None
    terms, of_means = _terms(left - low, right - left, high - right)
    factors = of_means @ profile[low:high]
    height, typical = float(factors[3]), float(np.median(noise[low:high]))
    # Norm of the row of the pseudoinverse: standard error of a for equal noise in all columns.
    error = typical * float(np.linalg.norm(of_means[3]))
    left_over = float(np.std(profile[low:high] - terms @ factors))
    if abs(height) <= snr * error or left_over >= max(_LEFT_OVER * abs(height), 2 * typical):
        return None
    # A real gain error is in all views. A feature of the object dominates some of them.
    by_parts = parts[:, low:high] @ of_means[3]
    off = float(np.median(np.abs(by_parts - height)))
    if off >= max(_ALIKE * abs(height), error * len(parts) ** 0.5):
        return None
    return Band(row, columns, terms[left - low : right - low, 3:] @ factors[3:])


# Few combinations of widths occur, and the pseudoinverse is the expensive part.
@lru_cache(maxsize=256)
def _terms(before: int, width: int, behind: int) -> tuple[Values, Values]:
    """Return the terms of the fit of so many columns, (columns, 5), and their pseudoinverse."""
    x = (np.arange(-before, width + behind) + 0.5 - width / 2) / width
    inside = ((x > -0.5) & (x < 0.5)).astype(float)
    terms = np.stack([np.ones_like(x), x, x**2, inside, inside * x], axis=1)
    return terms, np.linalg.pinv(terms)


def _has_edges(band: Band, steps: Values, noise: Values) -> bool:
    """Return True if the steps of a band are as high as the band; a dome rises further inside."""
    left, right = band.columns.start, band.columns.stop
    whole = _OF_ONE if right - left == 1 else 1.0
    off = max(abs(steps[left] - whole * band.added[0]), abs(steps[right] + whole * band.added[-1]))
    error = 3 * _STEP_SPREAD * max(noise[left], noise[right])
    return bool(off < _ROUNDED * np.abs(band.added).min() + error)

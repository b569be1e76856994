"""Widths of a peak after NEMA, and by a fit, with standard errors.

NEMA NU 2 and NU 4: the maximum is that of a parabola through the highest sample and its two
neighbours. The widths at a half and a tenth of it are interpolated linearly between samples. A
fitted Gaussian has FWHM = 2 √(2 ln 2) σ and FWTM = 2 √(2 ln 10) σ. The errors of the NEMA widths
are the spread of the samples about the fit, divided by the slopes on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry.tof import FWHM_PER_SIGMA

Values = NDArray[np.float64]
FWTM_PER_FWHM = float(np.sqrt(np.log(10) / np.log(2)))


@dataclass(frozen=True)
class PeakWidths:
    """Widths of a peak and their standard errors [mm].

    Attributes
    ----------
    place : position of the maximum [mm]
    fwhm, fwtm : widths after NEMA; NaN if the profile is too short
    fwhm_error, fwtm_error : their standard errors
    fitted, fitted_error : FWHM of the fitted Gaussian, and its standard error
    """

    place: float
    fwhm: float
    fwhm_error: float
    fwtm: float
    fwtm_error: float
    fitted: float
    fitted_error: float


def peak_widths(at_mm: Values, values: Values) -> PeakWidths:
    """Return the widths of the highest peak of a profile.

    Parameters
    ----------
    at_mm
        (n,) positions of the samples [mm], evenly spaced
    values
        (n,) samples

    References
    ----------
    NEMA NU 2-2018, section 3; NEMA NU 4-2008, section 3.
    """
    k = int(np.argmax(values))
    step = float(at_mm[1] - at_mm[0])
    place, height = float(at_mm[k]), float(values[k])
    # At an end of the profile there is no parabola, and the sample itself is the maximum.
    if 0 < k < len(values) - 1:
        before, top, after = (float(v) for v in values[k - 1 : k + 2])
        bend = before - 2 * top + after
        shift = 0.0 if bend == 0 else 0.5 * (before - after) / bend
        place, height = place + shift * step, top - 0.25 * (before - after) * shift
    fitted, fitted_error, spread = _fit(at_mm, values)
    half, half_slope = _width(at_mm, values, k, height / 2)
    tenth, tenth_slope = _width(at_mm, values, k, height / 10)
    return PeakWidths(
        place, half, spread * half_slope, tenth, spread * tenth_slope, fitted, fitted_error
    )


def _width(at_mm: Values, values: Values, k: int, level: float) -> tuple[float, float]:
    """Return the width at a level, and the change of the width per unit change of a sample."""
    left = np.flatnonzero(values[:k] < level)
    right = np.flatnonzero(values[k:] < level)
    if not len(left) or not len(right):
        return float("nan"), float("nan")
    ends, slopes = [], []
    for inner, outer in ((left[-1] + 1, left[-1]), (k + right[0] - 1, k + right[0])):
        slope = (values[outer] - values[inner]) / (at_mm[outer] - at_mm[inner])
        ends.append(float(at_mm[inner] + (level - values[inner]) / slope))
        slopes.append(float(slope))
    return abs(ends[1] - ends[0]), float(np.hypot(1 / slopes[0], 1 / slopes[1]))


def _fit(at_mm: Values, values: Values) -> tuple[float, float, float]:
    """Return the FWHM of a Gaussian, its standard error and the spread about it."""
    from scipy import optimize

    height = float(values.max())
    begin = (height, float(at_mm[np.argmax(values)]), _rough(at_mm, values))

    def misfit(p: Values) -> Values:
        return np.asarray(p[0] * np.exp(-((at_mm - p[1]) ** 2) / (2 * p[2] ** 2)) - values)

    found = optimize.least_squares(misfit, begin, x_scale="jac")
    # `cost` is half the sum of squares; the fit has 3 parameters.
    spread = float(np.sqrt(2 * found.cost / max(1, len(values) - 3)))
    slopes = np.asarray(found.jac)
    covariance = np.linalg.pinv(slopes.T @ slopes) * spread**2
    error = float(np.sqrt(covariance[2, 2])) * FWHM_PER_SIGMA
    return abs(float(found.x[2])) * FWHM_PER_SIGMA, error, spread


def _rough(at_mm: Values, values: Values) -> float:
    """Return a start value for the standard deviation, from the area of the peak."""
    area = float(np.clip(values, 0, None).sum() * (at_mm[1] - at_mm[0]))
    return max(area / (float(values.max()) * np.sqrt(2 * np.pi)), 0.3 * float(at_mm[1] - at_mm[0]))

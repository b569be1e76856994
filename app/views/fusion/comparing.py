"""Comparisons of two images at the pixels of the lower one, without Qt.

difference = upper − lower,   ratio = upper / lower where lower ≥ `MIN_SHARE` of its window,
significance = (upper − lower) / σ, with the error σ of the difference.

So all three show the change from the first volume, the lower one, to the second.

Images of one scan share their noise, so σ follows from the differences of their replicates. Images
of two scans have independent noise, σ² = σ_lower² + σ_upper². Between voxels, σ_upper is
interpolated, an upper limit of the error of the interpolated value.

The result is NaN outside the upper image, and where the divisor is too small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.language.translation import tr
from engine.analysis.quality import over_error
from engine.data import Volume, are_paired, deviations_of, paired_deviations_of

Values = NDArray[np.float32]
Mode = Literal["difference", "ratio", "significance"]
COMPARING: tuple[Mode, ...] = ("difference", "ratio", "significance")
MIN_SHARE = 0.02
SPREAD = 4.0
"""Window of a significance in units of the error, below and above 0."""


class DifferenceErrors(NamedTuple):
    """Standard deviations of a difference of two images.

    Attributes
    ----------
    lower : that of the lower image, or that of the difference; on the grid of the lower image
    upper : that of the upper image on its own grid; None if `lower` is that of the difference
    """

    lower: Volume
    upper: Volume | None


def difference(lower: Values, upper: Values) -> Values:
    """Return upper − lower.

    Parameters
    ----------
    lower, upper
        images of equal shape; NaN stays NaN
    """
    return np.asarray(upper - lower, np.float32)


def ratio(lower: Values, upper: Values, top: float) -> Values:
    """Return upper / lower.

    Parameters
    ----------
    lower, upper
        images of equal shape
    top
        upper window limit of the lower image; smaller divisors than `MIN_SHARE` of it give NaN
    """
    # Division by zero is expected outside the object and replaced by NaN.
    with np.errstate(invalid="ignore", divide="ignore"):
        # Near zero a ratio is only noise, which would fill the background with colours.
        usable = lower >= MIN_SHARE * abs(top)
        return np.asarray(np.where(usable, upper / lower, np.nan), np.float32)


def significance(
    lower: Values,
    upper: Values,
    min_values: tuple[float, float],
    errors: DifferenceErrors,
    sample: tuple[Callable[[Volume], Values], Callable[[Volume], Values]],
) -> Values:
    """Return (upper − lower) divided by its error; NaN where both images are small.

    Parameters
    ----------
    lower, upper
        images of equal shape
    min_values
        smallest value of each image that is not background
    errors
        errors of both volumes
    sample
        functions that return a volume on the grid of the lower and of the upper image at the pixels
    """
    deviations = [sample[0](errors.lower)]
    if errors.upper is not None:
        deviations.append(sample[1](errors.upper))
    found = over_error(difference(lower, upper), *deviations)
    # Outside the object there is only noise, which would fill the background with colours.
    is_background = (np.abs(lower) < min_values[0]) & (np.abs(upper) < min_values[1])
    return np.asarray(np.where(is_background, np.nan, found), np.float32)


def errors_of_difference(lower: Volume, upper: Volume, *, same_scan: bool) -> DifferenceErrors:
    """Return the errors that a significance needs. Large volumes take seconds.

    Parameters
    ----------
    lower, upper
        volumes with error maps and without an obstacle
    same_scan
        True if both are from one scan
    """
    if same_scan:
        return DifferenceErrors(paired_deviations_of(lower, upper), None)
    return DifferenceErrors(deviations_of(lower), deviations_of(upper))


def noise_obstacle(lower: Volume, upper: Volume, same_scan: bool | None) -> str:
    """Return the reason why the error of a difference is unknown.

    Parameters
    ----------
    lower, upper
        the volumes
    same_scan
        True if both are from one scan; None, if unknown, counts as two scans

    Returns
    -------
    a sentence; empty if it can be computed
    """
    if lower.error is None or upper.error is None:
        return tr(
            "Both volumes need an error map. Set “Error map” in the card Protocol, Finishing, and "
            "reconstruct again."
        )
    if same_scan and lower.error.counts != upper.error.counts:
        return tr(
            "Both images are from one scan, but they use different counts of it, so it is unknown "
            "how much of their noise is the same. Reconstruct both with the same times and data "
            "corrections."
        )
    if same_scan and not are_paired(lower.error, upper.error):
        return tr(
            "Both images are from one scan, but their error maps have different replicates. "
            "Reconstruct one of them again with the number of replicates and the seed of the other."
        )
    return ""


def obstacle(mode: str, lower: Volume, upper: Volume, same_scan: bool | None) -> str:
    """Return the reason why two volumes cannot be compared.

    Parameters
    ----------
    mode
        fusion mode
    lower, upper
        the volumes
    same_scan
        True if both are from one scan; None if unknown

    Returns
    -------
    a sentence; empty if they can be compared
    """
    if mode in ("difference", "compare", "significance") and lower.unit != upper.unit:
        return tr(
            "To show the difference, both volumes must have the same unit (first volume: {lower}, "
            "second volume: {upper}).",
            lower=lower.unit or tr("no unit"),
            upper=upper.unit or tr("no unit"),
        )
    if mode != "significance":
        return ""
    if why := noise_obstacle(lower, upper, same_scan):
        return why
    if same_scan and lower.grid != upper.grid:
        return tr(
            "Both images are from one scan, so their noise is compared voxel by voxel. "
            "Reconstruct both with the same volume."
        )
    return ""

"""Try several values of a parameter, score their slices, and keep the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.data.projections import Projections

Score = Literal["negativity", "sharpness", "entropy"]
N_LEVELS = 256


@dataclass(frozen=True)
class Candidate:
    """A tested value, its score (lower is better) and its slice, if any."""

    value: float
    score: float
    image: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class Estimate:
    """Best value of a parameter, with its method and all tested values.

    `score` names the score of the candidates, if there are any.
    """

    value: float
    method: str
    unit: str
    candidates: tuple[Candidate, ...] = ()
    score: Score | None = None

    @property
    def best(self) -> Candidate:
        """Return the candidate nearest to the value."""
        return min(self.candidates, key=lambda one: abs(one.value - self.value))


def negativity(image: NDArray[np.floating]) -> float:
    """Return the negative share of an image: a wrong geometry causes dark seams next to edges."""
    return float(np.maximum(-image, 0).sum() / max(np.abs(image).sum(), 1e-30))


def sharpness(image: NDArray[np.floating]) -> float:
    """Return minus the mean squared slope; at the right value, edges of all views coincide.

    The image is smoothed by one voxel, because interpolation blurs positions between pixels. Half a
    pixel is the best resolution of this score.
    """
    axes = (image.ndim - 2, image.ndim - 1)
    from scipy import ndimage

    smooth = ndimage.gaussian_filter(image, 1.0, axes=axes)
    return -float(sum(np.square(np.diff(smooth, axis=axis)).mean() for axis in axes))


def entropy(image: NDArray[np.floating]) -> float:
    """Return the entropy of the histogram between the 0.1 and 99.9 % percentiles [bit]."""
    # Outliers such as metal would put all other voxels into one bin.
    low, high = np.percentile(image, (0.1, 99.9))
    counts, _ = np.histogram(np.clip(image, low, high), N_LEVELS)
    share = counts[counts > 0] / image.size
    return float(-(share * np.log2(share)).sum())


SCORES: dict[Score, Callable[[NDArray[np.floating]], float]] = {
    "negativity": negativity,
    "sharpness": sharpness,
    "entropy": entropy,
}
METHODS: dict[Score, str] = {
    "negativity": "sweep, fewest negative values",
    "sharpness": "sweep, highest sharpness",
    "entropy": "sweep, lowest entropy",
}
"""Methods of the search, by score, as the window names them."""


def shifted(projections: Projections, columns: float) -> Projections:
    """Return the projections with a shifted detector.

    Parameters
    ----------
    projections
        projections of any kind; their values are not copied
    columns
        shift along the rows of the detector, in columns
    """
    return replace(projections, geometry=projections.geometry.shifted(columns=columns))


def rolled(projections: Projections, degrees: float) -> Projections:
    """Return the projections with the detector rotated in its plane.

    Parameters
    ----------
    projections
        projections of any kind; their values are not copied
    degrees
        angle of rotation
    """
    return replace(projections, geometry=projections.geometry.rolled(float(np.radians(degrees))))


def sweep(
    projections: Projections,
    reconstruct: Callable[[Projections], NDArray[np.floating]],
    values: Sequence[float],
    *,
    move: Callable[[Projections, float], Projections] = shifted,
    score: Score = "negativity",
    unit: str = "pixels",
) -> Estimate:
    """Reconstruct with each value, and return the best one with all slices.

    Parameters
    ----------
    projections
        line integrals
    reconstruct
        function from projections to a slice (n_y, n_x) or a few; it receives the moved projections,
        so that slice and value always match. For a roll use slices away from the mid-plane, which
        hardly moves
    values
        at least three values, in any order
    move
        function that applies a value to the projections
    score
        score to minimise
    unit
        unit of the values, for display

    Raises
    ------
    DataError
        if there are fewer than three values
    """
    if len(values) < 3:
        raise DataError(f"A sweep needs at least three values, got {len(values)}; add values.")
    tried = []
    for value in sorted(values):
        image = np.asarray(reconstruct(move(projections, value)), np.float32)
        tried.append(Candidate(float(value), SCORES[score](image), image))
    scores = np.array([one.score for one in tried])
    best = lowest(np.array([one.value for one in tried]), scores)
    return Estimate(best, METHODS[score], unit, tuple(tried), score)


def lowest(values: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    """Return the position of the lowest score, refined by a parabola through three points."""
    i = int(scores.argmin())
    # At an end of the range, or next to an infinite score, a parabola would extrapolate.
    if i in (0, len(scores) - 1) or not np.isfinite(scores[i - 1 : i + 2]).all():
        return float(values[i])
    a, b, c = np.polyfit(values[i - 1 : i + 2] - values[i], scores[i - 1 : i + 2], 2)
    del c
    return float(values[i] - b / (2 * a)) if a > 0 else float(values[i])

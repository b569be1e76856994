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

    `score` says what the candidates' scores are, where there are any.
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
    """Share of an image below zero: a wrong geometry puts dark seams beside edges."""
    return float(np.maximum(-image, 0).sum() / max(np.abs(image).sum(), 1e-30))


def sharpness(image: NDArray[np.floating]) -> float:
    """Return minus the mean squared slope, where edges of all views add up.

    Smoothed by a voxel, as interpolation blurs what falls between pixels; yet half a pixel is the
    best this score can tell.
    """
    axes = (image.ndim - 2, image.ndim - 1)
    from scipy import ndimage

    smooth = ndimage.gaussian_filter(image, 1.0, axes=axes)
    return -float(sum(np.square(np.diff(smooth, axis=axis)).mean() for axis in axes))


def entropy(image: NDArray[np.floating]) -> float:
    """Entropy of the histogram between the 0.1 and 99.9 % percentiles [bit]."""
    low, high = np.percentile(image, (0.1, 99.9))
    counts, _ = np.histogram(np.clip(image, low, high), N_LEVELS)
    share = counts[counts > 0] / image.size
    return float(-(share * np.log2(share)).sum())


SCORES: dict[Score, Callable[[NDArray[np.floating]], float]] = {
    "negativity": negativity,
    "sharpness": sharpness,
    "entropy": entropy,
}


def shifted(projections: Projections, columns: float) -> Projections:
    """Return the projections with the detector moved by so many columns."""
    return replace(projections, geometry=projections.geometry.shifted(columns=columns))


def rolled(projections: Projections, degrees: float) -> Projections:
    """Return the projections with the detector turned in its plane."""
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
    """Reconstruct with each of the values, and return the best with a picture of each.

    `reconstruct` gets the projections as `move` made them, so that a picture and its value cannot
    part; it returns a slice (n_y, n_x) or a few. For a roll take slices away from the mid-plane:
    the mid-plane hardly moves.
    """
    if len(values) < 3:
        raise DataError(f"A sweep needs at least three values, got {len(values)}; add values.")
    tried = []
    for value in sorted(values):
        image = np.asarray(reconstruct(move(projections, value)), np.float32)
        tried.append(Candidate(float(value), SCORES[score](image), image))
    scores = np.array([one.score for one in tried])
    best = lowest(np.array([one.value for one in tried]), scores)
    return Estimate(best, f"sweep, minimum {score}", unit, tuple(tried), score)


def lowest(values: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    """Return where scores at ascending values are least, between them by a parabola."""
    i = int(scores.argmin())
    if i in (0, len(scores) - 1) or not np.isfinite(scores[i - 1 : i + 2]).all():
        return float(values[i])
    a, b, c = np.polyfit(values[i - 1 : i + 2] - values[i], scores[i - 1 : i + 2], 2)
    del c
    return float(values[i] - b / (2 * a)) if a > 0 else float(values[i])

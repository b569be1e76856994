"""Errors of the figures of a region, from the bootstrap replicates of the image.

A figure is computed in each of n replicates, in the same voxels. Its error is the standard
deviation over the replicates, and an interval of confidence P is

    f ± t_P σ,    t_P: quantile of Student's t with n − 1 degrees of freedom.

The difference of two regions of one image is computed in each replicate, so the error of the
difference includes their correlation. Two images have independent noise:

    σ² = σ₁² + σ₂², degrees of freedom (Welch–Satterthwaite) σ⁴ (n − 1) / (σ₁⁴ + σ₂⁴) for equal n.

Welch, Biometrika 34 (1947) 28; Satterthwaite, Biometrics Bulletin 2 (1946) 110.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, hypot, nan

import numpy as np

from engine.analysis.regions.coverage import RegionCoverage
from engine.analysis.regions.figures import RegionFigures, VoxelRule, figures_of
from engine.analysis.regions.peak import RADIUS_MM
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

CONFIDENCE = 0.95
"""Probability of an interval."""


def quantile(freedom: float) -> float:
    """Return the half width of a 95 % interval for a standard deviation of 1 (Student's t).

    Parameters
    ----------
    freedom
        degrees of freedom
    """
    from scipy.stats import t

    return float(t.ppf(0.5 + CONFIDENCE / 2, freedom))


@dataclass(frozen=True)
class FigureError:
    """Error of one figure.

    Attributes
    ----------
    sd : standard deviation over the replicates, in the unit of the figure
    freedom : degrees of freedom
    bias : mean over the replicates minus the figure of the image
    """

    sd: float
    freedom: float
    bias: float = 0.0

    @classmethod
    def of(cls, values: Sequence[float], figure: float) -> FigureError:
        """Return the error of a figure from its values in all replicates.

        Parameters
        ----------
        values
            value in each replicate
        figure
            value in the image
        """
        found = np.asarray(values, np.float64)
        return cls(float(found.std(ddof=1)), len(found) - 1, float(found.mean()) - figure)

    @property
    def half_width(self) -> float:
        """Half width of the 95 % interval."""
        return quantile(self.freedom) * self.sd


@dataclass(frozen=True)
class RegionErrors:
    """Errors of the figures of a region.

    Attributes
    ----------
    mean, minimum, maximum, total : errors of these figures
    peak : error of the peak; None without a peak
    n : number of replicates
    means : mean of the region in each replicate
    """

    mean: FigureError
    minimum: FigureError
    maximum: FigureError
    total: FigureError
    peak: FigureError | None
    n: int
    means: tuple[float, ...]


@dataclass(frozen=True)
class Difference:
    """Difference of the means of two regions or images, with its error.

    Attributes
    ----------
    value : first minus second
    error : error of the difference
    """

    value: float
    error: FigureError

    @property
    def is_significant(self) -> bool:
        """True if the 95 % interval of the difference excludes 0."""
        return abs(self.value) > self.error.half_width

    @property
    def p_value(self) -> float:
        """Probability of at least this difference without a true one (two-sided t test)."""
        from scipy.stats import t

        if not self.error.sd:
            return nan
        return 2.0 * float(t.sf(abs(self.value) / self.error.sd, self.error.freedom))


def errors_of(
    volume: Volume, coverage: RegionCoverage, figures: RegionFigures, rule: VoxelRule = "area"
) -> RegionErrors | None:
    """Return the errors of the figures of a region; None if the image has no replicates.

    Parameters
    ----------
    volume
        measured image
    coverage
        region on its grid
    figures
        figures of the region in the image
    rule
        rule for voxels that are partly inside
    """
    error = volume.error
    if error is None:
        return None
    found = [
        figures_of(each, part, with_peak=figures.peak is not None, rule=rule)
        for part, each in _replicates(volume, coverage)
    ]
    peaks = [each.peak.value for each in found if each.peak is not None]
    peak = None
    if figures.peak is not None and len(peaks) == len(found):
        peak = FigureError.of(peaks, figures.peak.value)
    means = tuple(each.mean for each in found)
    return RegionErrors(
        FigureError.of(means, figures.mean),
        FigureError.of([each.minimum for each in found], figures.minimum),
        FigureError.of([each.maximum for each in found], figures.maximum),
        FigureError.of([each.total for each in found], figures.total),
        peak,
        error.n,
        means,
    )


def error_of_mean(
    volume: Volume, coverage: RegionCoverage, mean: float, rule: VoxelRule = "area"
) -> FigureError | None:
    """Return only the error of the mean of a region; None if the image has no replicates.

    Parameters
    ----------
    volume
        measured image
    coverage
        region on its grid
    mean
        mean of the region in the image
    rule
        rule for voxels that are partly inside
    """
    if volume.error is None:
        return None
    if rule == "centre":
        coverage = coverage.by_centres()
    # A mean is linear, so its replicates follow from the deviations alone.
    error = volume.error.within(coverage.box)
    weights = (error.scale * coverage.share / coverage.share.sum()).ravel()
    shifts = error.deviations.reshape(error.n, -1) @ weights
    return FigureError.of([mean + float(shift) for shift in shifts], mean)


def difference_within(
    one: RegionFigures, other: RegionFigures, errors: tuple[RegionErrors, RegionErrors]
) -> Difference:
    """Return the difference of two regions of the same image.

    Parameters
    ----------
    one, other
        figures of the regions
    errors
        their errors, from the same replicates
    """
    value = one.mean - other.mean
    pairs = zip(errors[0].means, errors[1].means, strict=True)
    return Difference(value, FigureError.of([a - b for a, b in pairs], value))


def difference_between(
    one: RegionFigures, other: RegionFigures, errors: tuple[RegionErrors, RegionErrors]
) -> Difference:
    """Return the difference of regions of two images with independent noise.

    Parameters
    ----------
    one, other
        figures of the regions
    errors
        their errors
    """
    a, b = errors[0].mean, errors[1].mean
    sd = hypot(a.sd, b.sd)
    weights = a.sd**4 / a.freedom + b.sd**4 / b.freedom
    freedom = sd**4 / weights if weights else min(a.freedom, b.freedom)
    return Difference(one.mean - other.mean, FigureError(sd, freedom, a.bias - b.bias))


def _replicates(
    volume: Volume, coverage: RegionCoverage
) -> Iterator[tuple[RegionCoverage, Volume]]:
    """Yield the part of each replicate that the region and its peak can reach."""
    if volume.error is None:
        return
    window, start = list[slice](), list[int]()
    for axis, (own, n) in enumerate(zip(coverage.box, volume.grid.shape, strict=True)):
        margin = ceil(RADIUS_MM / volume.grid.voxel_mm[2 - axis]) + 1
        first = max(own.start - margin, 0)
        window.append(slice(first, min(own.stop + margin, n)))
        start.append(own.start - first)
    box = tuple(window)
    error = volume.error.within(box)
    part = RegionCoverage((start[0], start[1], start[2]), coverage.share, coverage.centres)
    grid = ImageGrid(error.scale.shape, volume.grid.voxel_mm)
    for values in error.replicates():
        yield part, Volume(values, grid, volume.unit)

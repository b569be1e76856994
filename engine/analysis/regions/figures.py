"""Figures of a region in an image.

With the share w of each voxel inside and the volume V of a voxel:

    mean m = Σ w v / Σ w           standard deviation = √(Σ w (v − m)² / Σ w)
    volume = V Σ w                 total = V Σ w v
    coefficient of variation = standard deviation / |m|

Minimum and maximum are over the voxels whose centre is inside, as in the reference manual of the
Image Biomarker Standardisation Initiative (IBSI, arXiv:1612.07003). If no centre is inside, they
are over all voxels that the region touches. The rule "centre" uses whole voxels by centre for all
figures. The percentile p is the lowest value at or below which p % of the volume is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.analysis.regions.coverage import RegionCoverage
from engine.analysis.regions.peak import Peak, peak_of
from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.data.volume import Volume

PERCENTILES = (5, 25, 50, 75, 95)
MM3_PER_ML = 1000.0
PER_ML = "/mL"
BINS, DRAWERS = 64, 4096
VoxelRule = Literal["area", "centre"]
VOXEL_RULES: dict[VoxelRule, str] = {
    "area": "mean and volume by area, minimum and maximum by voxel centres",
    "centre": "all figures by voxel centres",
}
"""Rules for voxels that are partly inside, with their text in reports."""
ROUNDING = 1e-12
"""Relative rounding error of a sum of shares."""


@dataclass(frozen=True)
class RegionFigures:
    """Figures of a region, in the unit of the image unless stated otherwise.

    Attributes
    ----------
    mean, sd : weighted by the share of each voxel; sd is that of the voxels, not of the mean
    minimum, maximum : over the voxels with their centre inside
    peak : highest mean of a sphere of 1 mL, with its position; None if none fits
    volume_ml : volume inside the image [mL]
    total : sum over the volume, in `total_unit`
    percentiles : percentiles of `PERCENTILES`
    n_voxels : number of voxels that the region touches
    unit : unit of the image
    rule : rule for voxels that are partly inside
    """

    mean: float
    sd: float
    minimum: float
    maximum: float
    peak: Peak | None
    volume_ml: float
    total: float
    percentiles: tuple[float, ...]
    n_voxels: int
    unit: str
    rule: VoxelRule = "area"

    @property
    def cov(self) -> float:
        """Coefficient of variation."""
        return self.sd / abs(self.mean) if self.mean else float("nan")

    @property
    def total_unit(self) -> str:
        """Unit of the total: Bq of an image in Bq/mL."""
        return total_unit(self.unit)


@dataclass(frozen=True)
class Contrast:
    """Comparison of two regions: the object and its background.

    Attributes
    ----------
    ratio : m₁ / m₂
    contrast : (m₁ − m₂) / m₂
    to_noise : (m₁ − m₂) / standard deviation of the background
    """

    ratio: float
    contrast: float
    to_noise: float


@dataclass(frozen=True)
class ValueHistogram:
    """Histogram of the values in a region.

    Attributes
    ----------
    edges : (bins + 1,) in the unit of the image
    volumes_ml : (bins,) [mL]
    """

    edges: Array
    volumes_ml: Array


def total_unit(unit: str) -> str:
    """Return the unit of a sum over a volume in mL.

    Parameters
    ----------
    unit
        unit of the values; empty if unknown

    Returns
    -------
    str
        "Bq" for "Bq/mL"; otherwise the unit times mL, also for SUV in g/mL
    """
    # SUV in g/mL is relative to body weight. Its sum in g would read like a mass.
    if unit.endswith(PER_ML) and unit != "g/mL":
        return unit.removesuffix(PER_ML)
    return f"{unit}·mL" if unit else "mL"


def figures_of(
    volume: Volume,
    coverage: RegionCoverage,
    *,
    with_peak: bool = True,
    rule: VoxelRule = "area",
) -> RegionFigures:
    """Measure an image in a region.

    Parameters
    ----------
    volume
        image to measure
    coverage
        region on the grid of the image
    with_peak
        False skips the peak, the slowest figure
    rule
        "area": voxels count by their share; "centre": whole voxels whose centre is inside

    Raises
    ------
    DataError
        if no voxel is inside, or no voxel centre by the rule "centre"
    """
    if rule == "centre":
        coverage = _centres_of(coverage)
    values, share = samples(volume, coverage)
    weight = float(share.sum())
    mean = float(values @ share) / weight
    # Two passes: the one-pass formula loses all digits if the mean is large against the deviation.
    sd = float(np.sqrt(((values - mean) ** 2) @ share / weight))
    # A voxel touched only at its corner holds mostly background, so it must not set minimum or
    # maximum.
    core = values[coverage.centres[coverage.share > 0]]
    core = core if len(core) else values
    ml = float(np.prod(volume.grid.voxel_mm)) / MM3_PER_ML
    return RegionFigures(
        mean=mean,
        sd=sd,
        minimum=float(core.min()),
        maximum=float(core.max()),
        peak=peak_of(volume, coverage) if with_peak else None,
        volume_ml=weight * ml,
        total=mean * weight * ml,
        percentiles=percentiles(values, share, PERCENTILES),
        n_voxels=len(values),
        unit=volume.unit,
        rule=rule,
    )


def _centres_of(coverage: RegionCoverage) -> RegionCoverage:
    if not coverage.is_empty and not coverage.centres.any():
        raise DataError(
            "the region contains no voxel centre; enlarge it, or include partially covered voxels "
            'by their area fraction (rule "area").'
        )
    return coverage.by_centres()


def mean_of(volume: Volume, coverage: RegionCoverage) -> float:
    """Return only the mean of a region, the fastest figure.

    Parameters
    ----------
    volume
        image to measure
    coverage
        region on the grid of the image

    Raises
    ------
    DataError
        if no voxel is inside
    """
    values, share = samples(volume, coverage)
    return float(values @ share) / float(share.sum())


def samples(volume: Volume, coverage: RegionCoverage) -> tuple[Array, Array]:
    """Return values and shares of the voxels that a region touches, as float64.

    Parameters
    ----------
    volume
        image to measure
    coverage
        region on the grid of the image

    Raises
    ------
    DataError
        if no voxel is inside
    """
    touched = coverage.share > 0
    if not touched.any():
        raise DataError("the region is outside the image; move it or enlarge it.")
    values = volume.values[coverage.box][touched].astype(np.float64)
    return values, coverage.share[touched]


def percentiles(values: Array, share: Array, wanted: Sequence[float]) -> tuple[float, ...]:
    """Return weighted percentiles without interpolation.

    Parameters
    ----------
    values, share
        (n,) values and their weights
    wanted
        percentages, 0 to 100

    Returns
    -------
    tuple of float
        for each percentage the lowest value at or below which that part of the weights is found
    """
    # A full sort is slow for large regions. A histogram finds the bin of each percentile first, and
    # only that bin is sorted.
    low, high = float(values.min()), float(values.max())
    drawer = ((values - low) * ((DRAWERS - 1) / (high - low or 1.0))).astype(np.int64)
    sums = np.cumsum(np.bincount(drawer, share, DRAWERS))
    # Without the margin the rounding of the sum could move the 100 % percentile past the last
    # value.
    parts = np.array(wanted, float) / 100 * sums[-1] * (1 - ROUNDING)
    found = list[float]()
    for part, k in zip(parts, np.searchsorted(sums, parts), strict=True):
        inside = np.flatnonzero(drawer == min(k, drawer.max()))
        order = inside[np.argsort(values[inside])]
        below = np.cumsum(share[order]) + (sums[k - 1] if k else 0.0)
        at = min(int(np.searchsorted(below, part)), len(order) - 1)
        found.append(float(values[order[at]]))
    return tuple(found)


def contrast_of(figures: RegionFigures, background: RegionFigures) -> Contrast:
    """Compare two regions of one image, or of two images with the same unit.

    Parameters
    ----------
    figures
        figures of the object
    background
        figures of the background

    Returns
    -------
    Contrast
        NaN where the background is 0

    Raises
    ------
    DataError
        if the units differ
    """
    if figures.unit != background.unit:
        raise DataError(
            f"the regions have different units (region: {figures.unit or 'none'}, background: "
            f"{background.unit or 'none'}); compare regions with the same unit."
        )
    # A background of 0 gives NaN, which the table shows as an empty cell, not an infinite contrast.
    above = figures.mean - background.mean
    return Contrast(
        _ratio(figures.mean, background.mean),
        _ratio(above, background.mean),
        _ratio(above, background.sd),
    )


def histogram_of(volume: Volume, coverage: RegionCoverage, n_bins: int = BINS) -> ValueHistogram:
    """Return the volume of a region by value.

    Parameters
    ----------
    volume
        image to measure
    coverage
        region on the grid of the image
    n_bins
        number of bins from minimum to maximum

    Raises
    ------
    DataError
        if no voxel is inside
    """
    values, share = samples(volume, coverage)
    ml = float(np.prod(volume.grid.voxel_mm)) / MM3_PER_ML
    sums, edges = np.histogram(values, n_bins, weights=share * ml)
    return ValueHistogram(edges, sums)


def _ratio(a: float, b: float) -> float:
    return a / b if b else float("nan")

"""Measure regions in images, over iterations and over frames."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from engine.analysis.regions.base import RegionShape
from engine.analysis.regions.coverage import RegionCoverage
from engine.analysis.regions.figures import RegionFigures, VoxelRule, figures_of, mean_of
from engine.analysis.regions.region_set import Region
from engine.core.errors import EngineError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

if TYPE_CHECKING:
    from engine.analysis.regions.errors import RegionErrors

CACHE_BYTES = 128 << 20


@dataclass(frozen=True)
class MeasuredRegion:
    """Figures of a region in an image, or the reason why there are none.

    Attributes
    ----------
    region : measured region
    image : name of the image
    figures : None if the region cannot be measured
    fault : reason, one sentence
    errors : errors of the figures; None if the image has no replicates
    """

    region: Region
    image: str
    figures: RegionFigures | None
    fault: str = ""
    errors: RegionErrors | None = None


class _CoverageCache:
    """Coverage of recent regions by grid; it is the same for every iterate."""

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[RegionShape, ImageGrid], RegionCoverage] = OrderedDict()
        self._lock = Lock()

    def of(self, shape: RegionShape, grid: ImageGrid) -> RegionCoverage:
        """Return the shares of voxels, which depend only on the grid."""
        key = shape, grid
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        # A broadcast scalar has the shape of the grid but takes no memory.
        empty = Volume(np.broadcast_to(np.float32(0), grid.shape), grid, "")
        made = shape.coverage(empty)
        # The lock is free while a coverage is computed. Two threads may compute the same one, which
        # costs less than waiting for each other.
        with self._lock:
            self._found[key] = made
            while sum(each.n_bytes for each in self._found.values()) > CACHE_BYTES:
                self._found.popitem(last=False)
        return made


_CACHE = _CoverageCache()


def coverage_of(shape: RegionShape, volume: Volume) -> RegionCoverage:
    """Return the share of each voxel of an image in a region.

    Parameters
    ----------
    shape
        region
    volume
        image; its values matter only to shapes with `follows_image`

    Raises
    ------
    DataError
        if a threshold region has no level in the image
    """
    return shape.coverage(volume) if shape.follows_image else _CACHE.of(shape, volume.grid)


def measure(
    region: Region, volume: Volume, image: str = "", *, rule: VoxelRule = "area"
) -> MeasuredRegion:
    """Measure a region in an image; errors become a text.

    Parameters
    ----------
    region
        region to measure
    volume
        image
    image
        name of the image in the result
    rule
        rule for voxels that are partly inside
    """
    try:
        coverage = coverage_of(region.shape, volume)
        found = figures_of(volume, coverage, rule=rule)
        if volume.error is None:
            return MeasuredRegion(region, image, found)
        from engine.analysis.regions.errors import errors_of  # few images have errors

        errors = errors_of(volume, coverage, found, rule)
        return MeasuredRegion(region, image, found, errors=errors)
    # A table of many regions must not end at the first one that is outside the image.
    except EngineError as e:
        return MeasuredRegion(region, image, None, str(e))


def measure_all(
    regions: Iterable[Region],
    images: Sequence[tuple[str, Volume]],
    *,
    rule: VoxelRule = "area",
) -> tuple[MeasuredRegion, ...]:
    """Measure every region in every image.

    Parameters
    ----------
    regions
        regions to measure
    images
        (name, volume) pairs
    rule
        rule for voxels that are partly inside
    """
    return tuple(
        measure(region, volume, name, rule=rule) for region in regions for name, volume in images
    )


def mean_in(region: Region, volume: Volume) -> tuple[float, float]:
    """Return the mean of a region in an image, and its error.

    Parameters
    ----------
    region
        region to measure
    volume
        image

    Returns
    -------
    mean and its standard deviation over the replicates, in the unit of the image; NaN if the
    region cannot be measured, or if the image has no replicates
    """
    try:
        coverage = coverage_of(region.shape, volume)
        mean = mean_of(volume, coverage)
    except EngineError:
        return nan, nan
    if volume.error is None:
        return mean, nan
    from engine.analysis.regions.errors import error_of_mean  # few images have errors

    error = error_of_mean(volume, coverage, mean)
    return mean, nan if error is None else error.sd

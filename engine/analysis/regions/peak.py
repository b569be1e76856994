"""Peak of a region: the highest mean of a 1 mL sphere centred on one of its voxels.

Voxels of the region are those whose centre lies inside it.

The ball covers voxels at its border in part. It lies anywhere in the image, also beyond the region,
but whole: where no ball fits there is no peak. This is the peak of PERCIST (Wahl et al., J Nucl Med
50 (2009) 122S) in the form that seeks the place of the highest mean, as the guideline of the EANM
has it (Boellaard et al., Eur J Nucl Med Mol Imaging 42 (2015) 328).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import pi

import numpy as np
from numpy.typing import NDArray

from engine.analysis.regions.chords import ellipsoid
from engine.analysis.regions.coverage import SHARES, RegionCoverage
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point

PEAK_ML = 1.0
RADIUS_MM = (3 * 1000 * PEAK_ML / (4 * pi)) ** (1 / 3)
"""6.20 mm."""
N_BEST = 16
ROUNDING = 1e-5
"""Relative, of a transform in single precision."""


@dataclass(frozen=True)
class Peak:
    """The highest mean of a 1 mL sphere.

    Attributes
    ----------
    value : value in the unit of the image
    at_mm : middle of the ball (x, y, z) [mm]
    """

    value: float
    at_mm: Point


def peak_of(volume: Volume, coverage: RegionCoverage) -> Peak | None:
    """Return the peak in what is covered; None where no ball of 1 mL fits into the image."""
    grid, ball = volume.grid, _ball(volume.grid.voxel_mm)
    middles = _middles(coverage)
    reach = [n // 2 for n in ball.shape]
    low = [max(a, r) for a, r in zip(middles.start, reach, strict=True)]
    ends = [a + n for a, n in zip(middles.start, middles.share.shape, strict=True)]
    high = [min(b, n - r) for b, n, r in zip(ends, grid.shape, reach, strict=True)]
    if any(a >= b for a, b in zip(low, high, strict=True)):
        return None
    wide = tuple(slice(a - r, b + r) for a, b, r in zip(low, high, reach, strict=True))
    places = tuple(slice(a - s, b - s) for s, a, b in zip(middles.start, low, high, strict=True))
    allowed = middles.centres[places]
    if not allowed.any():
        return None
    value, (k, j, i) = _highest(volume.values[wide], grid.voxel_mm, allowed)
    voxel = i + low[2], j + low[1], k + low[0]
    x, y, z = (float(grid.centres_mm(axis)[n]) for axis, n in enumerate(voxel))
    return Peak(value, (x, y, z))


def _middles(coverage: RegionCoverage) -> RegionCoverage:
    """Return the voxels that a ball may have its middle in: with the centre inside, if any have."""
    inside = coverage.centres if coverage.centres.any() else coverage.share > 0
    return RegionCoverage(coverage.start, inside.astype(float), inside).trimmed()


@lru_cache(maxsize=16)
def _ball(voxel_mm: Point) -> SHARES:
    """(n, n, n) weights of the voxels about the one in whose middle the ball lies; sum 1."""
    n_x, n_y, n_z = (2 * int(np.ceil(RADIUS_MM / edge - 0.5)) + 1 for edge in voxel_mm)
    grid = ImageGrid((n_z, n_y, n_x), voxel_mm)
    ball = ellipsoid(grid, grid.centre_mm, (RADIUS_MM,) * 3)
    weights = ball.within((slice(0, n_z), slice(0, n_y), slice(0, n_x)))
    return np.asarray(weights / weights.sum())


@lru_cache(maxsize=2)
def _transform(voxel_mm: Point, size: tuple[int, ...]) -> NDArray[np.complex64]:
    """Return the transform of the ball: the same for every iterate."""
    from scipy import fft

    return np.asarray(fft.rfftn(_ball(voxel_mm).astype(np.float32), size))


def _highest(
    values: NDArray[np.float32], voxel_mm: Point, allowed: NDArray[np.bool_]
) -> tuple[float, tuple[int, int, int]]:
    """Return the highest mean about an allowed voxel, and which that is.

    The transform is in single precision; the best of it are summed anew in double.
    """
    from scipy import fft

    level = np.float32(values.mean(dtype=np.float64))  # what is left is small: so is its rounding
    ball = _ball(voxel_mm)
    size = [fft.next_fast_len(n, real=True) for n in values.shape]  # what wraps round is not valid
    product = fft.rfftn(values - level, size) * _transform(voxel_mm, tuple(size))
    valid = tuple(slice(k - 1, n) for k, n in zip(ball.shape, values.shape, strict=True))
    means = np.where(allowed, fft.irfftn(product, size)[valid], -np.inf).ravel()
    best = np.flatnonzero(means >= means.max() - ROUNDING * np.abs(values - level).max())
    best = best[np.argsort(-means[best], kind="stable")[:N_BEST]]
    found = list[tuple[float, tuple[int, int, int]]]()
    for k, j, i in zip(*np.unravel_index(np.sort(best), allowed.shape), strict=True):
        part = values[tuple(slice(a, a + n) for a, n in zip((k, j, i), ball.shape, strict=True))]
        found.append((float((part * ball).sum()), (int(k), int(j), int(i))))
    return max(found, key=lambda each: each[0])

"""Peak of a region: the highest mean of a 1 mL sphere centred on one of its voxels.

The voxels of a region are those whose centre is inside. Voxels at the border of the sphere count by
their share. The sphere can extend beyond the region but not beyond the image; if no sphere fits,
there is no peak. This is the peak of PERCIST (Wahl et al., J Nucl Med 50 (2009) 122S) in the
variant that searches for the highest mean, as in the EANM guideline (Boellaard et al., Eur J Nucl
Med Mol Imaging 42 (2015) 328).
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
"""Relative rounding error of a single-precision transform."""


@dataclass(frozen=True)
class Peak:
    """The highest mean of a 1 mL sphere.

    Attributes
    ----------
    value : value in the unit of the image
    at_mm : centre of the sphere (x, y, z) [mm]
    """

    value: float
    at_mm: Point


def peak_of(volume: Volume, coverage: RegionCoverage) -> Peak | None:
    """Return the peak of an image in a region.

    Parameters
    ----------
    volume
        image to measure
    coverage
        region on the grid of the image

    Returns
    -------
    Peak or None
        None if no sphere of 1 mL fits into the image
    """
    grid, middles = volume.grid, _middles(coverage)
    # From the voxel size alone: with voxels of micrometres the sphere itself would fill the memory.
    reach = _reach(grid.voxel_mm)[::-1]
    # Centres closer to the border than the sphere's radius are excluded: its mean would be partial.
    low = [max(a, r) for a, r in zip(middles.start, reach, strict=True)]
    ends = [a + n for a, n in zip(middles.start, middles.share.shape, strict=True)]
    high = [min(b, n - r) for b, n, r in zip(ends, grid.shape, reach, strict=True)]
    # The image is thinner than the sphere, as in a preview of a few slices.
    if any(a >= b for a, b in zip(low, high, strict=True)):
        return None
    # Only the box that the spheres can reach is transformed, which is much smaller than the image.
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
    """Return the voxels allowed as centres: centre inside, or all touched if there are none."""
    inside = coverage.centres if coverage.centres.any() else coverage.share > 0
    return RegionCoverage(coverage.start, inside.astype(float), inside).trimmed()


def _reach(voxel_mm: Point) -> list[int]:
    """Return the voxels (x, y, z) from the middle voxel of a sphere to its last voxel."""
    return [int(np.ceil(RADIUS_MM / edge - 0.5)) for edge in voxel_mm]


@lru_cache(maxsize=16)
def _ball(voxel_mm: Point) -> SHARES:
    """Return weights (n, n, n) of a sphere centred on the middle voxel; their sum is 1."""
    # An odd number of voxels per axis puts the centre of the sphere in the centre of a voxel.
    n_x, n_y, n_z = (2 * reach + 1 for reach in _reach(voxel_mm))
    grid = ImageGrid((n_z, n_y, n_x), voxel_mm)
    ball = ellipsoid(grid, grid.centre_mm, (RADIUS_MM,) * 3)
    weights = ball.within((slice(0, n_z), slice(0, n_y), slice(0, n_x)))
    return np.asarray(weights / weights.sum())


@lru_cache(maxsize=2)
def _transform(voxel_mm: Point, size: tuple[int, ...]) -> NDArray[np.complex64]:
    """Return the Fourier transform of the sphere, which is the same for every iterate."""
    from scipy import fft

    return np.asarray(fft.rfftn(_ball(voxel_mm).astype(np.float32), size))


def _highest(
    values: NDArray[np.float32], voxel_mm: Point, allowed: NDArray[np.bool_]
) -> tuple[float, tuple[int, int, int]]:
    """Return the highest mean around an allowed voxel, and the index of the voxel.

    The transform is in single precision; the best candidates are summed again in double precision.
    """
    from scipy import fft

    # Without the mean the values are small, and so is the rounding error of the transform.
    level = np.float32(values.mean(dtype=np.float64))
    ball = _ball(voxel_mm)
    # No padding is needed: the part that wraps around is outside `valid`.
    size = [fft.next_fast_len(n, real=True) for n in values.shape]
    product = fft.rfftn(values - level, size) * _transform(voxel_mm, tuple(size))
    valid = tuple(slice(k - 1, n) for k, n in zip(ball.shape, values.shape, strict=True))
    means = np.where(allowed, fft.irfftn(product, size)[valid], -np.inf).ravel()
    best = np.flatnonzero(means >= means.max() - ROUNDING * np.abs(values - level).max())
    best = best[np.argsort(-means[best], kind="stable")[:N_BEST]]
    found = list[tuple[float, tuple[int, int, int]]]()
    # Sorted by index, so that of equal means the first voxel wins on every computer.
    for k, j, i in zip(*np.unravel_index(np.sort(best), allowed.shape), strict=True):
        part = values[tuple(slice(a, a + n) for a, n in zip((k, j, i), ball.shape, strict=True))]
        found.append((float((part * ball).sum()), (int(k), int(j), int(i))))
    return max(found, key=lambda each: each[0])

"""Voxels that iterations need: the whole region that the rays cross.

Attenuation outside the volume is explained by voxels inside: a rim of false values at its faces, or
a completely wrong image. The volume is therefore enlarged, by whole voxels, to contain

a cylinder about z: its radius R is the largest distance of a ray from z. It extends from the lowest
to the highest point at which rays enter or leave it.

Only attenuated rays count. The image is cropped from the volume at the end. The volume does not
change if rays are steeper along z than across. Before the values are known, the rays to all pixels
give an upper limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.data.projections import Projections
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry

Region = tuple[slice, slice, slice]
Reach = tuple[float, float, float]
"""Radius about z, bottom and top [mm]."""

MET = 0.05
"""Threshold of an attenuated ray, as a fraction of the largest line integrals."""
LARGEST = 0.001
"""Fraction of the values that may exceed the "largest" one, to ignore metal and zingers."""
MAX_VIEWS = 90
"""Largest number of views that are evaluated."""
_SLACK = 0.05
"""Part of a voxel by which a volume may be too small."""


def grown(scan: Projections, grid: ImageGrid) -> tuple[ImageGrid, Region]:
    """Return the grid that contains the whole region that attenuated rays cross.

    Parameters
    ----------
    scan
        line integrals
    grid
        requested grid

    Returns
    -------
    grown
        the enlarged grid, and the region (z, y, x) of `grid` in it
    """
    return _enlarged(grid, extent_mm(scan))


def growth_limit(geometry: XrayGeometry, grid: ImageGrid) -> ImageGrid:
    """Return an upper limit for `grown` from the geometry alone.

    Parameters
    ----------
    geometry
        geometry of the scan
    grid
        requested grid
    """
    return _enlarged(grid, seen_mm(geometry))[0]


def _enlarged(grid: ImageGrid, reach: Reach | None) -> tuple[ImageGrid, Region]:
    """Return the grid with whole voxels added on all sides, and the region of `grid` in it."""
    if reach is None:
        return grid, (slice(None),) * 3
    radius, bottom, top = reach
    low = np.array([-radius, -radius, bottom])
    high = np.array([radius, radius, top])
    voxel, lower = np.array(grid.voxel_mm), np.array(grid.lower_mm)
    n = np.array(grid.shape[::-1])
    # Half a voxel more: rays at the edge still cross the last voxel.
    before, after = (
        np.maximum(np.ceil(short / voxel + 0.5 - _SLACK), 0).astype(int)
        for short in (lower - low, high - (lower + n * voxel))
    )
    # Different numbers of voxels on two sides move the centre of the grid.
    centre = np.array(grid.centre_mm) + (after - before) / 2 * voxel
    nx, ny, nz = (int(i) for i in n + before + after)
    x, y, z = (float(c) for c in centre)
    inner = [slice(int(b), int(b + k)) for b, k in zip(before, n, strict=True)]
    return ImageGrid((nz, ny, nx), grid.voxel_mm, (x, y, z)), (inner[2], inner[1], inner[0])


def extent_mm(scan: Projections) -> Reach | None:
    """Return the cylinder that attenuated rays pass through.

    Parameters
    ----------
    scan
        line integrals

    Returns
    -------
    extent_mm
        Radius, bottom and top [mm]; None if nothing attenuates or rays are too steep
    """
    views = _looked_at(scan.n_views)
    values = scan.values[views]
    most = _of_the_largest(values)
    # All values are 0 or less: nothing to enclose.
    if not most > 0:
        return None
    # The contour of the shadow suffices, because the cylinder is the hull of its rays.
    outlines = (_contour(view > MET * most) for view in values)
    starts, along = _rays(scan.geometry.select(views), outlines)
    return None if _are_steep(along).any() else _cylinder(starts, along)


def _of_the_largest(views: Array) -> float:
    """Return the value that all but a thousandth of the values stay below, view by view."""
    # The same rank as a quantile, but without a sorted copy of all values.
    n_above = views.size - int((1 - LARGEST) * (views.size - 1))
    largest = np.empty(0, views.dtype)
    for view in views:
        is_full = largest.size == n_above
        larger = view[view > largest.min()] if is_full else view.ravel()
        met = np.concatenate([largest, larger])
        largest = np.partition(met, -n_above)[-n_above:] if met.size > n_above else met
    return float(largest.min())


@lru_cache(maxsize=8)
def seen_mm(geometry: XrayGeometry) -> Reach | None:
    """Return the cylinder that the rays to all pixels pass through.

    Parameters
    ----------
    geometry
        geometry of the scan

    Returns
    -------
    seen_mm
        steep rays are ignored; None if all are steep
    """
    views = _looked_at(geometry.n_views)
    # The edge of the detector is enough, because inner rays are inside their hull.
    whole = _contour(np.ones(geometry.shape, bool))
    starts, along = _rays(geometry.select(views), [whole] * len(range(geometry.n_views)[views]))
    flat = ~_are_steep(along)
    return _cylinder(starts[flat], along[flat]) if flat.any() else None


# Evenly spaced views: the shadow changes slowly from view to view.
def _looked_at(n_views: int) -> slice:
    return slice(None, None, -(-n_views // MAX_VIEWS))


def _rays(geometry: XrayGeometry, outlines: Iterable[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return points and directions (n, 3) of the rays to these pixels of each view [mm]."""
    starts, along = [], []
    for view, (row, column) in enumerate(outlines):
        across = geometry.corner_mm[view] + (column + 0.5)[:, None] * geometry.u_mm[view]
        pixels = across + (row + 0.5)[:, None] * geometry.v_mm[view]
        # For a parallel beam, `source_mm` is the direction of the beam.
        source = geometry.source_mm[view]
        is_cone = geometry.beam == "cone"
        starts.append(np.broadcast_to(source, pixels.shape) if is_cone else pixels)
        along.append(pixels - source if is_cone else np.broadcast_to(source, pixels.shape))
    return np.concatenate(starts), np.concatenate(along)


def _are_steep(along: Array) -> NDArray[np.bool_]:
    """Return True for directions steeper than 45° to the transaxial plane."""
    return np.abs(along[:, 2]) > np.hypot(along[:, 0], along[:, 1])


def _contour(met: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return rows and columns of the first and last attenuated pixels of each row and column."""
    rows, columns = np.flatnonzero(met.any(axis=1)), np.flatnonzero(met.any(axis=0))
    n_rows, n_columns = met.shape
    left, right = met[rows].argmax(axis=1), n_columns - 1 - met[rows, ::-1].argmax(axis=1)
    lowest, highest = met[:, columns].argmax(axis=0), n_rows - 1 - met[::-1, columns].argmax(axis=0)
    return (
        np.concatenate([rows, rows, lowest, highest]),
        np.concatenate([left, right, columns, columns]),
    )


def _cylinder(starts: Array, along: Array) -> Reach:
    """Return the cylinder about z that rays start + t along pass through."""
    across = np.hypot(along[:, 0], along[:, 1])
    unit = along / across[:, None]
    middle = -np.sum(starts[:, :2] * unit[:, :2], axis=1)  # where the ray passes z, along it
    off = np.abs(starts[:, 0] * unit[:, 1] - starts[:, 1] * unit[:, 0])
    radius = float(off.max())
    half = np.sqrt(radius**2 - off**2)
    z = starts[:, 2] + unit[:, 2] * np.stack([middle - half, middle + half])
    return radius, float(z.min()), float(z.max())

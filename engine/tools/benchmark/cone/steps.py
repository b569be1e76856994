"""Count the steps of line integrals: pairs of a ray and a layer of voxels that it crosses.

A layer is perpendicular to the main axis of the ray, the one along which it moves most. Rays that
miss the volume, or leave it through a side, cross fewer layers than the volume has.
"""

from __future__ import annotations

import numpy as np

from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.scene import Scene

MAX_RAYS = 1_000_000
"""Approximate number of counted rays; scans with more rays are sampled evenly."""


def n_steps(geometry: XrayGeometry, grid: ImageGrid, max_rays: int = MAX_RAYS) -> float:
    """Return the steps of a scan: the layers in which a ray has voxels to interpolate.

    Parameters
    ----------
    geometry
        source and detector of each view
    grid
        grid of the volume
    max_rays
        approximate number of counted rays; larger scans are sampled evenly

    Returns
    -------
    steps
        exact for scans of at most `max_rays` rays, otherwise extrapolated from a sample
    """
    n_rows, n_columns = geometry.shape
    every = max(1, round((geometry.n_views * n_rows * n_columns / max_rays) ** (1 / 3)))
    # Centred, so that the sample has no bias towards the first view, row and column
    views, rows, columns = (
        np.arange((n - 1) % every // 2, n, every) for n in (geometry.n_views, n_rows, n_columns)
    )
    rays = Scene(geometry, grid).rays[views]
    counted = sum(_steps(view, rows, columns, grid.shape) for view in rays)
    n_counted = len(views) * len(rows) * len(columns)
    return counted * (geometry.n_views * n_rows * n_columns) / n_counted


def _steps(
    view: np.ndarray, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int, int]
) -> int:
    """Count the layers of some rays of a view (6, 3)."""
    first, first_column, first_row, along, along_column, along_row = view
    down, across = rows[:, None, None], columns[None, :, None]
    start = (first + across * first_column + down * first_row).reshape(-1, 3)
    direction = (along + across * along_column + down * along_row).reshape(-1, 3)
    start, direction = (
        np.broadcast_to(each, (len(rows) * len(columns), 3)) for each in (start, direction)
    )
    main = np.abs(direction).argmax(axis=1)[:, None]
    sizes = np.broadcast_to(np.array(shape[::-1]), direction.shape)
    per_layer = direction / np.take_along_axis(direction, main, axis=1)
    # The places on layer 0, relative to the centre of its first voxel
    at = start - 0.5 - (np.take_along_axis(start, main, axis=1) - 0.5) * per_layer
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([(-1 - at) / per_layer, (sizes - at) / per_layer])
    low, high = ends.min(axis=0), ends.max(axis=0)
    # A ray parallel to a side is outside the volume, or never leaves
    still = per_layer == 0
    is_outside = still & ((at <= -1) | (at >= sizes))
    low, high = (np.where(still, limit, each) for limit, each in ((-np.inf, low), (np.inf, high)))
    low[is_outside], high[is_outside] = np.inf, -np.inf
    np.put_along_axis(low, main, 0.0, axis=1)
    np.put_along_axis(high, main, np.take_along_axis(sizes, main, axis=1) - 1.0, axis=1)
    layers = np.floor(high.min(axis=1)) - np.ceil(low.max(axis=1)) + 1
    return int(np.maximum(layers, 0).sum())

"""Coarse μ-map for the scatter simulation.

Paths from scatter points to crystals are integrals of μ over decimetres. Voxels of a few
millimetres change them less than the choice of scatter points does, and the mean of voxels
preserves every integral across it. Cutting the map to the object saves the path steps through air.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.data.cropping import extent
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid


def coarsened(mu_map: Volume, max_mm: float) -> Volume:
    """Return the map cut to the attenuating part, with voxels joined.

    Parameters
    ----------
    mu_map
        attenuation coefficients at full resolution
    max_mm
        largest edge of a joined voxel [mm]

    Returns
    -------
    coarsened
        the same map if nothing attenuates
    """
    values, grid = mu_map.values, mu_map.grid
    box = extent(values > 0)
    if box is None:
        return mu_map
    voxel = np.array(grid.voxel_mm[::-1])
    # Whole numbers of voxels, at least one: no interpolation is needed.
    joined = np.maximum(1, (max_mm / voxel).astype(int))
    cut = values[tuple(slice(low, high) for low, high in box)]
    means = _means(cut, joined)
    edges = voxel * joined
    lower = np.asarray(grid.lower_mm)[::-1] + voxel * [low for low, _ in box]
    centre = lower + edges * means.shape / 2
    sizes, middle = edges[::-1].tolist(), centre[::-1].tolist()
    coarse = ImageGrid(means.shape, (sizes[0], sizes[1], sizes[2]), (*middle,))
    return Volume(means, coarse, mu_map.unit)


def _means(values: NDArray[np.float32], joined: NDArray[np.int_]) -> NDArray[np.float32]:
    """Return the means of blocks of voxels; outside the map nothing attenuates."""
    depth, height, width = joined
    # Rounding up keeps voxels at the end of an axis; the missing rest counts as 0.
    n_z, n_y, n_x = (-(-n // k) for n, k in zip(values.shape, joined, strict=True))
    means = np.empty((n_z, n_y, n_x), np.float32)
    plane = np.zeros((n_y * height, n_x * width), np.float32)
    for k in range(n_z):  # plane by plane: a map of CT is large
        plane[: values.shape[1], : values.shape[2]] = values[k * depth : (k + 1) * depth].sum(0)
        blocks = plane.reshape(n_y, height, n_x, width)
        means[k] = blocks.sum(axis=(1, 3)) / np.float32(depth * height * width)
    return means

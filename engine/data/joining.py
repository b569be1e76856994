"""Average voxels into larger ones, with the total unchanged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.data.volume import Volume


def joined(volume: Volume, factors: tuple[int, ...]) -> Volume:
    """Return the means of blocks of voxels.

    Parameters
    ----------
    volume
        the volume
    factors
        voxels of a block along x, y and z

    Returns
    -------
    volume of larger voxels; missing voxels of the last blocks count as 0
    """
    if set(factors) == {1}:
        return volume
    # Arrays are [z, y, x], sizes (x, y, z).
    by_axis = factors[::-1]
    # Number of voxels that complete the last block along each axis.
    lacking = [-n % f for n, f in zip(volume.values.shape, by_axis, strict=True)]
    values = np.pad(volume.values, [(0, n) for n in lacking])
    blocks = [part for n, f in zip(values.shape, by_axis, strict=True) for part in (n // f, f)]
    # float64 for the mean: blocks of some thousand voxels lose digits in float32.
    means = values.reshape(blocks).mean(axis=(1, 3, 5), dtype=np.float64).astype(np.float32)
    voxel = volume.grid.voxel_mm
    x, y, z = (edge * f for edge, f in zip(voxel, factors, strict=True))
    # Padding adds voxels only at the upper ends, which shifts the centre by half of them.
    centre = np.array(volume.grid.centre_mm) + np.array(lacking[::-1]) * voxel / 2
    a, b, c = (float(place) for place in centre)
    grid = replace(volume.grid, shape=means.shape, voxel_mm=(x, y, z), centre_mm=(a, b, c))
    return replace(volume, values=means, grid=grid)

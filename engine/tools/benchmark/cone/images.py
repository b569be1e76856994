"""Agreement of the images and line integrals of the head with each other and with the truth."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.simulate.xray_phantoms import shepp_logan

CORE_MM, BRAIN_MM = 20.0, 50.0
"""Radii for means and for errors."""


def middle(image: Array) -> Array:
    """Return the two slices next to z = 0, (2, n_y, n_x), where FDK is exact except for sampling.

    Parameters
    ----------
    image
        (n_z, n_y, n_x) with an even n_z
    """
    at = len(image) // 2
    # A copy, so that the whole volume can be freed
    return image[at - 1 : at + 1].copy()


def compared(images: dict[str, Array], grid: ImageGrid) -> list[Plain]:
    """Compare each image with the truth, and all pairs of images.

    Parameters
    ----------
    images
        slices from `middle`, by the name of the program
    grid
        grid of the whole volume

    Returns
    -------
    rows
        means in the core and RMSE in the brain of each pair, in 1/mm
    """
    _, n_y, n_x = grid.shape
    two = ImageGrid((2, n_y, n_x), grid.voxel_mm)
    images = images | {"truth": shepp_logan().rasterise(two, "mu").values}
    r_mm = np.hypot(grid.centres_mm(0)[None, :], grid.centres_mm(1)[:, None])
    core, brain = (np.broadcast_to(r_mm < up_to, two.shape) for up_to in (CORE_MM, BRAIN_MM))
    rows = []
    for first, second in combinations(images, 2):
        one, other = images[first], images[second]
        # float64: the sum of many float32 values loses digits that are compared here
        mean, wanted = (float(p[core].mean(dtype=np.float64)) for p in (one, other))
        rmse = np.sqrt(np.mean((one - other)[brain].astype(np.float64) ** 2))
        rows.append(
            {
                "first": first,
                "second": second,
                "first_mean_per_mm": mean,
                "second_mean_per_mm": wanted,
                "mean_relative": mean / wanted - 1,
                "rmse_per_mm": float(rmse),
            }
        )
    return rows


def error(integrals: Array, exact: Array) -> float:
    """Return the RMS error relative to the RMS of the exact integrals.

    Parameters
    ----------
    integrals, exact
        arrays of the same shape
    """
    squares = np.sum(np.square(integrals - exact), dtype=np.float64)
    return float(np.sqrt(squares / np.sum(np.square(exact), dtype=np.float64)))

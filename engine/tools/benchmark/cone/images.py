"""How well the pictures and line integrals of the head agree with each other and the truth."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.simulate.xray_phantoms import shepp_logan

CORE_MM, BRAIN_MM = 20.0, 50.0
"""Radii within which means and errors are taken."""


def middle(image: Array) -> Array:
    """(2, n_y, n_x) the two slices beside z = 0, where FDK is exact but for sampling."""
    at = len(image) // 2
    return image[at - 1 : at + 1].copy()


def compared(images: dict[str, Array], grid: ImageGrid) -> list[Plain]:
    """Compare every picture with the truth, and every two pictures."""
    _, n_y, n_x = grid.shape
    two = ImageGrid((2, n_y, n_x), grid.voxel_mm)
    images = images | {"truth": shepp_logan().rasterise(two, "mu").values}
    r_mm = np.hypot(grid.centres_mm(0)[None, :], grid.centres_mm(1)[:, None])
    core, brain = (np.broadcast_to(r_mm < up_to, two.shape) for up_to in (CORE_MM, BRAIN_MM))
    rows = []
    for first, second in combinations(images, 2):
        one, other = images[first], images[second]
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
    """Return the root of the mean square error over that of the exact integrals."""
    squares = np.sum(np.square(integrals - exact), dtype=np.float64)
    return float(np.sqrt(squares / np.sum(np.square(exact), dtype=np.float64)))

"""Size of the object, from its μ-map or from the positions of its counts.

Lines across a disc of radius a that passes photons without loss lie at s from its middle with a
density ∝ √(a² − s²): half of them within 0.404 a. Those across a body, which is darkest in its
middle, lie nearly evenly: half of them within a / 2. Without a μ-map the mean of both is taken.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.corrections.scatter_estimation.samples import LEAST_ATTENUATION, dense_mu
from engine.data.volume import Volume

MOST_LINES = 200_000
"""Lines that are looked at."""
HALF_WITHIN = (0.404 + 0.5) / 2
"""Distance that half of the lines keep within, as part of the radius."""


def size_in(mu_map: Volume | None) -> tuple[float, float] | None:
    """Return diameter and length [mm] of the object in a μ-map; None where there is none.

    The diameter is that of a disc as large as the mean slice of the object.
    """
    if mu_map is None or not mu_map.values.any():
        return None
    voxel = mu_map.grid.voxel_mm
    areas = (mu_map.values > LEAST_ATTENUATION * dense_mu(mu_map)).sum(axis=(1, 2))
    areas = areas[areas > 0] * (voxel[0] * voxel[1])
    return 2 * sqrt(float(areas.mean()) / pi), float(len(areas) * voxel[2])


def width_of(distance_mm: NDArray[np.float64], counts: NDArray[np.floating] | None = None) -> float:
    """Return the diameter [mm] of what is crossed at such distances from the axis.

    distance_mm : (n,) of lines; counts : (n,) of each, None: one
    """
    order = np.argsort(distance_mm)
    weights = np.ones(len(order)) if counts is None else counts[order].astype(np.float64)
    so_far = np.cumsum(weights)
    half = int(np.searchsorted(so_far, so_far[-1] / 2))
    return 2 / HALF_WITHIN * float(distance_mm[order[half]])

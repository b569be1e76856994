"""Size of the object, from its μ-map or from the positions of its counts.

For a disc of radius a without attenuation, lines at distance s from the centre have a density ∝
√(a² − s²): half of them are within 0.404 a. For a body, which attenuates most in its centre, the
density is nearly uniform: half of them are within a / 2. Without a μ-map the mean of both is used.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.corrections.scatter_estimation.samples import MIN_ATTENUATION, dense_mu
from engine.data.volume import Volume

MAX_LINES = 200_000
"""Number of lines that are evaluated."""
HALF_WITHIN = (0.404 + 0.5) / 2
"""Distance within which half of the lines are, as a fraction of the radius."""


def size_in(mu_map: Volume | None) -> tuple[float, float] | None:
    """Return diameter and length [mm] of the object in a μ-map; None without a map.

    The diameter is that of a disc with the area of the object's mean slice.

    Parameters
    ----------
    mu_map
        attenuation [1/mm]; None if there is none
    """
    if mu_map is None or not mu_map.values.any():
        return None
    voxel = mu_map.grid.voxel_mm
    areas = (mu_map.values > MIN_ATTENUATION * dense_mu(mu_map)).sum(axis=(1, 2))
    # Slices without the object would reduce the mean area.
    areas = areas[areas > 0] * (voxel[0] * voxel[1])
    return 2 * sqrt(float(areas.mean()) / pi), float(len(areas) * voxel[2])


def width_of(distance_mm: NDArray[np.float64], counts: NDArray[np.floating] | None = None) -> float:
    """Return the diameter [mm] of an object from the distances of its lines.

    Parameters
    ----------
    distance_mm
        (n,) distance of each line from the axis
    counts
        (n,) counts of each line; None for one each
    """
    order = np.argsort(distance_mm)
    weights = np.ones(len(order)) if counts is None else counts[order].astype(np.float64)
    so_far = np.cumsum(weights)
    # The median ignores the few randoms and scattered counts far outside the object.
    half = int(np.searchsorted(so_far, so_far[-1] / 2))
    return 2 / HALF_WITHIN * float(distance_mm[order[half]])

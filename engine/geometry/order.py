"""An order of events in which neighbours run through the same voxels.

Later steps count on locality only: a projector that takes events one after the other finds the
voxels of the last one still in the cache. No result depends on the order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_N_ANGLES, _N_RADII, _N_HEIGHTS = 64, 128, 512


def ray_order(points_mm: NDArray[np.floating], ends: NDArray[np.int32]) -> NDArray[np.int64]:
    """Permutation that sorts rays by main axis, then angle, radius and height.

    Parameters
    ----------
    points_mm
        (m, 3) points [mm]
    ends
        (n, 2) the two points of each ray
    """
    first = np.asarray(points_mm, np.float32)[ends[:, 0]]
    second = np.asarray(points_mm, np.float32)[ends[:, 1]]
    dx, dy, dz = (second - first).T
    angle = np.arctan2(dy, dx) % np.float32(np.pi)
    radius = first[:, 1] * np.cos(angle) - first[:, 0] * np.sin(angle)
    height = first[:, 2] + second[:, 2]
    axis = np.argmax(np.abs([dx, dy, dz]), axis=0)
    key = axis
    for value, n in ((angle, _N_ANGLES), (radius, _N_RADII), (height, _N_HEIGHTS)):
        key = key * n + _level(value, n)
    return np.argsort(key, kind="stable").astype(np.int64)


def _level(values: NDArray[np.floating], n: int) -> NDArray[np.int64]:
    """Number of the equal interval, of n between the extremes, in which each value lies."""
    if values.size == 0:
        return np.empty(0, np.int64)
    low, high = values.min(), values.max()
    scale = n / (high - low) if high > low else 0.0
    return np.minimum(((values - low) * scale).astype(np.int64), n - 1)

"""An order of events in which neighbours run through the same part of the image.

Later steps count on locality only: a projector that takes events one after the other finds most
of their voxels in the cache. No result depends on the order. Height goes first, since
neighbouring planes lie farthest apart in memory; finer classes, in which an event runs into the
very voxels of the last one, were measured to be slower again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_CLASSES = 16
"""Classes of height, of radius and of angle; three axes times their cube fit 16 bits."""


def ray_order(points_mm: NDArray[np.floating], ends: NDArray[np.int32]) -> NDArray[np.int64]:
    """Permutation that sorts rays by main axis, then height, radius and angle.

    Parameters
    ----------
    points_mm
        (m, 3) points [mm]
    ends
        (n, 2) the two points of each ray
    """
    x, y, z = np.asarray(points_mm, np.float32).T
    first, second = ends.T
    dx, dy, dz = x[second] - x[first], y[second] - y[first], z[second] - z[first]
    angle = np.arctan2(dy, dx) % np.float32(np.pi)
    radius = y[first] * np.cos(angle) - x[first] * np.sin(angle)
    key = _main_axis(np.abs(dx), np.abs(dy), np.abs(dz))
    for value in (z[first] + z[second], radius, angle):
        key = key * _CLASSES + _class(value)
    # numpy sorts 16-bit keys by counting them: ten times faster than 64-bit ones
    return np.argsort(key, kind="stable")


def _main_axis(
    dx: NDArray[np.floating], dy: NDArray[np.floating], dz: NDArray[np.floating]
) -> NDArray[np.uint16]:
    return np.where(dz > np.maximum(dx, dy), 2, dy > dx).astype(np.uint16)


def _class(values: NDArray[np.floating]) -> NDArray[np.uint16]:
    """Number of the equal interval between the extremes in which each value lies."""
    if values.size == 0:
        return np.empty(0, np.uint16)
    low, high = values.min(), values.max()
    scale = np.float32(_CLASSES / (high - low) if high > low else 0.0)
    return np.minimum((values - low) * scale, _CLASSES - 1).astype(np.uint16)

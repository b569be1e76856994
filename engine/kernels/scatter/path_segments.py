"""Paths between scatter points: their ends, and the means of fields along them.

A call processes the rows [start, stop) in sequence, in one thread.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_KERNEL = cached_njit(**_MATH)


class Legs(NamedTuple):
    """Paths from a scatter point to another one, (n,) each."""

    first: Array  # first scatter point
    second: Array  # second scatter point
    directions: Array  # (n, 3) unit vector from the first to the second
    weights: Array  # first weight [mm²] times solid angle, length and attenuation at the second
    attenuation: Array  # line integral of mu at 511 keV between them
    activity: Array  # line integral of activity between them


@_KERNEL
def read_means(
    start: int, stop: int, values: Array, ends: tuple[Array, Array], n_steps: int, means: Array
) -> None:
    """Compute the means of a field along the paths [start, stop), by trilinear interpolation.

    Parameters
    ----------
    start, stop
        range of paths
    values
        (n_z, n_y, n_x) field
    ends
        (n, 3) starts and (n, 3) ends, x y z in voxels from the centre of the first voxel; the field
        is 0 outside the centres of the outermost voxels
    n_steps
        steps of each path
    means
        (n,), which are written
    """
    n_z, n_y, n_x = values.shape
    begin, end = ends
    for row in range(start, stop):
        total = 0.0
        for k in range(n_steps):
            part = (k + 0.5) / n_steps
            x = begin[row, 0] + part * (end[row, 0] - begin[row, 0])
            y = begin[row, 1] + part * (end[row, 1] - begin[row, 1])
            z = begin[row, 2] + part * (end[row, 2] - begin[row, 2])
            if min(x, y, z) < 0.0 or x > n_x - 1 or y > n_y - 1 or z > n_z - 1:
                continue
            i, j, low = int(x), int(y), int(z)
            for corner in range(8):
                far, up, above = corner & 1, corner >> 1 & 1, corner >> 2
                weight = (x - i if far else 1 - x + i) * (y - j if up else 1 - y + j)
                weight *= z - low if above else 1 - z + low
                if weight > 0.0:  # at the centre of the last voxel there is no next one
                    total += weight * values[low + above, j + up, i + far]
        means[row] = total / n_steps


@_KERNEL
def find_nearest(start: int, stop: int, places: Array, points: Array, found: Array) -> None:
    """Find the point nearest to each of the places [start, stop); of equal distances the first.

    Parameters
    ----------
    start, stop
        range of places
    places
        (n, 3)
    points
        (3, m) float32, in the same units
    found
        (n,) index of the point, which is written
    """
    for row in range(start, stop):
        x, y, z = np.float32(places[row, 0]), np.float32(places[row, 1]), np.float32(places[row, 2])
        least = np.int64(2**63 - 1)
        for p in range(points.shape[1]):
            dx, dy, dz = points[0, p] - x, points[1, p] - y, points[2, p] - z
            # Bit patterns of non-negative floats have the same order as the floats. Distance and
            # index form one integer, so that a vectorised minimum finds both.
            bits = np.float32(dx * dx + dy * dy + dz * dz).view(np.int32)
            key = np.int64(bits) << np.int64(32) | np.int64(p)
            least = min(least, key)
        found[row] = least & np.int64(0xFFFFFFFF)

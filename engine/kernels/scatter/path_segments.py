"""Ways between scatter points: where they end, and the means of fields along them.

A call takes the rows [start, stop) one after the other, in one thread.
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
    """Ways from a scatter point to another one, (n,) each."""

    first: Array  # scatter point
    second: Array
    directions: Array  # (n, 3) unit vector from the first to the second
    weights: Array  # of the first [mm²] times solid angle, length and attenuation at the second
    attenuation: Array  # line integral of mu at 511 keV between them
    activity: Array  # line integral of activity between them


@_KERNEL
def read_means(
    start: int, stop: int, values: Array, ends: tuple[Array, Array], n_steps: int, means: Array
) -> None:
    """Fill the means over steps of the ways [start, stop), linear between middles of voxels.

    ends : (n, 3) each, x y z counted in voxels from the middle of the first: beyond that, and
        beyond the middle of the last, there is nothing
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
                if weight > 0.0:  # at the middle of the last voxel there is none behind
                    total += weight * values[low + above, j + up, i + far]
        means[row] = total / n_steps


@_KERNEL
def find_nearest(start: int, stop: int, places: Array, points: Array, found: Array) -> None:
    """Fill which point is nearest to each of the places [start, stop), of equals the first.

    places : (n, 3); points : (3, m) float32, in the same units
    """
    for row in range(start, stop):
        x, y, z = np.float32(places[row, 0]), np.float32(places[row, 1]), np.float32(places[row, 2])
        least = np.int64(2**63 - 1)
        for p in range(points.shape[1]):
            dx, dy, dz = points[0, p] - x, points[1, p] - y, points[2, p] - z
            # floats that are not negative lie in the order of their bits: distance and number are
            # one integer, the least of which is found in vectors
            bits = np.float32(dx * dx + dy * dy + dz * dz).view(np.int32)
            key = np.int64(bits) << np.int64(32) | np.int64(p)
            least = min(least, key)
        found[row] = least & np.int64(0xFFFFFFFF)

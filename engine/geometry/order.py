"""Sort events so that neighbours pass through the same part of the image.

Later steps rely only on locality: a projector that processes events in sequence finds most of their
voxels in the cache. Lines are classified by height, tilt, angle and radius, and the classes are
sorted along a Morton curve, which interleaves the bits of all four. Events at any distance in the
list are then as close in space as possible, and share voxels at every level of the cache. Height
and tilt come first, because planes are farthest apart in memory. Finer classes, in which successive
events cross exactly the same voxels, were measured to be slower.

The classes depend only on the scanner, so the position of an event is known when it is read. The
code uses only sums, products, quotients and square roots, which all devices round alike. The order,
and so the subsets of events, are equal on all devices. Changing the order changes the state of a
run between updates (`Protocol.state_version`): a resumed run must not get other subsets.

Curve: G. M. Morton, A computer oriented geodetic data base and a new technique in file sequencing,
IBM, Ottawa 1966.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of

N_HEIGHTS, N_TILTS, N_ANGLES, N_RADII = 16, 4, 16, 16
"""Numbers of classes; with the bit for rays along z they need 15 bits."""
N_KEYS = 1 << 15
"""Number of keys, from 0."""
_CHUNK = 1 << 18
"""Rays of one step; its intermediate values stay in the cache."""
_CHUNK_ON_GPU = 1 << 22
MIN_MM = np.float32(1e-20)
"""Minimum transaxial length: a ray along the axis has neither radius nor angle."""


@dataclass(frozen=True)
class OrderClasses:
    """Classes of the rays between some points.

    Attributes
    ----------
    points_mm : (m, 3) float32
    low : (4,) float32, minima of twice the height [mm], tilt [mm], angle and radius [mm]
    scale : (4,) float32, classes per unit of each
    """

    points_mm: NDArray[np.float32]
    low: NDArray[np.float32]
    scale: NDArray[np.float32]

    @classmethod
    def of(cls, points_mm: Array) -> OrderClasses:
        """Return the classes of rays between points.

        Parameters
        ----------
        points_mm
            (m, 3) NumPy array
        """
        # float32 on all devices: float64 classes could differ at their borders.
        points = np.ascontiguousarray(points_mm, np.float32)
        x, y, z = points.T
        far = np.sqrt((x * x + y * y).max(initial=0))
        bottom, top = z.min(initial=0), z.max(initial=0)
        # Extremes of the scanner, not of the events: a chunk of events gets the same classes as the
        # whole.
        low = np.array([2 * bottom, bottom - top, 0, -far], np.float32)
        span = np.array([2 * top, top - bottom, 2, far], np.float32) - low
        whole = np.array([N_HEIGHTS, N_TILTS, N_ANGLES, N_RADII], np.float32)
        # A scanner with one ring has no range of heights or tilts: all rays are in class 0.
        scale = np.divide(whole, span, out=np.zeros(4, np.float32), where=span > 0)
        return cls(points, low, scale)


def ray_order(points_mm: Array, ends: Array) -> Array:
    """Return the permutation that sorts rays by their classes.

    Parameters
    ----------
    points_mm
        (m, 3) points
    ends
        (n, 2) the two points of each ray, on any device

    Returns
    -------
    (n,) int64, on the device of `ends`
    """
    # NumPy sorts 16-bit keys by radix sort, ten times faster than 64-bit keys
    return module_of(ends).argsort(ray_keys(OrderClasses.of(points_mm), ends), kind="stable")


def ray_keys(classes: OrderClasses, ends: Array) -> Array:
    """Return the class of each ray.

    Parameters
    ----------
    classes
        classes of the points
    ends
        (n, 2) the two points of each ray, on any device

    Returns
    -------
    (n,) uint16, on the device of `ends`
    """
    xp, n = module_of(ends), len(ends)
    points, key = xp.asarray(classes.points_mm), xp.empty(n, np.uint16)
    # A GPU needs many rays to be busy, a CPU a working set that fits into the cache.
    chunk = _CHUNK if xp is np else _CHUNK_ON_GPU
    numbers = N_HEIGHTS, N_TILTS, N_ANGLES, N_RADII
    for start in range(0, n, chunk):
        rows = slice(start, start + chunk)
        # Rays along z go to the end: they have another main axis and would divide a warp.
        along_z, *places = _place(points, ends[rows])
        found = map(_class, places, classes.low, classes.scale, numbers)
        key[rows] = (along_z.astype(np.uint16) << 14) | interleaved(*found)
    return key


def interleaved(height: Array, tilt: Array, angle: Array, radius: Array) -> Array:
    """Return the position on the Morton curve, 14 bits: h3 h2 h1 t1 h0 t0 a3 r3 a2 r2 a1 r1 a0 r0.

    Parameters
    ----------
    height, angle, radius
        (n,) uint16, 0 ... 15
    tilt
        (n,) uint16, 0 ... 3
    """
    # Three bits of height, then tilt and the last bit of height alternate.
    upper = (height & 14) << 2 | (tilt & 2) << 1 | (height & 1) << 1 | tilt & 1
    separated = angle << 8 | radius  # one pass spreads the bits of both
    separated = (separated | separated << 2) & 0x3333
    separated = (separated | separated << 1) & 0x5555
    return upper << 8 | separated >> 7 & 0xAA | separated & 0x55


def _place(points_mm: Array, ends: Array) -> tuple[Array, ...]:
    """Return if a ray runs along z; twice its height [mm], tilt [mm], angle and radius [mm].

    The tilt is the height difference from the end with the smaller y to the other one, in either
    direction of the ray. Rays of one class that do not run along z have the same main axis, as the
    threads of a GPU warp require: |dx| = |dy| at the angles 0.5 and 1.5, which are class borders.
    """
    xp = module_of(ends)
    a, b = points_mm[ends[:, 0]], points_mm[ends[:, 1]]
    dx, dy, dz = (b - a).T
    length = xp.maximum(xp.sqrt(dx * dx + dy * dy), MIN_MM)
    # A direction that does not depend on the order of the two crystals.
    upwards = (dy > 0) | ((dy == 0) & (dx >= 0))
    radius = (a[:, 1] * dx - a[:, 0] * dy) / xp.where(upwards, length, -length)
    across, up = xp.abs(dx), xp.abs(dy)
    along_z = xp.abs(dz) > xp.maximum(across, up)
    tilt = xp.where(upwards, dz, -dz)
    return along_z, a[:, 2] + b[:, 2], tilt, _angle(dx, across, up, upwards), radius


def _angle(dx: Array, across: Array, up: Array, upwards: Array) -> Array:
    """Return a function that increases with the angle: 0 along x, 1 along y, 2 along −x."""
    xp = module_of(dx)
    # A quotient instead of an arctangent, which devices round differently.
    quarter = up / xp.maximum(across + up, MIN_MM)
    return xp.where((dx >= 0) == upwards, quarter, np.float32(2) - quarter)


def _class(values: Array, low: np.float32, scale: np.float32, n_classes: int) -> Array:
    """Return the number of the equal interval that contains each value."""
    xp = module_of(values)
    # Values at the upper end belong to the last class, not to one beyond it.
    inside = xp.maximum((values - low) * scale, np.float32(0))
    return xp.minimum(inside, np.float32(n_classes - 1)).astype(np.uint16)

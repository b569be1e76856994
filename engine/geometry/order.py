"""An order of events in which neighbours run through the same part of the image.

Later steps count on locality only: a projector that takes events one after the other finds most
of their voxels in the cache. Lines are put in classes of height, tilt, angle and radius, and these
in order along a Morton curve, which takes the bits of the four in turns. Events at any distance in
the list are then as near in space as can be: they share voxels at every scale of cache. Height and
tilt go first, since planes lie farthest apart in memory. Finer classes, in which an event runs into
the very voxels of the last one, were measured to be slower.

Classes are those of the scanner, whatever its events: an event's place is known when it is read.
Sums, products, quotients and square roots only, which every device rounds alike: the order, and
so the subsets of the events, are the same on all of them. Another order is another state of a run
between its updates (`Protocol.state_version`): one that goes on must not meet other subsets.

Curve: G. M. Morton, A computer oriented geodetic data base and a new technique in file sequencing,
IBM, Ottawa 1966.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of

N_HEIGHTS, N_TILTS, N_ANGLES, N_RADII = 16, 4, 16, 16
"""Classes of each; the four, and whether a ray runs along z, take 15 bits."""
N_KEYS = 1 << 15
"""Numbers of classes that rays may have, from 0."""
_CHUNK = 1 << 18
"""Rays looked at together; what is in between then stays in the cache."""
_CHUNK_ON_GPU = 1 << 22
LEAST_MM = np.float32(1e-20)
"""Stands for the transaxial length of a ray along the axis, which has neither radius nor angle."""


@dataclass(frozen=True)
class OrderClasses:
    """How rays between some points are put into classes.

    Attributes
    ----------
    points_mm : (m, 3) float32
    low : (4,) float32, least of twice the height [mm], the tilt [mm], the angle and the radius [mm]
    scale : (4,) float32, classes per unit of each
    """

    points_mm: NDArray[np.float32]
    low: NDArray[np.float32]
    scale: NDArray[np.float32]

    @classmethod
    def of(cls, points_mm: Array) -> OrderClasses:
        """Return the classes of the rays between points (m, 3) [mm], of the host."""
        points = np.ascontiguousarray(points_mm, np.float32)
        x, y, z = points.T
        far = np.sqrt((x * x + y * y).max(initial=0))
        bottom, top = z.min(initial=0), z.max(initial=0)
        low = np.array([2 * bottom, bottom - top, 0, -far], np.float32)
        span = np.array([2 * top, top - bottom, 2, far], np.float32) - low
        whole = np.array([N_HEIGHTS, N_TILTS, N_ANGLES, N_RADII], np.float32)
        scale = np.divide(whole, span, out=np.zeros(4, np.float32), where=span > 0)
        return cls(points, low, scale)


def ray_order(points_mm: Array, ends: Array) -> Array:
    """Permutation (n,) int64 that sorts rays by their classes.

    Parameters
    ----------
    points_mm
        (m, 3) points [mm]
    ends
        (n, 2) the two points of each ray; the permutation is made where they are
    """
    # numpy sorts 16-bit keys by counting them: ten times faster than 64-bit ones
    return module_of(ends).argsort(ray_keys(OrderClasses.of(points_mm), ends), kind="stable")


def ray_keys(classes: OrderClasses, ends: Array) -> Array:
    """Class (n,) uint16 of each ray between two of the points of some classes.

    Parameters
    ----------
    classes
        of points
    ends
        (n, 2) the two points of each ray; the classes are made where they are
    """
    xp, n = module_of(ends), len(ends)
    points, key = xp.asarray(classes.points_mm), xp.empty(n, np.uint16)
    chunk = _CHUNK if xp is np else _CHUNK_ON_GPU
    numbers = N_HEIGHTS, N_TILTS, N_ANGLES, N_RADII
    for start in range(0, n, chunk):
        rows = slice(start, start + chunk)
        along_z, *places = _place(points, ends[rows])
        found = map(_class, places, classes.low, classes.scale, numbers)
        key[rows] = (along_z.astype(np.uint16) << 14) | interleaved(*found)
    return key


def interleaved(height: Array, tilt: Array, angle: Array, radius: Array) -> Array:
    """Place on the curve, of 14 bits: h3 h2 h1 t1 h0 t0 a3 r3 a2 r2 a1 r1 a0 r0.

    height, angle, radius : (n,) uint16, 0 ... 15
    tilt : (n,) uint16, 0 ... 3
    """
    upper = (height & 14) << 2 | (tilt & 2) << 1 | (height & 1) << 1 | tilt & 1
    apart = angle << 8 | radius  # their bits move apart together
    apart = (apart | apart << 2) & 0x3333
    apart = (apart | apart << 1) & 0x5555
    return upper << 8 | apart >> 7 & 0xAA | apart & 0x55


def _place(points_mm: Array, ends: Array) -> tuple[Array, ...]:
    """Whether a ray runs along z; twice its height [mm], tilt [mm], angle and radius [mm].

    The tilt is the height from the end of smaller y to the other one, whatever the direction.
    Rays of one class that do not run along z share their main axis, which a GPU asks of the threads
    of a warp: |dx| = |dy| at the angles 0.5 and 1.5, which are borders of classes.
    """
    xp = module_of(ends)
    a, b = points_mm[ends[:, 0]], points_mm[ends[:, 1]]
    dx, dy, dz = (b - a).T
    length = xp.maximum(xp.sqrt(dx * dx + dy * dy), LEAST_MM)
    upwards = (dy > 0) | ((dy == 0) & (dx >= 0))
    radius = (a[:, 1] * dx - a[:, 0] * dy) / xp.where(upwards, length, -length)
    across, up = xp.abs(dx), xp.abs(dy)
    along_z = xp.abs(dz) > xp.maximum(across, up)
    tilt = xp.where(upwards, dz, -dz)
    return along_z, a[:, 2] + b[:, 2], tilt, _angle(dx, across, up, upwards), radius


def _angle(dx: Array, across: Array, up: Array, upwards: Array) -> Array:
    """Grow with the angle of a line, from 0 along x over 1 along y to 2 along −x."""
    xp = module_of(dx)
    quarter = up / xp.maximum(across + up, LEAST_MM)
    return xp.where((dx >= 0) == upwards, quarter, np.float32(2) - quarter)


def _class(values: Array, low: np.float32, scale: np.float32, n_classes: int) -> Array:
    """Number of the equal interval in which each value lies."""
    xp = module_of(values)
    inside = xp.maximum((values - low) * scale, np.float32(0))
    return xp.minimum(inside, np.float32(n_classes - 1)).astype(np.uint16)

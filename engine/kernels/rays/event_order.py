"""Spatial sorting of events while they are read: the class of each event, and its position.

The classes are those of `engine.geometry.order.ray_keys`. They are computed with the same float32
operations, so the order is identical: along a Morton curve through the space of lines (Morton, IBM
1966). Neighbours on the curve share voxels at every level of the cache. Finer classes, in which
successive events cross exactly the same voxels, were measured to be slower. An event with a class
in `other` retains it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

# No fused operations: they would move events at the edge of a class.
_STRICT: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_STRICT)
_INLINE = njit(inline="always", **_STRICT)
_MIN_MM = np.float32(1e-20)
_0, _2 = np.float32(0), np.float32(2)
_LAST, _LAST_TILT = np.float32(15), np.float32(3)

AT_ONCE = 1024
"""Events that are gathered first, so that their classification can be vectorised."""


@_KERNEL
def classify(
    points: Array, low: Array, scale: Array, ends: Array, other: Array,
    work: Array, keys: Array, counts: Array,
) -> None:  # fmt: skip
    """Write the class of each event, and count the events of each class.

    Parameters
    ----------
    points, low, scale
        see `engine.geometry.order.OrderClasses`
    ends
        (n, 2) int32 crystals of each event
    other
        (n,) uint16 class of an event that is not sorted along space; 0 for sorted events
    work
        (6, AT_ONCE) float32 working memory
    keys
        (n,) uint16 classes, which are written
    counts
        (n_classes,) int64, which are added to
    """
    for start in range(0, len(ends), AT_ONCE):
        n = min(AT_ONCE, len(ends) - start)
        for k in range(n):
            a, b = ends[start + k, 0], ends[start + k, 1]
            for axis in range(3):
                work[axis, k] = points[a, axis]
                work[3 + axis, k] = points[b, axis]
        _classes_of(n, work, low, scale, keys[start : start + n])
        for k in range(n):
            if other[start + k] != 0:
                keys[start + k] = other[start + k]
            counts[keys[start + k]] += 1


@_INLINE
def _classes_of(n: int, work: Array, low: Array, scale: Array, keys: Array) -> None:
    """Write the classes of the first n events that are gathered."""
    low_z, low_t, low_a, low_r = low[0], low[1], low[2], low[3]
    scale_z, scale_t, scale_a, scale_r = scale[0], scale[1], scale[2], scale[3]
    for k in range(np.int32(n)):
        x, y, z = work[0, k], work[1, k], work[2, k]
        dx, dy, dz = work[3, k] - x, work[4, k] - y, work[5, k] - z
        length = max(np.sqrt(dx * dx + dy * dy), _MIN_MM)
        upwards = (dy > _0) | ((dy == _0) & (dx >= _0))
        radius = (y * dx - x * dy) / (length if upwards else -length)
        tilt = dz if upwards else -dz
        across, up = abs(dx), abs(dy)
        along_z = np.int32(abs(dz) > max(across, up))
        quarter = up / max(across + up, _MIN_MM)
        angle = quarter if (dx >= _0) == upwards else _2 - quarter
        in_z = np.int32(min(max((z + work[5, k] - low_z) * scale_z, _0), _LAST))
        in_t = np.int32(min(max((tilt - low_t) * scale_t, _0), _LAST_TILT))
        in_a = np.int32(min(max((angle - low_a) * scale_a, _0), _LAST))
        in_r = np.int32(min(max((radius - low_r) * scale_r, _0), _LAST))
        keys[k] = np.uint16(along_z << 14 | _interleaved(in_z, in_t, in_a, in_r))


@_INLINE
def _interleaved(height: np.int32, tilt: np.int32, angle: np.int32, radius: np.int32) -> np.int32:
    """Return the position on the curve, as in `engine.geometry.order.interleaved`."""
    upper = (height & 14) << 2 | (tilt & 2) << 1 | (height & 1) << 1 | tilt & 1
    spaced = angle << 8 | radius
    spaced = (spaced | spaced << 2) & 0x3333
    spaced = (spaced | spaced << 1) & 0x5555
    return upper << 8 | spaced >> 7 & 0xAA | spaced & 0x55


@_KERNEL
def place(keys: Array, starts: Array, column: Array, out: Array) -> None:
    """Append the values of a column to those of the same class.

    Parameters
    ----------
    keys
        (n,) uint16 classes
    starts
        (n_classes,) int64 position of the next value of each class, which is advanced
    column
        (n,) values
    out
        values of all events, sorted by class
    """
    for row in range(len(keys)):
        key = keys[row]
        at = starts[key]
        out[at] = column[row]
        starts[key] = at + 1

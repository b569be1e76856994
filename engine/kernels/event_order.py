"""Events put in order along space while they are read: the class of each, and its place.

The classes are those of `engine.geometry.order.ray_order`, operation by operation in float32, so
that the order is the same bits. Events with the class of another kind, which is given, keep it.
"""

from __future__ import annotations

import math

import numpy as np

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit

# every operation as written: a fused one would move events at the edge of a class
_KERNEL = cached_njit(error_model="numpy", _nrt=False)
_CLASSES = 16
_LEAST_MM = np.float32(1e-20)
_0, _2, _TOP = np.float32(0), np.float32(2), np.float32(_CLASSES - 1)


@_KERNEL
def classify(
    points: Array, low: Array, scale: Array, ends: Array, other: Array, keys: Array, counts: Array
) -> None:
    """Write the class of each event, and count the events of each class.

    points (m, 3), low (3,), scale (3,) : see `engine.geometry.order.OrderClasses`
    ends (n, 2) int32 : crystals of each event
    other (n,) uint16 : class of an event that is not in order along space; 0 of one that is
    keys (n,) uint16, counts (n_classes,) int64 : what is found; the counts are added to
    """
    for row in range(len(ends)):
        key = np.int64(other[row])
        if key == 0:
            a, b = ends[row, 0], ends[row, 1]
            x, y, z = points[a, 0], points[a, 1], points[a, 2]
            dx, dy, dz = points[b, 0] - x, points[b, 1] - y, points[b, 2] - z
            length = max(math.sqrt(dx * dx + dy * dy), _LEAST_MM)
            upwards = dy > _0 or (dy == _0 and dx >= _0)
            radius = (y * dx - x * dy) / (length if upwards else -length)
            across, up = abs(dx), abs(dy)
            axis = 1 if up > across else 0
            if abs(dz) > max(across, up):
                axis = 2
            quarter = up / max(across + up, _LEAST_MM)
            angle = quarter if (dx >= _0) == upwards else _2 - quarter
            height = z + points[b, 2]
            key = np.int64(axis)
            key = key * _CLASSES + np.int64(min(max((height - low[0]) * scale[0], _0), _TOP))
            key = key * _CLASSES + np.int64(min(max((radius - low[1]) * scale[1], _0), _TOP))
            key = key * _CLASSES + np.int64(min(max((angle - low[2]) * scale[2], _0), _TOP))
        keys[row] = key
        counts[key] += 1


@_KERNEL
def place(keys: Array, starts: Array, column: Array, out: Array) -> None:
    """Put a column's values behind those of the same classes before.

    keys (n,) uint16 : classes
    starts (n_classes,) int64 : where the next value of each class goes; moved on
    column (n,), out (all,) : values, and where they go
    """
    for row in range(len(keys)):
        key = keys[row]
        at = starts[key]
        out[at] = column[row]
        starts[key] = at + 1

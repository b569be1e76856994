"""Paths from scatter points to detector samples: where they go, what they pass and what is seen.

A call takes the points [start, stop) one after the other, in one thread. Fields have a border of a
voxel of nothing, beyond which no place is looked at, so that steps have no branches. The formulas
stand in `engine.scatter.simulation`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.plain import Plain

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)


class Field(NamedTuple):
    """Values in space: of activity, or of attenuation."""

    values: Array  # (n_z, n_y, n_x); (n_z + 2, n_y + 2, n_x + 2) with a border
    lower_mm: Array  # (3,) centre of the first voxel that is none of the border, x y z
    voxel_mm: Array  # (3,)


class Samples(NamedTuple):
    """Detector samples: places, normals and what their crystals do."""

    places_mm: Array  # (n, 3)
    normals: Array  # (n, 3)
    depth_mm: float
    removal_per_mm: float


class Paths(NamedTuple):
    """What lies between scatter points and detector samples, (points, samples) each."""

    directions: Array  # (points, 3, samples) unit vector from point to sample
    length_mm: Array
    seen: Array  # efficiency / distance², 1/mm²
    attenuation: Array  # line integral of mu
    reaching: Array  # seen, of photons that are not scattered on the path
    total: Array  # line integral of activity
    activity: Array  # (..., n + 1) integral up to each time step, blurred; (..., 0) without time


class Steps(NamedTuple):
    """How activity on a path is binned: from the scatter point backwards."""

    step_mm: float
    first_mm: float  # place of the first edge, negative: before the point
    edges: Array  # (2 n + 1,) distribution function of the timing error; empty without time


@_INLINE
def _at(
    values: Array, sizes: tuple[int, int, int], x: np.float32, y: np.float32, z: np.float32
) -> np.float32:
    """Value at a place counted in voxels of a bordered field, trilinear between their centres."""
    # numbers of 32 bits, choices for branches, none that counts from the end: loops of it run on
    # vectors
    zero, one = np.float32(0), np.uint32(1)
    most_x, most_y = np.float32(sizes[2] - 1.001), np.float32(sizes[1] - 1.001)
    most_z = np.float32(sizes[0] - 1.001)
    x, y, z = (x if x > zero else zero), (y if y > zero else zero), (z if z > zero else zero)
    x, y = (x if x < most_x else most_x), (y if y < most_y else most_y)
    z = z if z < most_z else most_z
    i, j, k = np.int32(x), np.int32(y), np.int32(z)
    x, y, z = x - np.float32(i), y - np.float32(j), z - np.float32(k)
    row, plane = np.int32(sizes[2]), np.int32(sizes[2] * sizes[1])
    at = np.uint32(k * plane + j * row + i)
    at_y, at_z = np.uint32(at + np.uint32(row)), np.uint32(at + np.uint32(plane))
    at_yz = np.uint32(at_z + np.uint32(row))
    near = values[at] + x * (values[np.uint32(at + one)] - values[at])
    far = values[at_y] + x * (values[np.uint32(at_y + one)] - values[at_y])
    low = near + y * (far - near)
    near = values[at_z] + x * (values[np.uint32(at_z + one)] - values[at_z])
    far = values[at_yz] + x * (values[np.uint32(at_yz + one)] - values[at_yz])
    high = near + y * (far - near)
    return np.float32(low + z * (high - low))


@_INLINE
def _in_voxels(field: Field, axis: int, point: Array, direction: Array) -> tuple[float, float]:
    """Place of the point along an axis, and how far 1 mm of the path goes, counted in voxels."""
    per_mm = 1.0 / field.voxel_mm[axis]
    return (point[axis] - field.lower_mm[axis]) * per_mm + 1.0, direction[axis] * per_mm


@_INLINE
def _reach(field: Field, point: Array, direction: Array, length: float) -> tuple[float, float]:
    """Part of a path in which it may meet the field, from the point on [mm]."""
    near, far = 0.0, length
    sizes = field.values.shape[2], field.values.shape[1], field.values.shape[0]
    for axis in range(3):
        low = field.lower_mm[axis] - field.voxel_mm[axis] - point[axis]
        high = low + (sizes[axis] - 1) * field.voxel_mm[axis]
        slope = direction[axis]
        if abs(slope) < 1e-12:
            if low > 0.0 or high < 0.0:
                return 0.0, 0.0
        else:
            one, other = low / slope, high / slope
            near, far = max(near, min(one, other)), min(far, max(one, other))
    return near, max(near, far)


@_INLINE
def _integral(field: Field, point: Array, direction: Array, length: float, step: float) -> float:
    near, far = _reach(field, point, direction, length)
    n = math.ceil((far - near) / step)
    if n <= 0:
        return 0.0
    step = (far - near) / n
    x, dx = _in_voxels(field, 0, point, direction)
    y, dy = _in_voxels(field, 1, point, direction)
    z, dz = _in_voxels(field, 2, point, direction)
    at = near + 0.5 * step
    x1, y1, z1 = np.float32(x + at * dx), np.float32(y + at * dy), np.float32(z + at * dz)
    dx1, dy1, dz1 = np.float32(step * dx), np.float32(step * dy), np.float32(step * dz)
    flat, sizes = field.values.reshape(-1), field.values.shape
    total = np.float32(0)
    for k in range(n):
        n_on = np.float32(k)
        total += _at(flat, sizes, x1 + n_on * dx1, y1 + n_on * dy1, z1 + n_on * dz1)
    return float(total) * step


@_INLINE
def _activity(
    field: Field, point: Array, direction: Array, length: float, steps: Steps, cells: Array,
    out: Array,
) -> None:  # fmt: skip
    """Fill the blurred integral of activity up to each edge; cells : working space."""
    n = cells.size
    cells[:] = 0.0
    near, far = _reach(field, point, direction, length)
    fine = 0.5 * min(field.voxel_mm[0], field.voxel_mm[1], field.voxel_mm[2])
    count = math.ceil((far - near) / fine)
    if count > 0:
        fine = (far - near) / count
    x, dx = _in_voxels(field, 0, point, direction)
    y, dy = _in_voxels(field, 1, point, direction)
    z, dz = _in_voxels(field, 2, point, direction)
    flat, sizes = field.values.reshape(-1), field.values.shape
    for k in range(max(count, 0)):
        at = near + (k + 0.5) * fine
        x1, y1, z1 = np.float32(x + at * dx), np.float32(y + at * dy), np.float32(z + at * dz)
        value = _at(flat, sizes, x1, y1, z1)
        cell = int((-at - steps.first_mm) / steps.step_mm)
        cells[min(max(cell, 0), n - 1)] += value * fine
    for i in range(n + 1):
        total = 0.0
        for k in range(n):
            total += cells[k] * steps.edges[n + i - k]
        out[i] = total


@_KERNEL
def trace_paths(
    start: int, stop: int, points: Array, samples: Samples, activity: Field, mu: Field,
    steps: Steps, out: Paths,
) -> None:  # fmt: skip
    """Fill the paths of the scatter points [start, stop) to all samples."""
    n_steps = max(out.activity.shape[2] - 1, 0)
    cells = np.empty(max(n_steps, 1))
    direction = np.empty(3)
    step_mm = 0.5 * min(mu.voxel_mm[0], mu.voxel_mm[1], mu.voxel_mm[2])
    even_mm = 0.5 * min(activity.voxel_mm[0], activity.voxel_mm[1], activity.voxel_mm[2])
    straight = -math.expm1(-samples.removal_per_mm * samples.depth_mm)
    for s in range(start, stop):
        point = points[s]
        for d in range(len(samples.places_mm)):
            length2 = 0.0
            for axis in range(3):
                direction[axis] = samples.places_mm[d, axis] - point[axis]
                length2 += direction[axis] ** 2
            length = math.sqrt(length2)
            cosine = 0.0
            for axis in range(3):
                direction[axis] /= length
                cosine += direction[axis] * samples.normals[d, axis]
                out.directions[s, axis, d] = direction[axis]
            seen = 0.0
            if cosine > 1e-6:
                through = samples.removal_per_mm * samples.depth_mm / cosine
                seen = -cosine * math.expm1(-through) / straight
            out.length_mm[s, d] = length
            out.seen[s, d] = seen / length2
            out.attenuation[s, d] = _integral(mu, point, direction, length, step_mm)
            out.reaching[s, d] = out.seen[s, d] * math.exp(-out.attenuation[s, d])
            if n_steps:
                _activity(activity, point, direction, length, steps, cells, out.activity[s, d])
                out.total[s, d] = out.activity[s, d, n_steps]
            else:
                out.total[s, d] = _integral(activity, point, direction, length, even_mm)

"""Single scatter: what each scatter point sends to pairs of detector samples.

A call takes the rows [start, stop) one after the other, in one thread; every row is written by one
call alone, and its terms are added in a fixed order, so that results have the same bits for any
number of threads. The formulas stand in `engine.scatter.simulation`.
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
_CALLED = njit(**_MATH)


class Field(NamedTuple):
    """Values in space: of activity, or of attenuation."""

    values: Array  # (n_z, n_y, n_x)
    lower_mm: Array  # (3,) centre of the first voxel, x y z
    voxel_mm: Array  # (3,)


class Samples(NamedTuple):
    """Detector samples: places, normals and what their crystals do."""

    places_mm: Array  # (n, 3)
    normals: Array  # (n, 3)
    depth_mm: float
    removal_per_mm: float


class Paths(NamedTuple):
    """What lies between scatter points and detector samples, (points, samples) each."""

    directions: Array  # (..., 3) unit vector from point to sample
    length_mm: Array
    seen: Array  # efficiency / distance², 1/mm²
    attenuation: Array  # line integral of mu
    activity: Array  # (..., n + 1) integral up to each time step, blurred; one value without time


class Steps(NamedTuple):
    """How activity on a path is binned: from the scatter point backwards."""

    step_mm: float
    first_mm: float  # place of the first edge, negative: before the point
    edges: Array  # (2 n + 1,) distribution function of the timing error; empty without time


class AngleTables(NamedTuple):
    """Tables over the cosine of the scattering angle, from `least` to 1."""

    least: float
    chance: Array  # per steradian, times the window's relative efficiency
    growth: Array  # attenuation after over attenuation before, minus 1


@_INLINE
def _corner(values: Array, k: int, j: int, i: int) -> float:
    n_z, n_y, n_x = values.shape
    if 0 <= k < n_z and 0 <= j < n_y and 0 <= i < n_x:
        return float(values[k, j, i])
    return 0.0


@_INLINE
def _at(values: Array, x: float, y: float, z: float) -> float:
    """Value at a place counted in voxels, trilinear between their centres; 0 outside."""
    n_z, n_y, n_x = values.shape
    if 0.0 <= x < n_x - 1 and 0.0 <= y < n_y - 1 and 0.0 <= z < n_z - 1:
        # unsigned: no number of a voxel counts from the end, which would be looked at each time
        i, j, k = np.uint64(x), np.uint64(y), np.uint64(z)
        one = np.uint64(1)
        x, y, z = x - i, y - j, z - k
        low = (1 - y) * ((1 - x) * values[k, j, i] + x * values[k, j, i + one])
        low += y * ((1 - x) * values[k, j + one, i] + x * values[k, j + one, i + one])
        k += one
        high = (1 - y) * ((1 - x) * values[k, j, i] + x * values[k, j, i + one])
        high += y * ((1 - x) * values[k, j + one, i] + x * values[k, j + one, i + one])
        return float((1 - z) * low + z * high)
    return _at_edge(values, x, y, z)


@_CALLED
def _at_edge(values: Array, x: float, y: float, z: float) -> float:
    """The same within a voxel of the edge, beyond which everything is 0."""
    n_z, n_y, n_x = values.shape
    if not (-1.0 < x < n_x and -1.0 < y < n_y and -1.0 < z < n_z):
        return 0.0
    i, j, k = math.floor(x), math.floor(y), math.floor(z)
    x, y, z = x - i, y - j, z - k
    low = (1 - y) * ((1 - x) * _corner(values, k, j, i) + x * _corner(values, k, j, i + 1))
    low += y * ((1 - x) * _corner(values, k, j + 1, i) + x * _corner(values, k, j + 1, i + 1))
    k += 1
    high = (1 - y) * ((1 - x) * _corner(values, k, j, i) + x * _corner(values, k, j, i + 1))
    high += y * ((1 - x) * _corner(values, k, j + 1, i) + x * _corner(values, k, j + 1, i + 1))
    return float((1 - z) * low + z * high)


@_INLINE
def _in_voxels(field: Field, axis: int, point: Array, direction: Array) -> tuple[float, float]:
    """Place of the point along an axis, and how far 1 mm of the path goes, counted in voxels."""
    per_mm = 1.0 / field.voxel_mm[axis]
    return (point[axis] - field.lower_mm[axis]) * per_mm, direction[axis] * per_mm


@_INLINE
def _reach(field: Field, point: Array, direction: Array, length: float) -> tuple[float, float]:
    """Part of a path in which it may meet the field, from the point on [mm]."""
    near, far = 0.0, length
    sizes = field.values.shape[2], field.values.shape[1], field.values.shape[0]
    for axis in range(3):
        low = field.lower_mm[axis] - field.voxel_mm[axis] - point[axis]
        high = low + (sizes[axis] + 1) * field.voxel_mm[axis]
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
    total = 0.0
    for k in range(n):
        at = near + (k + 0.5) * step
        total += _at(field.values, x + at * dx, y + at * dy, z + at * dz)
    return total * step


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
    for k in range(max(count, 0)):
        at = near + (k + 0.5) * fine
        value = _at(field.values, x + at * dx, y + at * dy, z + at * dz)
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
    n_steps = out.activity.shape[2] - 1
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
                out.directions[s, d, axis] = direction[axis]
            seen = 0.0
            if cosine > 1e-6:
                through = samples.removal_per_mm * samples.depth_mm / cosine
                seen = -cosine * math.expm1(-through) / straight
            out.length_mm[s, d] = length
            out.seen[s, d] = seen / length2
            out.attenuation[s, d] = _integral(mu, point, direction, length, step_mm)
            if n_steps:
                _activity(activity, point, direction, length, steps, cells, out.activity[s, d])
            else:
                out.activity[s, d, 0] = _integral(activity, point, direction, length, even_mm)


@_INLINE
def _look_up(table: Array, at: float) -> float:
    k = min(int(at), table.size - 2)
    return float(table[k] + (at - k) * (table[k + 1] - table[k]))


@_INLINE
def _add_bins(blurred: Array, weight: float, at: float, stride: int, sign: int, out: Array) -> None:
    """Add what lies between neighbouring edges; at : place of the first edge in `blurred`."""
    last = blurred.size - 1
    n_bins = out.size
    k = math.floor(at)
    part = at - k
    before = 0.0
    for t in range(n_bins + 1):
        i = k + t * stride
        low, high = min(max(i, 0), last), min(max(i + 1, 0), last)
        value = blurred[low] + part * (blurred[high] - blurred[low])
        if t > 0:
            out[t - 1 if sign > 0 else n_bins - t] += weight * (value - before)
        before = value


@_KERNEL
def add_pairs(
    start: int, stop: int, partners: Array, weights: Array, paths: Paths, angles: AngleTables,
    steps: Steps, edges: tuple[float, int], table: Array,
) -> None:  # fmt: skip
    """Add the single scatter of some points to the pairs of samples [start, stop).

    partners : (samples, samples) whether two samples, the lower number first, are a pair
    weights : (points,) volume times attenuation of each scatter point [mm²]
    edges : first edge of the time bins [mm], and steps in each bin
    table : (samples, samples, bins) sums, towards the second sample
    """
    first_mm, stride = edges
    scale = (angles.chance.size - 1) / (1.0 - angles.least)
    n_bins = table.shape[2]
    for a in range(start, stop):
        for s in range(len(weights)):
            weight_a = weights[s] * paths.seen[s, a]
            if weight_a == 0.0:
                continue
            to_a = paths.directions[s, a]
            mu_a, length_a = paths.attenuation[s, a], paths.length_mm[s, a]
            active_a = paths.activity[s, a]
            for b in range(a + 1, len(partners)):
                if not partners[a, b]:
                    continue
                to_b = paths.directions[s, b]
                cosine = -(to_a[0] * to_b[0] + to_a[1] * to_b[1] + to_a[2] * to_b[2])
                if cosine <= angles.least:
                    continue
                active_b = paths.activity[s, b]
                total_a, total_b = active_a[active_a.size - 1], active_b[active_b.size - 1]
                if total_a + total_b == 0.0:
                    continue
                at = (cosine - angles.least) * scale
                growth, mu_b = _look_up(angles.growth, at), paths.attenuation[s, b]
                common = weight_a * paths.seen[s, b] * _look_up(angles.chance, at)
                common *= math.exp(-mu_a - mu_b)
                # the photon that flew on to a was not scattered, and the other one was; or reversed
                one = common * math.exp(-growth * mu_b)
                other = common * math.exp(-growth * mu_a)
                if n_bins == 1 and steps.edges.size == 0:
                    table[a, b, 0] += one * total_a + other * total_b
                    continue
                apart = 0.5 * (paths.length_mm[s, b] - length_a)
                where = (first_mm + apart - steps.first_mm) / steps.step_mm
                _add_bins(active_a, one, where, stride, 1, table[a, b])
                where = (first_mm - apart - steps.first_mm) / steps.step_mm
                _add_bins(active_b, other, where, stride, -1, table[a, b])

"""Paths from scatter points to detector samples: where they go, what they pass and what is seen.

A call takes the points [start, stop) one after the other, in one thread. Fields have a border of a
voxel of nothing, beyond which no place is looked at, so that steps have no branches. Integrals take
whole vectors of steps, none longer than a voxel. The formulas stand in
`engine.corrections.scatter_estimation.simulation`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.rays.decay import decay

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)
_LANES = 16
"""Steps of an integral that are looked up side by side: it takes so many, or twice, or thrice."""
_LEVEL = 1e-12
"""Below this slope a path is parallel to the planes of an axis."""
_LEAST_COSINE, _OPAQUE = 1e-6, 30.0
"""Minimum cosine of a visible crystal; attenuation above which no photon passes."""


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
def _place(at: np.uint32) -> np.uint32:
    """Return a place below 2³¹ so that its 32 bits do where vectors are gathered, and not 64."""
    return np.uint32(at & np.uint32(0x7FFFFFFF))


@_INLINE
def _between(values: Array, at: np.uint32, part: np.float32) -> np.float32:
    low = values[_place(at)]
    return np.float32(low + part * (values[_place(at + np.uint32(1))] - low))


@_INLINE
def _at(
    values: Array, sizes: tuple[int, int, int], x: np.float32, y: np.float32, z: np.float32
) -> np.float32:
    """Value at a place counted in voxels of a bordered field, trilinear between their centres."""
    # numbers of 32 bits, choices for branches, none that counts from the end: loops of it run on
    # vectors
    zero = np.float32(0)
    most_x, most_y = np.float32(sizes[2] - 1.001), np.float32(sizes[1] - 1.001)
    most_z = np.float32(sizes[0] - 1.001)
    x, y, z = (x if x > zero else zero), (y if y > zero else zero), (z if z > zero else zero)
    x, y = (x if x < most_x else most_x), (y if y < most_y else most_y)
    z = z if z < most_z else most_z
    i, j, k = np.uint32(np.int32(x)), np.uint32(np.int32(y)), np.uint32(np.int32(z))
    x, y, z = x - np.float32(i), y - np.float32(j), z - np.float32(k)
    row, plane = np.uint32(sizes[2]), np.uint32(sizes[2] * sizes[1])
    at = np.uint32(k * plane + j * row + i)
    above = np.uint32(at + plane)
    near, far = _between(values, at, x), _between(values, np.uint32(at + row), x)
    low = near + y * (far - near)
    near, far = _between(values, above, x), _between(values, np.uint32(above + row), x)
    high = near + y * (far - near)
    return np.float32(low + z * (high - low))


@_INLINE
def _fill_views(
    point: Array, samples: Samples, towards: Array, lengths: Array, seen: Array
) -> None:
    """Fill directions, lengths and detection factors of the paths from a point to all samples."""
    depth = samples.removal_per_mm * samples.depth_mm
    straight = -math.expm1(-depth)
    for d in range(lengths.size):
        x = samples.places_mm[d, 0] - point[0]
        y = samples.places_mm[d, 1] - point[1]
        z = samples.places_mm[d, 2] - point[2]
        length2 = x * x + y * y + z * z
        length = math.sqrt(length2)
        x, y, z = x / length, y / length, z / length
        cosine = x * samples.normals[d, 0] + y * samples.normals[d, 1] + z * samples.normals[d, 2]
        towards[0, d], towards[1, d], towards[2, d], lengths[d] = x, y, z, length
        # oblique paths are longer in the crystal
        through = min(depth / max(cosine, _LEAST_COSINE), _OPAQUE)
        value = cosine * (1.0 - decay(through)) / (straight * length2)
        seen[d] = value if cosine > _LEAST_COSINE else 0.0


@_INLINE
def _reach(field: Field, point: Array, directions: Array, lengths: Array, parts: Array) -> None:
    """Fill where each path enters and leaves the field, in mm from the point."""
    near, far = parts
    near[:], far[:] = 0.0, lengths
    sizes = field.values.shape[2], field.values.shape[1], field.values.shape[0]
    for axis in range(3):
        low = field.lower_mm[axis] - field.voxel_mm[axis] - point[axis]
        high = low + (sizes[axis] - 1) * field.voxel_mm[axis]
        for d in range(near.size):
            slope = directions[axis, d]
            # no division by 0: for paths parallel to the faces the limits become very far
            slope = slope if abs(slope) > _LEVEL else _LEVEL
            one, other = low / slope, high / slope
            near[d], far[d] = max(near[d], min(one, other)), min(far[d], max(one, other))
    for d in range(near.size):
        # paths that miss the field get an empty part
        far[d] = max(near[d], far[d])


@_INLINE
def _in_voxels(field: Field, axis: int, point: Array) -> tuple[float, float]:
    """Return the position of a point along an axis and the length of 1 mm, both in voxels."""
    per_mm = 1.0 / field.voxel_mm[axis]
    return (point[axis] - field.lower_mm[axis]) * per_mm + 1.0, per_mm


@_INLINE
def _steps_along(field: Field, length: float) -> int:
    """Return the number of steps of the integral of a field along a length [mm]."""
    longest = _LANES * min(field.voxel_mm[0], field.voxel_mm[1], field.voxel_mm[2])
    return _LANES * math.ceil(length / longest)


@_INLINE
def _integrate(field: Field, point: Array, directions: Array, parts: Array, out: Array) -> None:
    """Fill the line integrals of a field along the parts of paths to all samples."""
    flat, sizes = field.values.reshape(-1), field.values.shape
    from_x, per_x = _in_voxels(field, 0, point)
    from_y, per_y = _in_voxels(field, 1, point)
    from_z, per_z = _in_voxels(field, 2, point)
    for d in range(out.size):
        near, length = parts[0, d], parts[1, d] - parts[0, d]
        n = _steps_along(field, length)
        own = length / max(n, 1)
        at = near + 0.5 * own
        x, y, z = directions[0, d] * per_x, directions[1, d] * per_y, directions[2, d] * per_z
        x1, dx = np.float32(from_x + at * x), np.float32(own * x)
        y1, dy = np.float32(from_y + at * y), np.float32(own * y)
        z1, dz = np.float32(from_z + at * z), np.float32(own * z)
        total = np.float32(0)
        for first in range(0, n, _LANES):
            # a fixed number of steps per round, so that they are computed in one vector
            for lane in range(_LANES):
                on = np.float32(first + lane)
                total += _at(flat, sizes, x1 + on * dx, y1 + on * dy, z1 + on * dz)
        out[d] = float(total) * own


@_INLINE
def _bin(
    field: Field, point: Array, direction: Array, near: float, far: float, steps: Steps,
    cells: Array, out: Array,
) -> None:  # fmt: skip
    """Fill the blurred integral of activity up to each edge; cells : working space."""
    n = cells.size
    cells[:] = 0.0
    count = _steps_along(field, far - near)
    fine = (far - near) / max(count, 1)
    x, per_x = _in_voxels(field, 0, point)
    y, per_y = _in_voxels(field, 1, point)
    z, per_z = _in_voxels(field, 2, point)
    dx, dy, dz = direction[0] * per_x, direction[1] * per_y, direction[2] * per_z
    flat, sizes = field.values.reshape(-1), field.values.shape
    for k in range(count):
        at = near + (k + 0.5) * fine
        x1, y1, z1 = np.float32(x + at * dx), np.float32(y + at * dy), np.float32(z + at * dz)
        value = _at(flat, sizes, x1, y1, z1)
        cell = int((-at - steps.first_mm) / steps.step_mm)
        # activity outside the bins is added to the first and last
        cells[min(max(cell, 0), n - 1)] += value * fine
    for i in range(n + 1):
        total = 0.0
        # the distribution of time differences, tabulated at the edges of the bins
        for k in range(n):
            total += cells[k] * steps.edges[n + i - k]
        out[i] = total


@_KERNEL
def trace_paths(
    start: int, stop: int, points: Array, samples: Samples, activity: Field, mu: Field,
    steps: Steps, out: Paths,
) -> None:  # fmt: skip
    """Compute the paths of the scatter points [start, stop) to all samples.

    Parameters
    ----------
    start, stop
        range of scatter points
    points
        (n_points, 3) in mm
    samples
        detector samples
    activity
        image of activity with a border
    mu
        attenuation map with a border
    steps
        steps for TOF
    out
        the paths, which are written
    """
    n, n_steps = len(samples.places_mm), max(out.activity.shape[2] - 1, 0)
    cells, parts = np.empty(max(n_steps, 1)), np.empty((2, n))
    for s in range(start, stop):
        point, towards, lengths = points[s], out.directions[s], out.length_mm[s]
        _fill_views(point, samples, towards, lengths, out.seen[s])
        _reach(mu, point, towards, lengths, parts)
        _integrate(mu, point, towards, parts, out.attenuation[s])
        for d in range(n):
            out.reaching[s, d] = out.seen[s, d] * decay(out.attenuation[s, d])
        _reach(activity, point, towards, lengths, parts)
        # without TOF a single integral is sufficient
        if not n_steps:
            _integrate(activity, point, towards, parts, out.total[s])
            continue
        for d in range(n):
            near, far = parts[0, d], parts[1, d]
            _bin(activity, point, towards[:, d], near, far, steps, cells, out.activity[s, d])
            out.total[s, d] = out.activity[s, d, n_steps]

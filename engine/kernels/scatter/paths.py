"""Paths from scatter points to detector samples: geometry, line integrals, and detection.

`engine.corrections.scatter_estimation.simulation` has the formulas. A call processes the points
[start, stop) in sequence, in one thread. Fields have a border of one zero voxel. Positions are
limited to the border, so steps have no branches. An integral consists of whole vectors of steps,
and no step is longer than a voxel. The positions of many vectors are computed first, and their
values then read, both in loops without branches.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.blocks import aligned_zeros
from engine.kernels.compile_cache import cached_njit
from engine.kernels.processor import LANES
from engine.kernels.rays.decay import decay
from engine.kernels.vectors.gathered import ROW, gathered_rows
from engine.kernels.vectors.registers import (
    every,
    first_lane,
    halved,
    higher,
    lower,
    ramp,
    read,
    real,
    whole,
    write,
)

_MATH: Plain = {"fastmath": {"nsz", "arcp", "contract", "reassoc"}, "error_model": "numpy"}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)
# Without reassociation, so that registers of any width add their lanes in one order.
_IN_ORDER: Plain = {"fastmath": {"contract"}, "error_model": "numpy", "_nrt": False}
_CALLED = njit(**_IN_ORDER)
_LANES = 16
"""Steps that are looked up together; the number of steps of an integral is a multiple of it."""
_BLOCK = 2
"""Voxels along each edge of the blocks of `clear_blocks`."""
_AT_ONCE = 64
"""Vectors of steps that are read together: their places and fractions stay in the first cache."""
_LEVEL = 1e-12
"""Below this slope a path is parallel to the planes of an axis."""
_MIN_COSINE, _OPAQUE = 1e-6, 30.0
"""Minimum cosine of a visible crystal; attenuation above which no photon passes."""
_NO_MAP = np.zeros((0, 0, 0), np.bool_)
"""Map of a field without any clear block."""
_NO_FACES = np.zeros((0, ROW), np.float32)

Place = tuple[np.float32, np.float32, np.float32]
"""x, y and z in voxels of a field with its border."""


class Field(NamedTuple):
    """Values in space: of activity, or of attenuation."""

    values: Array  # (n_z, n_y, n_x); (n_z + 2, n_y + 2, n_x + 2) with a border
    lower_mm: Array  # (3,) centre of the first voxel that is none of the border, x y z
    voxel_mm: Array  # (3,)
    is_clear: Array = _NO_MAP  # see `clear_blocks`, for a field with a border
    faces: Array = _NO_FACES  # see `faces_of`, for the same


def clear_blocks(values: Array) -> Array:
    """Return a map of the places around which `_LANES` steps of a path meet only zeros.

    Integrals skip such steps. Most voxels of a μ-map are air.

    Parameters
    ----------
    values
        (n_z, n_y, n_x) field with its border

    Returns
    -------
    clear_blocks
        bool for each block of `_BLOCK`³ voxels, True if values are 0 wherever the middle of the
        steps is in the block; without any values if no block is clear
    """
    n_z, n_y, n_x = (-(-n // _BLOCK) for n in values.shape)
    filled = np.zeros((n_z * _BLOCK, n_y * _BLOCK, n_x * _BLOCK), np.bool_)
    filled[: values.shape[0], : values.shape[1], : values.shape[2]] = values != 0
    # Half of the steps reach _LANES / 2 voxels at most, and interpolation reads one more.
    reach = -(-(_LANES // 2 + 1) // _BLOCK)
    for axis in range(3):
        rows = np.moveaxis(filled, axis, 0)
        some = rows[::_BLOCK].copy()
        for other in range(1, _BLOCK):
            some |= rows[other::_BLOCK]
        near = some.copy()
        for far in range(1, reach + 1):
            near[far:] |= some[:-far]
            near[:-far] |= some[far:]
        filled = np.moveaxis(near, 0, axis)
    return _NO_MAP if filled.all() else np.ascontiguousarray(~filled)


def faces_of(values: Array) -> Array:
    """Return the four values that surround places between voxels of each plane.

    Integrals read them at once.

    Parameters
    ----------
    values
        (n_z, n_y, n_x) field with its border

    Returns
    -------
    faces_of
        (n_z · (n_y - 1) · (n_x - 1), 4) of voxels (y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1)
    """
    n_z, n_y, n_x = values.shape
    faces = aligned_zeros((n_z, n_y - 1, n_x - 1, ROW))
    for corner in range(ROW):
        j, i = divmod(corner, 2)
        faces[..., corner] = values[:, j : n_y - 1 + j, i : n_x - 1 + i]
    return faces.reshape(-1, ROW)


class Samples(NamedTuple):
    """Detector samples: positions, normals, and depth and attenuation of their crystals."""

    places_mm: Array  # (n, 3)
    normals: Array  # (n, 3)
    depth_mm: float
    removal_per_mm: float


class Paths(NamedTuple):
    """Paths between scatter points and detector samples, (points, samples) each."""

    directions: Array  # (points, 3, samples) unit vector from point to sample
    length_mm: Array
    seen: Array  # efficiency / distance², 1/mm²
    attenuation: Array  # line integral of mu
    reaching: Array  # `seen`, for photons that do not scatter on the path
    total: Array  # line integral of activity
    activity: Array  # (..., n + 1) integral up to each time step, blurred; (..., 0) without TOF


class Steps(NamedTuple):
    """Time bins of the activity on a path: from the scatter point backwards."""

    step_mm: float
    first_mm: float  # position of the first edge, negative: before the point
    edges: Array  # (2 n + 1,) distribution function of the timing error; empty without TOF


@_INLINE
def _place(at: np.uint32) -> np.uint32:
    """Return a position below 2³¹ in a form that lets gathers use 32-bit indices."""
    return np.uint32(at & np.uint32(0x7FFFFFFF))


@_INLINE
def _between(values: Array, at: np.uint32, part: np.float32) -> np.float32:
    low = values[_place(at)]
    return np.float32(low + part * (values[_place(at + np.uint32(1))] - low))


@_INLINE
def _at(
    values: Array, sizes: tuple[int, int, int], x: np.float32, y: np.float32, z: np.float32
) -> np.float32:
    """Return the value at a position in voxels of a bordered field, by trilinear interpolation."""
    # 32-bit numbers, selects instead of branches, and unsigned indices, so that loops over it are
    # vectorised.
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
def _within(place: Any, most: float) -> Any:
    """Return a register of places, those outside 0 ... most moved to the next of both."""
    return lower(higher(place, every(np.float32(0))), every(np.float32(most)))


class _Buffer(NamedTuple):
    """Vectors of `_LANES` steps, and the paths that they are on."""

    at: Array  # (steps,) int32: face below the place of each step
    parts: Array  # (3 · steps,) float32: fractions of a voxel to the next along x, y and z
    path: Array  # (vectors,) int64: number of the path of each vector
    totals: Array  # (paths,) float32: sum of the values of each path
    lengths: Array  # (paths,) length of its steps [mm]


@_INLINE
def _new_buffer(n_paths: int) -> _Buffer:
    n = _AT_ONCE * _LANES
    return _Buffer(
        np.empty(n, np.int32),
        np.empty(3 * n, np.float32),
        np.empty(_AT_ONCE, np.int64),
        np.empty(n_paths, np.float32),
        np.empty(n_paths),
    )


@_INLINE
def _locate(
    sizes: tuple[int, int, int], start: Place, step: Place, first: int, buffer: _Buffer, to: int
) -> None:
    """Fill the vector number `to` with steps along a line, from one of them on."""
    row, plane = np.int32(sizes[2] - 1), np.int32((sizes[2] - 1) * (sizes[1] - 1))
    for more in range(0, _LANES, LANES):
        on = ramp(np.float32(first + more), np.float32(1))
        x = _within(every(start[0]) + on * every(step[0]), sizes[2] - 1.001)
        y = _within(every(start[1]) + on * every(step[1]), sizes[1] - 1.001)
        z = _within(every(start[2]) + on * every(step[2]), sizes[0] - 1.001)
        i, j, k = whole(x), whole(y), whole(z)
        write(k * every(plane) + j * every(row) + i, buffer.at, to * _LANES + more)
        part = 3 * to * _LANES + more
        write(x - real(i), buffer.parts, part)
        write(y - real(j), buffer.parts, part + _LANES)
        write(z - real(k), buffer.parts, part + 2 * _LANES)


@_INLINE
def _added(sums: Any, faces: Array, plane: int, buffer: _Buffer, vector: int, more: int) -> Any:
    """Return a register plus the values at the steps of a vector, as those of `_at`."""
    at, part = vector * _LANES + more, 3 * vector * _LANES + more
    x, y = read(buffer.parts, part), read(buffer.parts, part + _LANES)
    a, b, c, d = gathered_rows(faces, buffer.at, at, 0)
    e, f, g, h = gathered_rows(faces, buffer.at, at, plane)
    near, far = a + x * (b - a), c + x * (d - c)
    low = near + y * (far - near)
    near, far = e + x * (f - e), g + x * (h - g)
    # (near - low) + y (far - near) is the value above minus that below
    above = (near - low) + y * (far - near)
    return (sums + low) + read(buffer.parts, part + 2 * _LANES) * above


@_CALLED
def _add_vectors(faces: Array, plane: int, buffer: _Buffer, n: int) -> None:
    """Add the values at the steps of n vectors to the sums of their paths.

    plane : faces in each plane
    Lanes are added in an order that does not depend on the number of them in a register.
    """
    for vector in range(n):
        path = np.uint32(buffer.path[np.uint32(vector)])
        sums = _added(first_lane(buffer.totals[path]), faces, plane, buffer, vector, 0)
        for more in range(LANES, _LANES, LANES):
            sums = sums + _added(every(np.float32(0)), faces, plane, buffer, vector, more)
        buffer.totals[path] = halved(sums)


@_INLINE
def _is_empty(
    is_clear: Array, sizes: tuple[int, int, int], start: Place, step: Place, first: int
) -> bool:
    """Return True if the map shows that `_LANES` steps from the first meet only zeros."""
    middle = np.float32(first + 0.5 * (_LANES - 1))
    i = _block(start[0] + middle * step[0], sizes[2])
    j = _block(start[1] + middle * step[1], sizes[1])
    return bool(is_clear[_block(start[2] + middle * step[2], sizes[0]), j, i])


@_INLINE
def _block(place: np.float32, size: int) -> np.uint32:
    """Return the block of a place along an axis; places outside belong to the border."""
    zero, most = np.float32(0), np.float32(size - 1)
    place = place if place > zero else zero
    place = place if place < most else most
    return np.uint32(np.uint32(np.int32(place)) // np.uint32(_BLOCK))


@_INLINE
def _fill_views(
    point: Array, samples: Samples, towards: Array, lengths: Array, seen: Array
) -> None:
    """Compute directions, lengths and detection factors of paths from a point to all samples."""
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
        # Oblique paths are longer in the crystal.
        through = min(depth / max(cosine, _MIN_COSINE), _OPAQUE)
        value = cosine * (1.0 - decay(through)) / (straight * length2)
        seen[d] = value if cosine > _MIN_COSINE else 0.0


@_INLINE
def _reach(field: Field, point: Array, directions: Array, lengths: Array, parts: Array) -> None:
    """Compute the range of each path inside the field, in mm from the point."""
    near, far = parts
    near[:], far[:] = 0.0, lengths
    sizes = field.values.shape[2], field.values.shape[1], field.values.shape[0]
    for axis in range(3):
        low = field.lower_mm[axis] - field.voxel_mm[axis] - point[axis]
        high = low + (sizes[axis] - 1) * field.voxel_mm[axis]
        for d in range(near.size):
            slope = directions[axis, d]
            # Avoids a division by 0: for paths parallel to the faces the limits become very far.
            slope = slope if abs(slope) > _LEVEL else _LEVEL
            one, other = low / slope, high / slope
            near[d], far[d] = max(near[d], min(one, other)), min(far[d], max(one, other))
    for d in range(near.size):
        # Paths that miss the field get an empty range.
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
def _integrate(
    field: Field, point: Array, directions: Array, parts: Array, buffer: _Buffer, out: Array
) -> None:
    """Fill the line integrals of a field along the parts of paths to all samples."""
    sizes, has_map, n_waiting = field.values.shape, field.is_clear.size > 0, 0
    plane = (sizes[2] - 1) * (sizes[1] - 1)
    from_x, per_x = _in_voxels(field, 0, point)
    from_y, per_y = _in_voxels(field, 1, point)
    from_z, per_z = _in_voxels(field, 2, point)
    for d in range(out.size):
        near, length = parts[0, d], parts[1, d] - parts[0, d]
        n = _steps_along(field, length)
        own = length / max(n, 1)
        at = near + 0.5 * own
        x, y, z = directions[0, d] * per_x, directions[1, d] * per_y, directions[2, d] * per_z
        start = (
            np.float32(from_x + at * x),
            np.float32(from_y + at * y),
            np.float32(from_z + at * z),
        )
        step = np.float32(own * x), np.float32(own * y), np.float32(own * z)
        buffer.totals[d], buffer.lengths[d] = np.float32(0), own
        for first in range(0, n, _LANES):
            if has_map and _is_empty(field.is_clear, sizes, start, step, first):
                continue
            _locate(sizes, start, step, first, buffer, n_waiting)
            buffer.path[np.uint32(n_waiting)] = d
            n_waiting += 1
            if n_waiting == _AT_ONCE:
                _add_vectors(field.faces, plane, buffer, n_waiting)
                n_waiting = 0
    _add_vectors(field.faces, plane, buffer, n_waiting)
    for d in range(out.size):
        out[d] = float(buffer.totals[d]) * buffer.lengths[d]


@_INLINE
def _bin(
    field: Field, point: Array, direction: Array, near: float, far: float, steps: Steps,
    cells: Array, out: Array,
) -> None:  # fmt: skip
    """Compute the blurred integral of activity up to each edge; cells : working memory."""
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
        # Activity outside the bins is added to the first and last bin.
        cells[min(max(cell, 0), n - 1)] += value * fine
    for i in range(n + 1):
        total = 0.0
        # The distribution of time differences, tabulated at the edges of the bins.
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
    cells, parts, buffer = np.empty(max(n_steps, 1)), np.empty((2, n)), _new_buffer(n)
    for s in range(start, stop):
        point, towards, lengths = points[s], out.directions[s], out.length_mm[s]
        _fill_views(point, samples, towards, lengths, out.seen[s])
        _reach(mu, point, towards, lengths, parts)
        _integrate(mu, point, towards, parts, buffer, out.attenuation[s])
        for d in range(n):
            out.reaching[s, d] = out.seen[s, d] * decay(out.attenuation[s, d])
        _reach(activity, point, towards, lengths, parts)
        # Without TOF a single integral is sufficient.
        if not n_steps:
            _integrate(activity, point, towards, parts, buffer, out.total[s])
            continue
        for d in range(n):
            near, far = parts[0, d], parts[1, d]
            _bin(activity, point, towards[:, d], near, far, steps, cells, out.activity[s, d])
            out.total[s, d] = out.activity[s, d, n_steps]

"""Exact line integrals through sums of solids: ellipsoids, elliptic cylinders and boxes.

Each solid has its own frame, in which it is the unit ball, the unit cylinder along z between z = −1
and 1, or the cube |x|, |y|, |z| ≤ 1. The ray p + t q is inside the unit ball for

    |t + p·q / a| ≤ √(a − |p × q|²) / a,   a = q·q

For a cylinder the same formula holds with x and y alone. Between two planes it is |p_k + t q_k| ≤
1. The range of t, times the length of q in mm and the density of the solid, adds to the integral.

Rays of a row that miss a ball of radius R around the solid are skipped. Along a row, p or q is
linear in the column c and the other is constant, so |p × q|² − R² |q|² is a quadratic in c.

`sums` takes separate lines, with t from 0 to 1.

rays[view, solid] = (p, its step per column, per row, q, its step per column, per row), each
(x, y, z) in the frame of the solid, for the centre of pixel (0, 0).
"""

from __future__ import annotations

import math
from typing import TypeAlias

from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

BALL, TUBE, BOX = 0, 1, 2
_Ends: TypeAlias = tuple[tuple[Array, Array, Array], tuple[Array, Array, Array]]
"""x, y and z of the first and second ends of lines."""
_Vector: TypeAlias = tuple[float, ...]
_BLOCK = 1024
"""Lines that are processed together, so that their ends stay in the cache."""
_SQUARED_REACH = 1.0, 2.0, 3.0
"""R² of each kind: the farthest corner of a solid in its own frame."""

_MATH: Plain = {
    "fastmath": {"nsz", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)


@_INLINE
def _slab(p: float, q: float) -> tuple[float, float]:
    """Return the range of t with |p + t q| ≤ 1."""
    if q == 0.0:
        return (-math.inf, math.inf) if abs(p) <= 1.0 else (0.0, 0.0)
    lower, upper = (-1.0 - p) / q, (1.0 - p) / q
    return min(lower, upper), max(lower, upper)


@_INLINE
def _tube(p_x: float, p_y: float, q_x: float, q_y: float) -> tuple[float, float]:
    """Return the range of t inside the unit circle of x and y."""
    a = q_x * q_x + q_y * q_y
    if a == 0.0:
        return (-math.inf, math.inf) if p_x * p_x + p_y * p_y <= 1.0 else (0.0, 0.0)
    cross = p_x * q_y - p_y * q_x
    half = math.sqrt(max(a - cross * cross, 0.0)) / a
    middle = -(p_x * q_x + p_y * q_y) / a
    return middle - half, middle + half


@_INLINE
def _cross(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@_INLINE
def _dot(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@_INLINE
def _at_row(ray: Array, first: int, row: int) -> tuple[float, float, float]:
    step = first + 2
    return (
        ray[first, 0] + row * ray[step, 0],
        ray[first, 1] + row * ray[step, 1],
        ray[first, 2] + row * ray[step, 2],
    )


@_KERNEL
def _columns(ray: Array, row: int, squared_reach: float, n: int) -> tuple[int, int]:
    """Return the columns with rays that can meet a solid, or all columns if that is uncertain."""
    p, q = _at_row(ray, 0, row), _at_row(ray, 3, row)
    p_step, q_step = (ray[1, 0], ray[1, 1], ray[1, 2]), (ray[4, 0], ray[4, 1], ray[4, 2])
    u, one, other = _cross(p, q), _cross(p_step, q), _cross(p, q_step)
    v = one[0] + other[0], one[1] + other[1], one[2] + other[2]
    a = _dot(v, v) - squared_reach * _dot(q_step, q_step)
    b = _dot(u, v) - squared_reach * _dot(q, q_step)
    c = _dot(u, u) - squared_reach * _dot(q, q)
    # If the source is near the solid, the columns that cross it need not be one interval.
    if not a > 0.0:
        return 0, n
    root = b * b - a * c
    # A margin against rounding; a wider range costs time only.
    root = math.sqrt(max(root + 1e-9 * (b * b + abs(a * c)), 0.0)) / a
    middle = -b / a
    first, last = middle - root - 1.0, middle + root + 1.0
    if last < 0.0 or first > n - 1.0:
        return 0, 0
    return int(max(first, 0.0)), int(min(last, n - 1.0)) + 1


@_KERNEL
def _add_ball(
    ray: Array, row: int, from_t: float, density: float, columns: tuple[int, int], total: Array
) -> None:
    """Add density times the range of t, for some columns of a row."""
    s_x, w_x = ray[0, 0] + row * ray[2, 0], ray[3, 0] + row * ray[5, 0]
    s_y, w_y = ray[0, 1] + row * ray[2, 1], ray[3, 1] + row * ray[5, 1]
    s_z, w_z = ray[0, 2] + row * ray[2, 2], ray[3, 2] + row * ray[5, 2]
    # Counted from 0: an index that could be negative would prevent vectors.
    first, part = columns[0], total[columns[0] : columns[1]]
    for k in range(part.size):
        column = first + k
        p_x, q_x = s_x + column * ray[1, 0], w_x + column * ray[4, 0]
        p_y, q_y = s_y + column * ray[1, 1], w_y + column * ray[4, 1]
        p_z, q_z = s_z + column * ray[1, 2], w_z + column * ray[4, 2]
        c_x, c_y, c_z = p_y * q_z - p_z * q_y, p_z * q_x - p_x * q_z, p_x * q_y - p_y * q_x
        # p × q instead of a (1 − p·p) + (p·q)², which is the same: for a source far away that
        # difference would cancel all its digits
        a = q_x * q_x + q_y * q_y + q_z * q_z
        # a negative root is a ray that misses; limited to 0 its range is empty, without a branch
        # in the loop
        half = math.sqrt(max(a - (c_x * c_x + c_y * c_y + c_z * c_z), 0.0))
        middle = -(p_x * q_x + p_y * q_y + p_z * q_z)
        low = max(middle - half, from_t * a)
        part[k] += density * max(middle + half - low, 0.0) / a


@_KERNEL
def _add_other(
    ray: Array, row: int, from_t: float, kind: int, density: float, columns: tuple[int, int],
    total: Array,
) -> None:  # fmt: skip
    """Add density times the range of t, for tubes between two planes and for boxes."""
    for column in range(columns[0], columns[1]):
        p_x = ray[0, 0] + column * ray[1, 0] + row * ray[2, 0]
        p_y = ray[0, 1] + column * ray[1, 1] + row * ray[2, 1]
        p_z = ray[0, 2] + column * ray[1, 2] + row * ray[2, 2]
        q_x = ray[3, 0] + column * ray[4, 0] + row * ray[5, 0]
        q_y = ray[3, 1] + column * ray[4, 1] + row * ray[5, 1]
        q_z = ray[3, 2] + column * ray[4, 2] + row * ray[5, 2]
        low, high = _slab(p_z, q_z)
        if kind == TUBE:
            enter, leave = _tube(p_x, p_y, q_x, q_y)
        else:
            enter, leave = _slab(p_x, q_x)
            low, high = max(low, enter), min(high, leave)
            enter, leave = _slab(p_y, q_y)
        low, high = max(max(low, enter), from_t), min(high, leave)
        total[column] += density * max(high - low, 0.0)


@_KERNEL
def integrals(
    start: int, stop: int, rays: Array, in_mm: Array, from_t: float, kinds: Array, densities: Array,
    total: Array, out: Array,
) -> None:  # fmt: skip
    """Compute line integrals of rows start ... stop - 1, counted over all views.

    Parameters
    ----------
    start, stop
        range of rows
    rays
        (n_views, n_solids, 6, 3), see the module docstring
    in_mm
        (n_views, 3, 3) direction of the rays, its step per column and row [mm]
    from_t
        0 if rays begin at a source, else −∞
    kinds
        (n_solids,) BALL, TUBE or BOX
    densities
        (n_solids,) in 1/mm
    total
        (n_columns,) working memory
    out
        (n_views, n_rows, n_columns)
    """
    n_rows, n_columns = out.shape[1], out.shape[2]
    for index in range(start, stop):
        view, row = index // n_rows, index % n_rows
        total[:] = 0.0
        for solid in range(len(kinds)):
            ray, density, kind = rays[view, solid], densities[solid], kinds[solid]
            columns = _columns(ray, row, _SQUARED_REACH[kind], n_columns)
            if columns[0] == columns[1]:
                continue
            if kind == BALL:
                _add_ball(ray, row, from_t, density, columns, total)
            else:
                _add_other(ray, row, from_t, kind, density, columns, total)
        way = in_mm[view]
        for column in range(n_columns):
            x = way[0, 0] + column * way[1, 0] + row * way[2, 0]
            y = way[0, 1] + column * way[1, 1] + row * way[2, 1]
            z = way[0, 2] + column * way[1, 2] + row * way[2, 2]
            out[view, row, column] = total[column] * math.sqrt(x * x + y * y + z * z)


@_INLINE
def _rows(frame: Array) -> tuple[tuple[float, float, float], ...]:
    """Return a copy, which a loop reads only once."""
    return (
        (frame[0, 0], frame[0, 1], frame[0, 2]),
        (frame[1, 0], frame[1, 1], frame[1, 2]),
        (frame[2, 0], frame[2, 1], frame[2, 2]),
    )


@_INLINE
def _in_frame(
    ends: _Ends, n: int, rows: tuple[_Vector, ...], origin: _Vector
) -> tuple[_Vector, _Vector]:
    """Return p and q of a line in the frame of a solid."""
    (x, y, z), (x_end, y_end, z_end) = ends
    d = x_end[n] - x[n], y_end[n] - y[n], z_end[n] - z[n]
    s = x[n] - origin[0], y[n] - origin[1], z[n] - origin[2]
    p = _dot(rows[0], s), _dot(rows[1], s), _dot(rows[2], s)
    return p, (_dot(rows[0], d), _dot(rows[1], d), _dot(rows[2], d))


@_KERNEL
def _add_balls(ends: _Ends, frame: Array, centre: Array, value: float, out: Array) -> None:
    """Add value times the range of t within 0 to 1, for each line."""
    # Copied, because the loop could otherwise change them.
    rows, origin = _rows(frame), (centre[0], centre[1], centre[2])
    for n in range(out.size):
        p, q = _in_frame(ends, n, rows, origin)
        c, a = _cross(p, q), _dot(q, q)
        half, middle = math.sqrt(max(a - _dot(c, c), 0.0)), -_dot(p, q)
        low, high = max(middle - half, 0.0), min(middle + half, a)
        # A line without length has no range.
        out[n] += value * max(high - low, 0.0) / max(a, 1e-300)


@_KERNEL
def _add_others(
    ends: _Ends, frame: Array, centre: Array, kind: int, value: float, out: Array
) -> None:
    """Add value times the range of t within 0 to 1, for tubes between two planes and for boxes."""
    rows, origin = _rows(frame), (centre[0], centre[1], centre[2])
    for n in range(out.size):
        p, q = _in_frame(ends, n, rows, origin)
        low, high = _slab(p[2], q[2])
        if kind == TUBE:
            enter, leave = _tube(p[0], p[1], q[0], q[1])
        else:
            enter, leave = _slab(p[0], q[0])
            low, high = max(low, enter), min(high, leave)
            enter, leave = _slab(p[1], q[1])
        low, high = max(max(low, enter), 0.0), min(min(high, leave), 1.0)
        out[n] += value * max(high - low, 0.0)


@_KERNEL
def sums(
    ends: Array, frames: Array, centres: Array, kinds: Array, values: Array, out: Array
) -> None:
    """Add the sums of values times chords of lines, as parts of their lengths.

    Parameters
    ----------
    ends
        (6, n) first and second ends, (x, y, z) each [mm]
    frames
        (n_solids, 3, 3) from mm to the frame of a solid
    centres
        (n_solids, 3) [mm]
    kinds
        (n_solids,) BALL, TUBE or BOX
    values
        (n_solids,) value of each solid
    out
        (n,) sums
    """
    for start in range(0, out.size, _BLOCK):
        stop = min(start + _BLOCK, out.size)
        total = out[start:stop]
        # Rows of their own, because only contiguous ones are read in vectors.
        block = (
            (ends[0][start:stop], ends[1][start:stop], ends[2][start:stop]),
            (ends[3][start:stop], ends[4][start:stop], ends[5][start:stop]),
        )
        for solid in range(len(kinds)):
            frame, centre, kind = frames[solid], centres[solid], kinds[solid]
            if kind == BALL:
                _add_balls(block, frame, centre, values[solid], total)
            else:
                _add_others(block, frame, centre, kind, values[solid], total)

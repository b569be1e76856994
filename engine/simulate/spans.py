"""Chords of many lines through many shapes.

The line is p + t d with t from 0 to 1. A round shape with centre c and quadric Q contains the
points with |t + b / a| ≤ √(b² − a g) / a, where a = d·Q d, b = d·Q (p − c) and
g = (p − c)·Q (p − c) − 1. Each is the product of a table of shapes and a table of lines, so it
takes one matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.arrays import Array
from engine.simulate.shapes import Shape

_PARALLEL = 1e-14
"""Relative value of a below which a line is parallel to the axis of a cylinder."""

_SMALL_PRODUCT = 1 << 18
"""Number of multiplications up to which OpenBLAS starts no threads."""


def spans(shapes: Sequence[Shape], first_mm: Array, second_mm: Array) -> tuple[Array, Array]:
    """Return the parts of lines inside shapes.

    Parameters
    ----------
    shapes
        convex shapes
    first_mm, second_mm
        (n, 3) ends of the lines [mm]

    Returns
    -------
    enter, leave
        (n_shapes, n) fractions of the line, 0 at the first end and 1 at the second; equal on a miss
    """
    p, d = first_mm.T, (second_mm - first_mm).T
    enter, leave = _round_spans(shapes, p, d)
    for k, shape in enumerate(shapes):
        if shape.flat_axes:
            _cut_flat(shape, p, d, enter[k], leave[k])
    np.clip(enter, 0, 1, out=enter)
    # On a miss `leave` is below `enter`; the limit makes the chord 0 instead of negative.
    np.clip(leave, enter, 1, out=leave)
    return enter, leave


def may_cross(shapes: Sequence[Shape], first_mm: Array, second_mm: Array) -> list[Shape]:
    """Return the shapes that any of the lines may cross, seen along z.

    All lines are within some distance of the line between the centres of their ends. For adjacent
    lines this distance is small, and the shapes that they all miss then cost nothing.

    Parameters
    ----------
    shapes
        candidates
    first_mm, second_mm
        (n, 3) ends of the lines [mm]
    """
    if len(first_mm) == 0 or len(shapes) == 0:
        return []
    middles, wander = [], 0.0
    for ends in (first_mm[:, :2], second_mm[:, :2]):
        low, high = ends.min(axis=0), ends.max(axis=0)
        middles.append((low + high) / 2)
        wander = max(wander, float(np.linalg.norm(high - low)) / 2)
    start, direction = middles[0], middles[1] - middles[0]
    centres = np.array([s.centre_mm[:2] for s in shapes])
    reach = np.array([s.reach_mm for s in shapes])
    at = (centres - start) @ direction / max(float(direction @ direction), 1e-12)
    nearest = start + np.clip(at, 0, 1)[:, None] * direction
    near = np.linalg.norm(centres - nearest, axis=1) <= reach + wander
    return [shape for shape, crossed in zip(shapes, near, strict=True) if crossed]


def _round_spans(shapes: Sequence[Shape], p: Array, d: Array) -> tuple[Array, Array]:
    """Return the range of t inside the round boundary of each shape; all t if it has none."""
    quadric = np.array([s.quadric for s in shapes]).reshape(-1, 10)
    size, pull, rest = quadric[:, :6], quadric[:, 6:9], quadric[:, 9:]
    mixed = np.stack(
        [*(d * p), d[0] * p[1] + d[1] * p[0], d[0] * p[2] + d[2] * p[0], d[1] * p[2] + d[2] * p[1]]
    )
    a = _product(size, _squares(d))
    b = _product(size, mixed) - _product(pull, d)
    g = _product(size, _squares(p)) - 2 * _product(pull, p) + rest
    # For a line along a cylinder a is 0 and t is undefined: the whole line is inside, or none of
    # it.
    parallel = a <= _PARALLEL * np.abs(size).max(axis=1, initial=0)[:, None] * (d * d).sum(axis=0)
    per_a = 1 / np.where(parallel, 1, a)
    half = np.sqrt(np.maximum(b * b - a * g, 0)) * per_a
    middle = -b * per_a
    if parallel.any():
        half = np.where(parallel, np.where(g <= 0, np.inf, -np.inf), half)
        middle = np.where(parallel, 0, middle)
    return middle - half, middle + half


def _product(shapes: Array, lines: Array) -> Array:
    """Return the matrix product, in parts too small for BLAS threads: callers divide the lines."""
    step = max(1, _SMALL_PRODUCT // lines.size)
    parts = [shapes[k : k + step] @ lines for k in range(0, len(shapes), step)]
    return np.concatenate(parts) if parts else np.empty((0, lines.shape[1]))


def _squares(v: Array) -> Array:
    """Return the products (6, n) of the components, in the order of `Shape.quadric`."""
    return np.stack([*(v * v), 2 * v[0] * v[1], 2 * v[0] * v[2], 2 * v[1] * v[2]])


def _cut_flat(shape: Shape, p: Array, d: Array, enter: Array, leave: Array) -> None:
    """Cut [enter, leave] to the part of the line between the planes of the shape."""
    for axis in shape.flat_axes:
        normal = shape.to_frame[axis]
        u, direction = normal @ p - normal @ np.array(shape.centre_mm), normal @ d
        moves = direction != 0
        per_direction = np.divide(1, direction, out=np.zeros_like(direction), where=moves)
        # A line parallel to the planes is between them over its whole length, or never.
        half = np.where(moves, np.abs(per_direction), np.where(np.abs(u) <= 1, np.inf, -np.inf))
        np.maximum(enter, -u * per_direction - half, out=enter)
        np.minimum(leave, -u * per_direction + half, out=leave)

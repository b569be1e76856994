"""Loops over voxels and views.

A camera is (views, optics, growth, points, passed, table, sizes, pixel), with lengths in mm. A view
is (cos θ, sin θ, R, F, column, row): the hole or the face of the collimator is R from the axis, the
crystal F behind it, and a pinhole at this column and row. Optics are (1 for pinholes, d, share of
parallel holes, least cosine). The image of a point at the depth h has the diameter g₀ + g₁ h +
g₂ F / h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernels.compile_cache import cached_njit

FAST = {"fastmath": {"contract", "reassoc", "nsz"}}


@cached_njit(inline="always")
def image_of(camera: Any, number: int, j: int, shape: Any) -> Any:
    """Return first row and column of a point's image, its place in the table, and its share."""
    views, optics, growth, points, passed, table, sizes, pixel = camera
    view, x, y, z = views[number], points[j, 0], points[j, 1], points[j, 2]
    depth, u = view[2] - (x * view[0] + y * view[1]), y * view[0] - x * view[1]
    share = optics[2]
    if optics[0] > 0:
        across, up, behind = u - view[4], z - view[5], view[3] / depth
        cosine = depth / np.sqrt(depth * depth + across * across + up * up)
        share = optics[1] * optics[1] * cosine**3 / (16 * depth * depth)
        if cosine < optics[3]:
            share = 0.0
        u, z = view[4] - across * behind, view[5] - up * behind
    d = growth[0] + growth[1] * depth + growth[2] * view[3] / depth
    p, q, half = u / pixel + shape[1] / 2, z / pixel + shape[0] / 2, table.shape[3] // 2
    column, row = int(np.floor(p)), int(np.floor(q))
    size = min(max(int((d - sizes[0]) / sizes[1] + 0.5), 0), table.shape[0] - 1)
    a, b = int((q - row) * table.shape[1]), int((p - column) * table.shape[1])
    share *= passed[number % len(passed), j % passed.shape[1]]
    return row - half, column - half, size, a, b, share


@cached_njit(**FAST)
def forward(camera: Any, numbers: Any, values: Any, out: Any) -> None:
    """Add the images of all points to the views of `out`, (n, n_rows, n_columns)."""
    table, shape = camera[5], out.shape[1:]
    for k in range(len(numbers)):
        for j in range(len(values)):
            if values[j] == 0:
                continue
            row, column, i, a, b, share = image_of(camera, numbers[k], j, shape)
            value = share * values[j]
            for m in range(max(0, -row), min(table.shape[3], shape[0] - row)):
                for n in range(max(0, -column), min(table.shape[4], shape[1] - column)):
                    out[k, row + m, column + n] += value * table[i, a, b, m, n]


@cached_njit(**FAST)
def back(camera: Any, numbers: Any, first: int, last: int, counts: Any, out: Any) -> None:
    """Add to each point of `out` from `first` to `last` the counts of its images."""
    table, shape = camera[5], counts.shape[1:]
    for k in range(len(numbers)):
        for j in range(first, last):
            row, column, i, a, b, share = image_of(camera, numbers[k], j, shape)
            total = 0.0
            for m in range(max(0, -row), min(table.shape[3], shape[0] - row)):
                for n in range(max(0, -column), min(table.shape[4], shape[1] - column)):
                    total += counts[k, row + m, column + n] * table[i, a, b, m, n]
            out[j] += share * total


@cached_njit(**FAST)
def survival(
    view: Any, pinhole: bool, points: Any, mu: Any, lower: Any, voxel: Any, step: float, out: Any
) -> None:
    """Write exp(−∫ μ) from each point to the hole, or to the face of parallel holes."""
    for j in range(len(points)):
        x, y, z = points[j, 0], points[j, 1], points[j, 2]
        depth = view[2] - (x * view[0] + y * view[1])
        dx, dy, dz = depth * view[0], depth * view[1], 0.0
        if pinhole:
            dx = view[2] * view[0] - view[4] * view[1] - x
            dy = view[2] * view[1] + view[4] * view[0] - y
            dz = view[5] - z
        length, total = np.sqrt(dx * dx + dy * dy + dz * dz), 0.0
        for i in range(int(length / step)):
            s = (i + 0.5) * step / length
            a = int(np.floor((x + s * dx - lower[0]) / voxel[0]))
            b = int(np.floor((y + s * dy - lower[1]) / voxel[1]))
            c = int(np.floor((z + s * dz - lower[2]) / voxel[2]))
            if 0 <= a < mu.shape[2] and 0 <= b < mu.shape[1] and 0 <= c < mu.shape[0]:
                total += mu[c, b, a]
        out[j] = np.exp(-total * step)

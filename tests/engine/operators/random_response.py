"""A response matrix of small panels with random non-zeros, some beyond the boxes of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import box_of, n_stored_planes, stored_orientations


def random_response(
    scanner: DualHead, seed: int = 0, *, beyond: int = 3, dtype: DTypeLike = np.float16
) -> ResponseMatrix:
    """Return rows with up to a third of non-zeros, up to `beyond` voxels outside the box."""
    rng = np.random.default_rng(seed)
    s = scanner.settings
    orientations = stored_orientations(s.n_rows, s.n_columns)
    n_planes = n_stored_planes(s.n_planes)
    starts, windows, places, values = [0], [], [], []
    for a, b in orientations.tolist():
        n_j, n_k = (n + 2 * beyond for n in box_of(a, b, s.voxels_per_pitch))
        for p in range(n_planes):
            plane = rng.uniform(0.1, 1, (n_j, n_k)) * (rng.random((n_j, n_k)) < rng.uniform(0, 0.3))
            plane = _symmetric(plane, a, b, middle=p == s.n_planes - 1 - p)
            windows.append((-beyond, -beyond, n_j, n_k))
            places.append(np.flatnonzero(plane))
            values.append(plane[plane > 0])
            starts.append(starts[-1] + len(values[-1]))
    n = len(orientations)
    return ResponseMatrix(
        scanner,
        np.array(starts, np.int64),
        np.array(windows, np.int16).reshape(n, n_planes, 4),
        np.concatenate(places).astype(np.uint16),
        np.concatenate(values).astype(dtype),
        rng.uniform(1e-4, 1e-3, n).astype(np.float32),
        np.zeros(n, np.float32),
        np.zeros(n, np.float32),
    )


def _symmetric(plane: NDArray[Any], a: int, b: int, *, middle: bool) -> NDArray[Any]:
    """Return a plane of orientation (a, b) with the symmetries that map it to itself."""
    if a == b:
        plane = np.maximum(plane, plane.T)
    if a == 0:
        plane = np.maximum(plane, plane[::-1])
    if b == 0:
        plane = np.maximum(plane, plane[:, ::-1])
    return np.maximum(plane, plane[::-1, ::-1]) if middle else plane


def dense(response: ResponseMatrix) -> NDArray[Any]:
    """Return (n_lines, n_voxels) in double precision: every line of every orientation."""
    scanner = response.scanner
    d, table = scanner.settings.voxels_per_pitch, scanner.orientations
    n_z, n_y, n_x = scanner.grid.shape
    matrix = np.zeros((table.n_pairs, n_z, n_y, n_x))
    for a, b in table.offsets.tolist():
        row, (lines, shape) = response.row(a, b), table.block(a, b)
        for line, (r, c) in zip(range(lines.start, lines.stop), np.ndindex(shape), strict=True):
            z, x = row.j + d * r, row.k + d * c
            inside = (z >= 0) & (z < n_z) & (x >= 0) & (x < n_x)
            np.add.at(matrix[line], (z[inside], row.p[inside], x[inside]), row.values[inside])
    return matrix.reshape(table.n_pairs, -1)

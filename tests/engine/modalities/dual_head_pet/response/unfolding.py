"""The complete response matrix of small panels."""

from __future__ import annotations

import numpy as np

from engine.data.response import ResponseMatrix


def dense(matrix: ResponseMatrix) -> np.ndarray:
    """Return the (n_lors, n_z, n_y, n_x) matrix without symmetry, truncated at the image edge."""
    scanner = matrix.scanner
    n, shape = scanner.settings.voxels_per_pitch, scanner.grid.shape
    whole = np.zeros((scanner.n_lors, *shape), np.float32)
    for a, b in scanner.orientations.offsets:
        row = matrix.row(int(a), int(b))
        block, shifts = scanner.orientations.block(a, b)
        for lor, (r, c) in zip(range(block.start, block.stop), np.ndindex(shifts), strict=True):
            z, x = n * r + row.j, n * c + row.k
            inside = (z >= 0) & (z < shape[0]) & (x >= 0) & (x < shape[2])
            whole[lor, z[inside], row.p[inside], x[inside]] = row.values[inside]
    return whole

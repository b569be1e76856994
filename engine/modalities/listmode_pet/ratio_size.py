"""Size of the sums that estimate the sensitivity ratio of a ring with a body.

Separate from the sampling itself (`body_ratio`), because estimates are needed before kernels load.
"""

from __future__ import annotations

import math

from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner

CELL_MM = 3.0
"""Smallest cell that has its own ratio; smaller voxels share one."""
MOST_HEIGHTS = 16
"""Largest number of heights between two rings at which lines are counted."""
ROWS_BYTES = 1 << 28
"""Memory for the rows of views that are processed at once."""
MORE_RINGS = 5
"""Additional rings of the sums: one above, and the rest of whole vectors."""
SLAB_BYTES = 96
"""Memory of a voxel [bytes]: four sums in float64, their totals, and the ratios."""


def n_cells(size_mm: float, voxel_mm: float) -> int:
    """Return the number of pixels with their own ratio along an edge of the image.

    Parameters
    ----------
    size_mm
        length of the edge
    voxel_mm
        edge of a voxel
    """
    return max(1, math.ceil(size_mm / max(voxel_mm, CELL_MM) - 1e-6))


def n_heights_of(pitch_mm: float, grid: ImageGrid) -> int:
    """Return the number of heights between two rings at which lines are counted.

    Parameters
    ----------
    pitch_mm
        distance between rings
    grid
        grid of the image
    """
    # Six heights per slice keep the steps of the sums below the error of the sampling.
    return min(max(2, math.ceil(6 * pitch_mm / grid.voxel_mm[2])), MOST_HEIGHTS)


def memory_bytes(scanner: RingScanner, grid: ImageGrid) -> int:
    """Return the memory of the sampling, in addition to the image.

    Parameters
    ----------
    scanner
        ring scanner
    grid
        grid of the image
    """
    s = scanner.settings
    cells = n_cells(grid.size_mm[0], grid.voxel_mm[0]) * n_cells(grid.size_mm[1], grid.voxel_mm[1])
    sums = 16 * cells * n_heights_of(s.ring_pitch_mm, grid) * (s.n_rings + MORE_RINGS)
    return sums + SLAB_BYTES * cells * grid.shape[0] + ROWS_BYTES // 4

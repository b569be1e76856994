"""Size of the sums that estimate the sensitivity ratio of a ring with a body.

Apart from the sampling itself (`body_ratio`), since forecasts ask for it before any kernel loads.
"""

from __future__ import annotations

import math

from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner

CELL_MM = 3.0
"""Voxels smaller than this share a ratio with their neighbours."""
MOST_HEIGHTS = 16
"""Heights at which lines are counted, to the next ring."""
ROWS_BYTES = 1 << 28
"""Memory that rows of views may take together."""
MORE_RINGS = 5
"""Rings of the sums beyond those there are: one above, and room for whole vectors."""
SLAB_BYTES = 96
"""What a voxel takes: four sums in double, their totals, and what is divided."""


def n_cells(size_mm: float, voxel_mm: float) -> int:
    """Pixels that have a ratio each, along an edge of the image: its own, or larger ones."""
    return max(1, math.ceil(size_mm / max(voxel_mm, CELL_MM) - 1e-6))


def n_heights_of(pitch_mm: float, grid: ImageGrid) -> int:
    """Return at how many heights from one ring to the next lines are counted."""
    return min(max(2, math.ceil(6 * pitch_mm / grid.voxel_mm[2])), MOST_HEIGHTS)


def memory_bytes(scanner: RingScanner, grid: ImageGrid) -> int:
    """Memory that sampling takes beside the image: sums by height, their slabs, and rows."""
    s = scanner.settings
    cells = n_cells(grid.size_mm[0], grid.voxel_mm[0]) * n_cells(grid.size_mm[1], grid.voxel_mm[1])
    sums = 16 * cells * n_heights_of(s.ring_pitch_mm, grid) * (s.n_rings + MORE_RINGS)
    return sums + SLAB_BYTES * cells * grid.shape[0] + ROWS_BYTES // 4

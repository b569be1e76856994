"""Effort of the list-mode sensitivity: number of its lines, and size of the sums with a body.

Separate from the work itself, because estimates are needed before kernels load.
"""

from __future__ import annotations

import math

from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner

BATCH = 500_000
"""Number of lines whose sum is one sample of the image; the same for reproducible sums on a GPU."""
BATCH_ON_GPU = 2_000_000
MAX_AT_ONCE = 2_000_000
"""Number of lines of a batch that are traced at once; each needs up to 105 bytes on the way."""
VOXELS_PER_LINE = 4
"""Larger images use more lines per batch, so that adding the batches costs little."""
# The error follows from the differences between batches, which fewer would not determine.
MIN_BATCHES = 8
EXACT_BELOW = 20_000_000
"""Number of lines up to which "auto" uses all of them."""
TRACED_BELOW = 1_000_000
"""Number of lines below which tracing is faster than summing by rings."""
LINES_PER_EVENT = 4
"""Smallest number of lines per event in a sample, so that its noise stays below theirs."""
MAX_LINES_PER_EVENT = 16
"""Number of lines per event above which "auto" gains nothing over the noise of the events."""
CELL_MM = 3.0
"""Smallest cell that has its own ratio; smaller voxels share one."""
MAX_HEIGHTS = 16
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
    return min(max(2, math.ceil(6 * pitch_mm / grid.voxel_mm[2])), MAX_HEIGHTS)


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

"""Memory for projecting a slab of slices with a chunk of views.

A slab with margins of zeros exists in k + 3 copies for k threads, a chunk of views in 4.
"""

from __future__ import annotations

from engine.geometry.grid import ImageGrid

REAL_BYTES = 4
SLAB_COPIES = 3
"""Copies of a slab, without the sums of each thread: input, kernel layout, sum."""
CHUNK_COPIES = 4
"""Copies of a chunk of projections: input, cropped, kernel layout, sum."""
MARGINS = 2
"""Slices of zeros that the kernel adds to a slab, and as many rows and columns."""


def bytes_each(shape: tuple[int, int, int], grid: ImageGrid, threads: int) -> tuple[int, int]:
    """Return the memory for a slice of the volume, and for a view.

    Parameters
    ----------
    shape
        (n_views, n_rows, n_columns) of the projections
    grid
        grid of the volume
    threads
        number of threads
    """
    _, n_y, n_x = grid.shape
    per_slice = REAL_BYTES * (SLAB_COPIES + threads) * (n_y + MARGINS) * (n_x + MARGINS)
    return per_slice, REAL_BYTES * CHUNK_COPIES * shape[1] * shape[2]


def min_bytes(shape: tuple[int, int, int], grid: ImageGrid, threads: int) -> int:
    """Return the memory for one slice with its margins and one view.

    Parameters
    ----------
    shape
        (n_views, n_rows, n_columns) of the projections
    grid
        grid of the volume
    threads
        number of threads
    """
    per_slice, per_view = bytes_each(shape, grid, threads)
    # A slab of one slice still has its margins.
    return (MARGINS + 1) * per_slice + per_view

"""Memory that projecting a slab of slices from a chunk of views takes.

A slab with margins of zeros in k + 3 copies, k threads, and a chunk of views in 4: what a slice and
a view add.
"""

from __future__ import annotations

from engine.geometry.grid import ImageGrid

REAL_BYTES = 4
SLAB_COPIES = 3
"""Slabs in memory beside the sums of each thread: as it lies, as the kernel wants it, its sum."""
CHUNK_COPIES = 4
"""Chunks of projections in memory: as they lie, cropped, as the kernel wants them, their sum."""
MARGINS = 2
"""Slices of zeros that the kernel lays about a slab; it lays as many rows and columns."""


def bytes_each(shape: tuple[int, int, int], grid: ImageGrid, threads: int) -> tuple[int, int]:
    """Return what a slice of the volume takes, and a view.

    Parameters
    ----------
    shape
        (n_views, n_rows, n_columns) of the projections
    grid
        the volume
    threads
        that project
    """
    _, n_y, n_x = grid.shape
    per_slice = REAL_BYTES * (SLAB_COPIES + threads) * (n_y + MARGINS) * (n_x + MARGINS)
    return per_slice, REAL_BYTES * CHUNK_COPIES * shape[1] * shape[2]


def least_bytes(shape: tuple[int, int, int], grid: ImageGrid, threads: int) -> int:
    """Return what one slice with its margins and one view take."""
    per_slice, per_view = bytes_each(shape, grid, threads)
    return (MARGINS + 1) * per_slice + per_view

"""Distribute the planes of an image over CPU threads, for voxel-wise work."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from engine.core.backend import Backend
from engine.kernels.blocks import run_blocks

VOXELS_AT_ONCE = 1 << 16
"""Voxels that a thread processes in one step, so that temporaries stay in the cache."""
SINGLE_THREAD_VOXELS = 16 * VOXELS_AT_ONCE
"""Largest image that one thread processes as fast as several, because Python runs one at a time."""


def by_planes(
    work: Callable[[slice], None], shape: tuple[int, ...], on: Backend | None = None
) -> None:
    """Call a function on all planes of an image, some at a time, in any order.

    Parameters
    ----------
    work
        called with slices along the first axis; must be safe in several threads
    shape
        (n_z, n_y, n_x)
    on
        backend with the number of threads; None: one thread
    """
    n = shape[0]
    # At least one plane, even if it exceeds the cache.
    rows = max(1, VOXELS_AT_ONCE // max(1, prod(shape[1:])))
    threads = 1 if on is None else on.threads

    def some(_: int, start: int, stop: int) -> None:
        work(slice(start, stop))

    if threads == 1 or prod(shape) <= SINGLE_THREAD_VOXELS:
        for start in range(0, n, rows):
            some(0, start, min(start + rows, n))
        return
    run_blocks(some, n, threads, rows=rows, in_turn=False)

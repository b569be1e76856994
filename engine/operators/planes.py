"""Planes of an image shared out over the threads of the CPU, for what is done voxel by voxel."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from engine.core.backend import Backend
from engine.kernels.blocks import run_blocks

VOXELS_AT_ONCE = 1 << 16
"""Voxels of a thread at a time: all that is made of them stays in the cache."""


def by_planes(
    work: Callable[[slice], None], shape: tuple[int, ...], on: Backend | None = None
) -> None:
    """Call `work` on all planes of an image (n_z, n_y, n_x), some at a time, in any order.

    on : whose threads work; None: the caller's alone
    """
    n = shape[0]
    rows = max(1, VOXELS_AT_ONCE // max(1, prod(shape[1:])))
    if n <= rows:  # not worth a thread
        work(slice(0, n))
        return

    def some(_: int, start: int, stop: int) -> None:
        work(slice(start, stop))

    run_blocks(some, n, 1 if on is None else on.threads, rows=rows, in_turn=False)

"""Process some views or rows at a time: it limits the memory, and values stay in the cache."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import TypeVar

import numpy as np

from engine.core.arrays import module_of
from engine.core.backend import Backend
from engine.core.backend.gpu import Array
from engine.data.storage.columns import MEMORY, ColumnStorage

VIEWS_BYTES = 2**20
"""Size as float32 of the views that a thread of the CPU processes at once.

A step reads them about ten times, so they must fit in the cache of a core. Small blocks also occupy
all threads for a small scan.
"""
ROWS_BYTES = 4 * 2**20
"""The same for rows of all views: steps read them less often, and each call costs more."""
GPU_BLOCK_BYTES = 32 * 2**20
"""Size of one block on a GPU, which needs large blocks to be busy."""
R = TypeVar("R")


def block_bytes(shape: tuple[int, ...]) -> int:
    """Return the size of the largest block of a thread of the CPU, as float32.

    A step uses about ten times as much in addition to its result.

    Parameters
    ----------
    shape
        (n_views, n_rows, n_columns) of the projections
    """
    whole = 4 * prod(shape)
    of_one = [whole // max(shape[axis], 1) for axis in (0, 1)]
    return min(whole, max(VIEWS_BYTES, ROWS_BYTES, *of_one))


def in_blocks(
    work: Callable[[slice], R],
    values: Array,
    *,
    on: Backend,
    axis: int = 0,
    keep_order: int = 1,
    storage: ColumnStorage = MEMORY,
) -> list[R]:
    """Call `work` with slices that together cover an axis of `values`.

    If the values are in files of `storage`, memory of written pages is released after each block.

    Parameters
    ----------
    work
        function of a slice along `axis`; the CPU calls it from several threads
    values
        array to divide
    on
        device and number of threads
    axis
        axis that is divided, 0 for views and 1 for rows
    keep_order
        slices begin at multiples of this number
    storage
        storage of the result

    Returns
    -------
    results
        return values of `work`, in the order of the slices
    """

    def rested(one: slice) -> R:
        found = work(one)
        storage.release_pages()
        return found

    n = values.shape[axis]
    bytes_each = 4 * values.size // max(n, 1)
    on_gpu = module_of(values) is not np
    size = GPU_BLOCK_BYTES if on_gpu else (VIEWS_BYTES, ROWS_BYTES)[axis]
    # At least one view per block, even if it exceeds the size.
    length = max(1, size // max(bytes_each, 1))
    length = max(keep_order, length - length % keep_order)
    slices = [slice(start, min(start + length, n)) for start in range(0, n, length)]
    # CuPy is asynchronous already; threads would only compete for device memory.
    if on_gpu or on.threads == 1 or len(slices) == 1:
        return [rested(one) for one in slices]
    with ThreadPoolExecutor(on.threads) as pool:
        return list(pool.map(rested, slices))

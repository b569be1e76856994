"""Sharing the rows of a list out over threads, and the images they add into.

Kernels release the interpreter lock, so plain threads do. Rows go out in blocks, block i to
thread i modulo the number of threads: who adds what, and in which order, depends on the number
of threads alone. Where no two blocks add into the same sums, they go to whoever is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import prod
from threading import Event, Lock
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array

OnProgress = Callable[[int, int], None]
"""Called with the rows done and the rows in all; may raise to stop the work."""

_TICK_S = 0.2
_LARGEST_BLOCK, _SMALLEST_BLOCK = 8192, 256
_BLOCKS_PER_THREAD = 8
_SUMS_BYTES = 4 << 30
"""Memory that the images of all threads may take together; beyond it, fewer threads work."""


def padded(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Shape of an image with its border."""
    return tuple(n + 2 for n in shape)


def pad(image: Array, dtype: DTypeLike) -> Array:
    """Copy an image into one with a border of one zero voxel on every side."""
    bordered = np.zeros(padded(image.shape), dtype)
    bordered[1:-1, 1:-1, 1:-1] = image
    return bordered


def run_blocks(
    work: Callable[[int, int, int], None],
    n_rows: int,
    threads: int,
    on_progress: OnProgress | None = None,
    *,
    smallest: int = _SMALLEST_BLOCK,
    rows: int = 0,
    in_turn: bool = True,
) -> None:
    """Call work(thread, start, stop) on all rows; `on_progress` about five times a second.

    smallest : rows worth a call; rows : of a block, 0: as their number and that of threads suggest;
    in_turn : False: a thread takes the next block as soon as it is free, for blocks that share no
    sums, where nobody sees who did them
    """
    starts = range(0, n_rows, rows or _block_size(n_rows, threads, smallest))
    # one counter for each thread: only its owner writes it, so no lock is needed to sum them
    done = [0] * threads
    stopped, waiting, lock = Event(), iter(starts), Lock()

    def shared() -> Iterator[int]:
        while True:
            with lock:
                start = next(waiting, None)
            if start is None:
                return
            yield start

    def share(thread: int) -> None:
        for start in starts[thread::threads] if in_turn else shared():
            if stopped.is_set():
                return
            stop = min(start + starts.step, n_rows)
            work(thread, start, stop)
            done[thread] += stop - start

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(share, thread) for thread in range(threads)]
        try:
            # progress is reported from the caller's thread: what it does, a signal of the window or
            # an exception that stops the work, must not run inside a worker
            while wait(futures, timeout=_TICK_S).not_done:
                if on_progress:
                    on_progress(sum(done), n_rows)
        finally:
            # also when `on_progress` raises: the pool waits for its threads as it closes, and they
            # end after the block at hand instead of after all of them
            stopped.set()
    for future in futures:
        # a fault of a kernel is raised only now, when no thread is left that writes into shared
        # arrays
        future.result()
    if on_progress:
        on_progress(n_rows, n_rows)


class Images(Protocol):
    """How the images that threads add into lie in memory."""

    @property
    def n_bytes(self) -> int:
        """Bytes of one."""

    def empty(self) -> Array:
        """Return one to add into, in any shape."""

    def total(self, parts: Sequence[Array], threads: int) -> Array:
        """Return the sum of some as one image [z, y, x], added in their order."""


@dataclass(frozen=True)
class Bordered:
    """Images as they are, with a border of one voxel on every side.

    Attributes
    ----------
    shape : (n_z, n_y, n_x), without the border
    dtype : of the sums
    """

    shape: tuple[int, ...]
    dtype: DTypeLike

    @property
    def n_bytes(self) -> int:
        return prod(padded(self.shape)) * np.dtype(self.dtype).itemsize

    def empty(self) -> Array:
        return np.zeros(prod(padded(self.shape)), self.dtype)

    def total(self, parts: Sequence[Array], threads: int) -> Array:
        images = [part.reshape(padded(self.shape))[1:-1, 1:-1, 1:-1] for part in parts]
        return _added_up(images, threads) if images else np.zeros(self.shape, self.dtype)


def sum_blocks(
    work: Callable[[Array, int, int], None],
    n_rows: int,
    images: Images,
    *,
    threads: int,
    on_progress: OnProgress | None = None,
    rows: int = 0,
) -> Array:
    """Call work(sums, start, stop), each thread with sums of its own; return their total [z, y, x].

    rows : of a block, as in `run_blocks`
    """
    affordable = _SUMS_BYTES // images.n_bytes
    n_blocks = -(-n_rows // (rows or _block_size(n_rows, threads)))
    threads = max(1, min(threads, affordable, n_blocks))
    # an image for each thread: atomic additions would come in another order, and so give other last
    # bits, from run to run
    sums: dict[int, Array] = {}

    def add(thread: int, start: int, stop: int) -> None:
        if thread not in sums:  # made by the thread itself, beside the others
            sums[thread] = images.empty()
        work(sums[thread], start, stop)

    run_blocks(add, n_rows, threads, on_progress, rows=rows)
    # always in the order of the threads, so that the same number of them gives the same bits
    return images.total([sums[thread] for thread in sorted(sums)], threads)


def _added_up(parts: Sequence[Array], threads: int) -> Array:
    """Add images up in their order, some slices by each thread."""
    first, *others = parts
    if not others:
        return first
    total = np.empty(first.shape, first.dtype)

    def slices(_: int, start: int, stop: int) -> None:
        np.add(first[start:stop], others[0][start:stop], out=total[start:stop])
        for other in others[1:]:
            total[start:stop] += other[start:stop]

    run_blocks(slices, len(total), threads, smallest=1)
    return total


def _block_size(n_rows: int, threads: int, smallest: int = _SMALLEST_BLOCK) -> int:
    """Rows of one block: small enough to balance the threads, large enough to be worth a call."""
    even = -(-n_rows // (threads * _BLOCKS_PER_THREAD))
    return min(max(even, smallest), _LARGEST_BLOCK)

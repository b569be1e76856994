"""Distribute the rows of a list, and the images that they are added to, over threads.

Kernels release the interpreter lock, so threads are enough. Rows are distributed in blocks, block i
to thread i modulo the number of threads. The order of all additions therefore depends only on the
number of threads. Blocks without common sums go to the next free thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass
from math import prod
from threading import Event, Lock
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.core.backend.processor import lent_pool
from engine.kernels.processor import LANES

OnProgress = Callable[[int, int], None]
"""Called with (rows done, all rows); can raise an exception to stop the work."""

_TICK_S = 0.2
_LARGEST_BLOCK, _SMALLEST_BLOCK = 8192, 256
_PLANES, _COPIED_ALONE = 4, 1 << 18
"""Minimum planes that a thread copies at a time, and largest array that one thread copies."""
_BLOCKS_PER_THREAD = 8
_SUMS_BYTES = 4 << 30
"""Maximum memory of the images of all threads; above it, fewer threads work."""


TAIL = 2 * LANES
"""Number of values after an array that can be read."""
_LINE_BYTES = 64
"""Bytes of a cache line. A register that starts at a multiple is within one line."""


def aligned_zeros(shape: tuple[int, ...]) -> Array:
    """Return float32 zeros that start at a cache line, with `TAIL` readable values after them.

    Parameters
    ----------
    shape
        shape of the array
    """
    n, more = prod(shape), _LINE_BYTES // 4
    memory = np.zeros(n + more + TAIL, np.float32)
    first = -memory.ctypes.data % _LINE_BYTES // 4
    return memory[first : first + n].reshape(shape)


def padded(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of an image with its border of one voxel."""
    return tuple(n + 2 for n in shape)


def pad(image: Array, dtype: DTypeLike) -> Array:
    """Return a copy of an image with a border of one zero voxel on each side.

    Parameters
    ----------
    image
        (n_z, n_y, n_x)
    dtype
        dtype of the copy
    """
    bordered = np.zeros(padded(image.shape), dtype)
    bordered[1:-1, 1:-1, 1:-1] = image
    return bordered


def copy_planes(values: Array, out: Array, threads: int) -> None:
    """Copy an array to another one; the order of their axes in memory can differ.

    Threads copy plane by plane, across the axis that is fastest in neither array. A plane stays in
    the cache. A copy of the whole array would read a cache line for each value.

    Parameters
    ----------
    values
        array to copy
    out
        array of the same shape
    threads
        number of threads
    """
    steps = np.minimum(np.abs(values.strides), np.abs(out.strides))
    across = int(steps.argmax())
    planes, copies = (np.moveaxis(each, across, 0) for each in (values, out))

    def work(_: int, start: int, stop: int) -> None:
        for i in range(start, stop):
            copies[i] = planes[i]

    # A small array is copied before a thread could start.
    if threads == 1 or values.size <= _COPIED_ALONE:
        work(0, 0, len(planes))
    else:
        run_blocks(work, len(planes), threads, smallest=_PLANES)


def contiguous(values: Array, threads: int, dtype: DTypeLike = np.float32) -> Array:
    """Return an array as contiguous numbers of one dtype, copied if it is not.

    Parameters
    ----------
    values
        array; the order of its axes in memory can differ
    threads
        number of threads
    dtype
        dtype of the result
    """
    if values.flags.c_contiguous and values.dtype == dtype:
        return values
    out = np.empty(values.shape, dtype)
    copy_planes(values, out, threads)
    return out


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
    """Call a function on all rows, in blocks, with several threads.

    It uses the threads that are lent to the caller (`engine.core.backend.processor`), if any.

    Parameters
    ----------
    work
        called with (thread, start, stop); must be safe in several threads
    n_rows
        number of rows
    threads
        number of threads
    on_progress
        called about five times a second; can raise to stop
    smallest
        minimum rows of a block
    rows
        rows of a block; 0: derived from the numbers of rows and threads
    in_turn
        True: block i goes to thread i modulo `threads`; False: to the next free thread, for blocks
        without common sums
    """
    starts = range(0, n_rows, rows or block_size(n_rows, threads, smallest))
    if len(starts) == 1:
        # Starting a thread takes longer than a small call, above all if many threads make calls.
        work(0, 0, n_rows)
        if on_progress:
            on_progress(n_rows, n_rows)
        return
    # One counter for each thread: only its owner writes it, so no lock is needed to sum them.
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

    # Only of the caller's thread: nested calls in these threads must not wait for each other.
    lent = lent_pool()
    with ThreadPoolExecutor(threads) if lent is None else nullcontext(lent) as pool:
        futures: list[Future[None]] = []
        try:
            # In the block: if the system has no thread left, those that work must end, too.
            for thread in range(threads):
                futures.append(pool.submit(share, thread))
            # Progress is reported in the caller's thread: a signal of the window or an exception
            # that stops the work must not occur inside a worker.
            while wait(futures, timeout=_TICK_S).not_done:
                if on_progress:
                    on_progress(sum(done), n_rows)
        finally:
            # Also when `on_progress` raises: no thread may write to shared arrays any more, and
            # they stop after the current block instead of after all blocks.
            stopped.set()
            wait(futures)
    for future in futures:
        # An error of a kernel is raised only now, when no thread writes to shared arrays.
        future.result()
    if on_progress:
        on_progress(n_rows, n_rows)


class Images(Protocol):
    """Memory layout of the images that threads add to."""

    @property
    def n_bytes(self) -> int:
        """Bytes of one image."""

    def empty(self) -> Array:
        """Return a new image to add to, of any shape."""

    def total(self, parts: Sequence[Array], threads: int) -> Array:
        """Return the sum of images as [z, y, x].

        Parameters
        ----------
        parts
            images in this layout, added in this order
        threads
            number of threads
        """


@dataclass(frozen=True)
class Bordered:
    """Images in [z, y, x] order, with a border of one voxel on each side.

    Attributes
    ----------
    shape : (n_z, n_y, n_x), without the border
    dtype : dtype of the sums
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
    """Call a function on all rows, each thread with its own sums, and return their total.

    Parameters
    ----------
    work
        called with (sums, start, stop); adds to `sums`
    n_rows
        number of rows
    images
        layout of the sums
    threads
        maximum number of threads; fewer if their images exceed the memory
    on_progress
        called about five times a second; can raise to stop
    rows
        rows of a block; 0: derived from the numbers of rows and threads

    Returns
    -------
    image [z, y, x]; the same number of threads gives the same bits
    """
    affordable = _SUMS_BYTES // images.n_bytes
    n_blocks = -(-n_rows // (rows or block_size(n_rows, threads)))
    threads = max(1, min(threads, affordable, n_blocks))
    # One image for each thread: atomic additions would have another order, and other last bits, in
    # each run.
    sums: dict[int, Array] = {}

    def add(thread: int, start: int, stop: int) -> None:
        if thread not in sums:  # allocated by the thread itself, in parallel
            sums[thread] = images.empty()
        work(sums[thread], start, stop)

    run_blocks(add, n_rows, threads, on_progress, rows=rows)
    # Always in the order of the threads, so that the same number of threads gives the same bits.
    return images.total([sums[thread] for thread in sorted(sums)], threads)


def _added_up(parts: Sequence[Array], threads: int) -> Array:
    """Add images in their order; each thread adds some slices."""
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


def block_size(n_rows: int, threads: int, smallest: int = _SMALLEST_BLOCK) -> int:
    """Return the rows of a block: small enough for balance, large enough to be worth a call.

    Parameters
    ----------
    n_rows
        number of rows
    threads
        number of threads
    smallest
        minimum rows of a block
    """
    even = -(-n_rows // (threads * _BLOCKS_PER_THREAD))
    return min(max(even, smallest), _LARGEST_BLOCK)

"""Contiguous shares of a short list of rows, each with the image planes that it reaches.

A thread that adds to an image of its own must clear this image first, and the images of all threads
must be added at the end. For 10⁵ rows and 128³ voxels this took a third of the time. Rows that are
sorted along z reach only some planes in each contiguous share. Only these planes are cleared and
added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.blocks import Images, OnProgress, run_blocks
from engine.kernels.compile_cache import cached_njit
from engine.kernels.rays.bricks import Summed
from engine.kernels.rays.slice_tracing import EventRows

_STRICT: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_STRICT)

MARGIN = 2
"""Planes on each side of those that rows cross, against rounding and for rows along faces."""
_MISSES = 0.1
"""Fraction of its length by which a row misses the image for certain, in spite of rounding."""
_WORTH = 0.85
"""Largest share of all planes for which the search for planes pays off."""
_VOXELS_PER_ROW = 4
"""With fewer voxels per row, clearing and adding images takes a small part of the time."""
_POOLED_BYTES = 32 << 20
"""Size of the largest image that stays in memory between updates."""


class Share(NamedTuple):
    """Rows of a thread, and the planes of the image that they reach."""

    rows: range
    planes: range


class PlaneImages(Images, Protocol):
    """Images that can be cleared and added plane by plane."""

    @property
    def n_values(self) -> int:
        """Number of values in memory."""

    @property
    def dtype(self) -> DTypeLike:
        """Type of the values."""

    def clear(self, part: Array, planes: range) -> None:
        """Prepare planes of an image for new sums.

        Parameters
        ----------
        part
            image in this layout
        planes
            planes without the border
        """

    def total_of_planes(self, parts: list[Summed], threads: int) -> Array:
        """Return the sum of images as [z, y, x]; planes without a part are 0.

        Parameters
        ----------
        parts
            images in this layout, added in this order, each with its planes
        threads
            number of threads
        """


class ImagePool:
    """Memory of images between updates: new pages cost more time than clearing old ones."""

    def __init__(self) -> None:
        self._free: dict[tuple[int, np.dtype[np.generic]], list[Array]] = {}

    def take(self, n_values: int, dtype: DTypeLike) -> Array:
        """Return an image from the pool, with arbitrary values, or a new one of zeros.

        Parameters
        ----------
        n_values
            number of values
        dtype
            type of the values
        """
        try:
            return self._free[n_values, np.dtype(dtype)].pop()
        except (KeyError, IndexError):
            return np.zeros(n_values, dtype)

    def give(self, image: Array) -> None:
        """Store an image for the next update if it is small.

        Parameters
        ----------
        image
            from `take`; the caller must not use it any more
        """
        if image.nbytes <= _POOLED_BYTES:
            self._free.setdefault((image.size, image.dtype), []).append(image)


@dataclass(frozen=True)
class ReusedImages:
    """Images that use the memory of earlier updates.

    Attributes
    ----------
    images : layout
    planes : all planes without the border
    pool : memory of earlier updates
    """

    images: PlaneImages
    planes: range
    pool: ImagePool

    @property
    def n_bytes(self) -> int:
        """Bytes of one image."""
        return self.images.n_bytes

    def empty(self) -> Array:
        """Return a cleared image; small images use the memory of earlier updates."""
        if self.n_bytes > _POOLED_BYTES:
            return self.images.empty()
        image = self.pool.take(self.images.n_values, self.images.dtype)
        self.images.clear(image, self.planes)
        return image

    def total(self, parts: Sequence[Array], threads: int) -> Array:
        """Return the sum of images as [z, y, x], and store their memory for later updates.

        Parameters
        ----------
        parts
            images from `empty`, added in this order; they are not used any more
        threads
            number of threads
        """
        total = self.images.total(parts, threads)
        for part in parts:
            self.pool.give(part)
        return total


@_KERNEL
def _planes(start: int, stop: int, points: Array, ends: Array, shape: Array) -> tuple[int, int]:
    """Return the first plane that rows cross within the image, and the one after the last."""
    low, high = np.float64(shape[0]), 0.0
    for row in range(start, stop):
        p, q = ends[row, 0], ends[row, 1]
        near, far = 0.0, 1.0
        for axis in range(2):
            n, a = np.float64(shape[2 - axis]), points[p, axis]
            d = points[q, axis] - a
            if d != 0.0:
                at_0, at_size = -a / d, (n - a) / d
                near, far = max(near, min(at_0, at_size)), min(far, max(at_0, at_size))
            elif a < -1.0 or a > n + 1.0:
                far = -1.0
        if near > far + _MISSES:
            continue
        near, far = min(near, 1.0), max(far, 0.0)
        z, dz = points[p, 2], points[q, 2] - points[p, 2]
        low = min(low, z + dz * near, z + dz * far)
        high = max(high, z + dz * near, z + dz * far)
    return int(np.floor(max(low, 0.0))), int(np.ceil(min(high, np.float64(shape[0]))))


def shares_of(rows: EventRows, shape: tuple[int, ...], threads: int, block: int) -> list[Share]:
    """Return contiguous shares of rows, in whole blocks.

    Parameters
    ----------
    rows
        all rays
    shape
        (n_z, n_y, n_x)
    threads
        number of threads
    block
        rows of a block

    Returns
    -------
    shares with rows, at most one for each thread; empty if the rows are too many, or if the shares
    reach nearly all planes, as those of unsorted rows do
    """
    n_rows, sizes = len(rows.ends), np.array(shape, np.int64)
    if not n_rows or n_rows * _VOXELS_PER_ROW > sizes.prod():
        return []
    n_blocks = -(-n_rows // block)
    size = -(-n_blocks // threads) * block
    found = []
    for start in range(0, n_rows, size):
        own = range(start, min(start + size, n_rows))
        first, last = _planes(own.start, own.stop, rows.points, rows.ends, sizes)
        # empty if no row crosses the image
        planes = range(max(first - MARGIN, 0), min(last + MARGIN, shape[0]))
        found.append(Share(own, planes if first < last else range(0)))
    reached = sum(len(share.planes) for share in found)
    return found if reached <= _WORTH * len(found) * shape[0] else []


def sum_shares(
    work: Callable[[Array, int, int], None],
    shares: list[Share],
    images: PlaneImages,
    pool: ImagePool,
    *,
    threads: int,
    block: int,
    on_progress: OnProgress | None = None,
) -> Array:
    """Call a function on all rows, each thread with its share and its sums; return their total.

    Parameters
    ----------
    work
        called with (sums, start, stop); adds to `sums`
    shares
        rows and planes of each thread
    images
        layout of the sums
    pool
        memory of earlier updates
    threads
        number of threads that add the images
    block
        rows of a block
    on_progress
        called about five times a second; can raise to stop

    Returns
    -------
    image [z, y, x]; the same shares give the same bits
    """
    sums: dict[int, Array] = {}
    n_rows, n_blocks = shares[-1].rows.stop, -(-len(shares[0].rows) // block)

    def add(thread: int, number: int, _: int) -> None:
        share = shares[thread]
        # Block numbers go to the threads in turn. Each thread counts the blocks of its own share.
        start = share.rows.start + number // len(shares) * block
        stop = min(start + block, share.rows.stop)
        if start >= stop:  # the last share can have fewer blocks
            return
        if thread not in sums:
            sums[thread] = pool.take(images.n_values, images.dtype)
            images.clear(sums[thread], share.planes)
        work(sums[thread], start, stop)

    def ticked(done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(done * n_rows // total, n_rows)

    run_blocks(add, n_blocks * len(shares), len(shares), ticked, rows=1)
    # always in the order of the shares, so that they give the same bits
    parts = [(sums[k], share.planes) for k, share in enumerate(shares)]
    total = images.total_of_planes(parts, threads)
    for image in sums.values():
        pool.give(image)
    return total

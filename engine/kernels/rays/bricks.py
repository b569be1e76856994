"""Images of list mode in bricks: positions of their voxels in the memory of the CPU.

With a border of one voxel on each side, an image is divided into bricks of 8 × 8 voxels of a plane,
each contiguous, n × m of them in a plane:

    place(x, y, z) = x + 56 ⌊x/8⌋ + 8 y + (64 n − 64) ⌊y/8⌋ + 64 n m z

Each index i of a voxel therefore adds i · step + ⌊i/8⌋ · jump to its position. A ray along y stays
within a quarter of a kilobyte for eight voxels, where it would leave a row with each voxel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.blocks import padded, run_blocks
from engine.kernels.compile_cache import cached_njit

SHIFT = 3
EDGE = 1 << SHIFT
"""Voxels along the edge of a brick."""
VOXELS_OF_A_THREAD = 1 << 18
"""Largest image that one thread writes."""

_PLAIN: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_PLAIN)
_INLINE = njit(inline="always", **_PLAIN)
Steps = tuple[int, int]
"""Step and jump of one axis."""
Whole = int | np.int32


@_INLINE
def steps(shape: tuple[int, int, int], stride: int) -> tuple[Steps, Steps, Steps]:
    """Step and jump of x, y and z.

    shape : of the image with its border, [z, y, x]; apart : steps in memory from voxel to voxel
    """
    n, m = (shape[2] + EDGE - 1) >> SHIFT, (shape[1] + EDGE - 1) >> SHIFT
    brick = stride * EDGE * EDGE
    along_x = stride, brick - EDGE * stride
    along_y = EDGE * stride, brick * n - brick
    return along_x, along_y, (brick * n * m, 0)


@_INLINE
def place_of(voxel: Whole, step: Whole, jump: Whole) -> np.int32:
    """Return the part of a voxel's position that one index contributes, as a 32-bit integer.

    Parameters
    ----------
    voxel
        index along the axis
    step
        step of the axis
    jump
        additional step for each brick
    """
    return np.int32(voxel * step + (voxel >> SHIFT) * jump)


@_INLINE
def _write_row(row: Array, stride: int, at: int, bricks: Array) -> None:
    """Write a row to its bricks, of which the first begins at `at`; the border is not written."""
    n, brick = len(row), stride * EDGE * EDGE
    for x in range(min(n, EDGE - 1)):
        bricks[at + stride * (x + 1)] = row[x]
    n_whole = max(n - (EDGE - 1), 0) >> SHIFT
    for k in range(1, n_whole + 1):
        for i in range(EDGE):  # as many as known when this is compiled, for vectors
            bricks[at + k * brick + stride * i] = row[k * EDGE - 1 + i]
    last = (n_whole + 1) * EDGE - 1
    for x in range(last, n):
        bricks[at + (n_whole + 1) * brick + stride * (x - last)] = row[x]


@_INLINE
def _add_row(bricks: Array, stride: int, at: int, row: Array) -> None:
    """Add the values in the bricks to a row: the reverse of `_write_row`."""
    n, brick = len(row), stride * EDGE * EDGE
    for x in range(min(n, EDGE - 1)):
        row[x] += bricks[at + stride * (x + 1)]
    n_whole = max(n - (EDGE - 1), 0) >> SHIFT
    for k in range(1, n_whole + 1):
        for i in range(EDGE):
            row[k * EDGE - 1 + i] += bricks[at + k * brick + stride * i]
    last = (n_whole + 1) * EDGE - 1
    for x in range(last, n):
        row[x] += bricks[at + (n_whole + 1) * brick + stride * (x - last)]


@_INLINE
def _join_row(one: Array, other: Array, stride: int, at: int, row: Array) -> None:
    """Write the sum of two images in the bricks of a row to the row, which is not read."""
    n, brick = len(row), stride * EDGE * EDGE
    for x in range(min(n, EDGE - 1)):
        row[x] = one[at + stride * (x + 1)] + other[at + stride * (x + 1)]
    n_whole = max(n - (EDGE - 1), 0) >> SHIFT
    for k in range(1, n_whole + 1):
        for i in range(EDGE):
            place = at + k * brick + stride * i
            row[k * EDGE - 1 + i] = one[place] + other[place]
    last = (n_whole + 1) * EDGE - 1
    for x in range(last, n):
        place = at + (n_whole + 1) * brick + stride * (x - last)
        row[x] = one[place] + other[place]


@_KERNEL
def _write(image: Array, stride: int, start: int, stop: int, bricks: Array) -> None:
    nz, ny, nx = image.shape
    _, (step_y, jump_y), (step_z, _) = steps((nz + 2, ny + 2, nx + 2), stride)
    for z in range(start + 1, stop + 1):
        for y in range(1, ny + 1):
            at = z * step_z + y * step_y + (y >> SHIFT) * jump_y
            if stride == 1:  # a constant in each call, when they are compiled
                _write_row(image[z - 1, y - 1], 1, at, bricks)
            else:
                _write_row(image[z - 1, y - 1], 2, at, bricks)


@_KERNEL
def _add(one: Array, other: Array, stride: int, start: int, stop: int, image: Array) -> None:
    """Add planes start to stop to an image, together with those of `other` if it has any."""
    nz, ny, nx = image.shape
    _, (step_y, jump_y), (step_z, _) = steps((nz + 2, ny + 2, nx + 2), stride)
    for z in range(start + 1, stop + 1):
        for y in range(1, ny + 1):
            at = z * step_z + y * step_y + (y >> SHIFT) * jump_y
            row = image[z - 1, y - 1]
            # the stride is a constant in each call, when they are compiled
            if other.size and stride == 1:
                _join_row(one, other, 1, at, row)
            elif other.size:
                _join_row(one, other, 2, at, row)
            elif stride == 1:
                _add_row(one, 1, at, row)
            else:
                _add_row(one, 2, at, row)


@dataclass(frozen=True)
class Bricks:
    """Layout in bricks for images of one shape and dtype.

    Attributes
    ----------
    shape : (n_z, n_y, n_x), without the border
    dtype : dtype of the values
    stride : steps in memory from one voxel to the next: 1, or 2 where each has a value behind it
    """

    shape: tuple[int, ...]
    dtype: DTypeLike
    stride: int = 1

    @property
    def n_values(self) -> int:
        """Number of values in memory, including borders, padding of bricks, and second values."""
        z, y, x = padded(self.shape)
        return prod((z, -(-y // EDGE), -(-x // EDGE), EDGE, EDGE, self.stride))

    @property
    def n_bytes(self) -> int:
        """Bytes in memory."""
        return self.n_values * np.dtype(self.dtype).itemsize

    def empty(self) -> Array:
        """Return an image of zeros."""
        return np.zeros(self.n_values, self.dtype)

    def arranged(self, image: Array, threads: int = 1) -> Array:
        """Return an image in bricks.

        Parameters
        ----------
        image
            [z, y, x]
        threads
            number of threads

        Returns
        -------
        flat array; second values and the border are 0
        """
        bricks, plain = self.empty(), np.ascontiguousarray(image, self.dtype)

        def planes(_: int, start: int, stop: int) -> None:
            _write(plain, self.stride, start, stop, bricks)

        # A small image is written before a thread has started.
        if threads == 1 or plain.size <= VOXELS_OF_A_THREAD:
            planes(0, 0, len(plain))
        else:
            run_blocks(planes, len(plain), threads, smallest=1)
        return bricks

    def total(self, parts: Sequence[Array], threads: int) -> Array:
        """Return the sum of images in bricks as [z, y, x].

        Parameters
        ----------
        parts
            images in bricks, added in this order
        threads
            number of threads
        """
        # the first two are added together, which saves reading and writing an image of zeros
        first, rest = (parts[:2], parts[2:]) if len(parts) > 1 else ((), parts)
        image = (np.empty if first else np.zeros)(self.shape, self.dtype)
        nothing = np.empty(0, self.dtype)

        def planes(_: int, start: int, stop: int) -> None:
            if first:
                _add(*first, self.stride, start, stop, image)
            for part in rest:
                _add(part, nothing, self.stride, start, stop, image)

        run_blocks(planes, len(image), threads, smallest=1)
        return image


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sums stored after the values of an image, by voxel: value, sum, value, ...

    Attributes
    ----------
    image : (n_z, n_y, n_x)
    dtype : dtype of values and sums
    """

    image: Array
    dtype: DTypeLike

    @property
    def _pairs(self) -> Bricks:
        return Bricks(self.image.shape, self.dtype, stride=2)

    @property
    def n_bytes(self) -> int:
        """Bytes in memory."""
        return self._pairs.n_bytes

    def empty(self) -> Array:
        """Return the image in bricks, with sums of 0."""
        return self._pairs.arranged(self.image)

    def total(self, parts: Sequence[Array], threads: int) -> Array:
        """Return the total of the sums as [z, y, x].

        Parameters
        ----------
        parts
            pairs in bricks, added in this order
        threads
            number of threads
        """
        return self._pairs.total([pairs[1:] for pairs in parts], threads)

"""Images of list mode in bricks: the memory layout on the CPU.

An image with a border of one voxel on each side is divided into bricks of 8 × 8 voxels of one
plane. Each brick is contiguous, and a plane has n × m of them. The position of a voxel is

    place(x, y, z) = x + 56 ⌊x/8⌋ + 8 y + (64 n − 64) ⌊y/8⌋ + 64 n m z

Each index i of a voxel therefore adds i · step + ⌊i/8⌋ · jump to the position. A ray along y stays
within 256 bytes for eight voxels. In row-major order it would enter another row with each voxel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
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
VOXELS_OF_A_THREAD = 1 << 20
"""Largest image that one thread writes as fast as several, because they must start first."""

_STRICT: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_STRICT)
_INLINE = njit(inline="always", **_STRICT)
Steps = tuple[int, int]
"""Step and jump of one axis."""
Whole = int | np.int32
Summed = tuple[Array, range]
"""An image in bricks, and the planes of it that are summed."""


@_INLINE
def steps(shape: tuple[int, int, int], stride: int) -> tuple[Steps, Steps, Steps]:
    """Return step and jump of x, y and z.

    Parameters
    ----------
    shape
        shape of the image with its border, (n_z, n_y, n_x)
    stride
        distance of neighbouring voxels in memory, in values
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
def _write_run(image: Array, z: int, y: int, first: int, stride: int, at: int, out: Array) -> None:
    """Write 8 voxels of a row from x = `first` to a brick; a stride of 2 adds zeros between them.

    Voxels outside the image are written as zeros.
    """
    n_x, zero = image.shape[2], out.dtype.type(0)
    if first >= 0 and first + EDGE <= n_x:
        for i in range(EDGE):  # constant bounds, so that LLVM emits vectors
            value = image[np.uint64(z), np.uint64(y), np.uint64(first) + np.uint64(i)]
            out[np.uint64(at) + np.uint64(stride * i)] = value
            if stride == 2:
                out[np.uint64(at) + np.uint64(stride * i + 1)] = zero
        return
    for i in range(EDGE):
        x = first + i
        out[at + stride * i] = image[z, y, x] if 0 <= x < n_x else zero
        if stride == 2:
            out[at + stride * i + 1] = zero


@_INLINE
def _add_run(
    one: Array, other: Array, adds: bool, z: int, y: int, first: int, stride: int, at: int,
    image: Array,
) -> None:  # fmt: skip
    """Write 8 voxels of a brick, plus those of `other` unless empty, to a row from x = `first`.

    adds : True to add them to the row instead
    """
    n_x = image.shape[2]
    if first >= 0 and first + EDGE <= n_x:
        for i in range(EDGE):
            place = np.uint64(at) + np.uint64(stride * i)
            value = one[place] + other[place] if other.size else one[place]
            to = np.uint64(first) + np.uint64(i)
            if adds:
                value += image[np.uint64(z), np.uint64(y), to]
            image[np.uint64(z), np.uint64(y), to] = value
        return
    for i in range(max(0, -first), min(EDGE, n_x - first)):
        here = at + stride * i
        value = one[here] + other[here] if other.size else one[here]
        image[z, y, first + i] = value + image[z, y, first + i] if adds else value


# Both functions process memory brick by brick, which takes half the time of row by row.
@_KERNEL
def _write(image: Array, stride: int, start: int, stop: int, out: Array) -> None:
    n_y, n_x = image.shape[1], image.shape[2]
    n, m = (n_x + 1 + EDGE) >> SHIFT, (n_y + 1 + EDGE) >> SHIFT
    brick = stride * EDGE * EDGE
    for z in range(start, stop):
        for k in range(m * n):
            at, above, first = ((z + 1) * m * n + k) * brick, k // n * EDGE - 1, k % n * EDGE - 1
            for y in range(max(above, 0), min(above + EDGE, n_y)):
                row = at + stride * EDGE * (y - above)
                # The stride is a compile-time constant in each call.
                if stride == 1:
                    _write_run(image, z, y, first, 1, row, out)
                else:
                    _write_run(image, z, y, first, 2, row, out)


@_KERNEL
def _add(
    one: Array, other: Array, adds: bool, stride: int, start: int, stop: int, image: Array
) -> None:
    """Write planes start ... stop − 1 of an image: `one` plus `other`, which can be empty.

    adds : True to add them to the image instead
    """
    n_y, n_x = image.shape[1], image.shape[2]
    n, m = (n_x + 1 + EDGE) >> SHIFT, (n_y + 1 + EDGE) >> SHIFT
    brick = stride * EDGE * EDGE
    for z in range(start, stop):
        for k in range(m * n):
            at, above, first = ((z + 1) * m * n + k) * brick, k // n * EDGE - 1, k % n * EDGE - 1
            for y in range(max(above, 0), min(above + EDGE, n_y)):
                row = at + stride * EDGE * (y - above)
                if stride == 1:
                    _add_run(one, other, adds, z, y, first, 1, row, image)
                else:
                    _add_run(one, other, adds, z, y, first, 2, row, image)


@dataclass(frozen=True)
class Bricks:
    """Layout in bricks for images of one shape and dtype.

    Attributes
    ----------
    shape : (n_z, n_y, n_x), without the border
    dtype : dtype of the values
    stride : distance of neighbouring voxels in memory, in values; 2 if a second value follows each
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

        self._run(planes, threads)
        return bricks

    def _run(self, planes: Callable[[int, int, int], None], threads: int) -> None:
        """Call a function on all planes of an image, in one thread if it is small."""
        n, one = self.shape[0], prod(self.shape) <= VOXELS_OF_A_THREAD
        run_blocks(planes, n, threads, smallest=1, rows=n if one or threads == 1 else 0)

    def total(self, parts: Sequence[Array], threads: int) -> Array:
        """Return the sum of images in bricks as [z, y, x].

        Parameters
        ----------
        parts
            images in bricks, added in this order
        threads
            number of threads
        """
        return self.total_of_planes([(part, range(self.shape[0])) for part in parts], threads)

    def clear(self, part: Array, planes: range) -> None:
        """Set planes of an image in bricks to 0.

        Parameters
        ----------
        part
            flat array, which is written
        planes
            planes without the border
        """
        n = self.n_values // padded(self.shape)[0]
        part[n * (planes.start + 1) : n * (planes.stop + 1)] = 0

    def total_of_planes(self, parts: Sequence[Summed], threads: int) -> Array:
        """Return the sum of images in bricks as [z, y, x].

        Parameters
        ----------
        parts
            images in bricks, added in this order, each with its planes; others are not read
        threads
            number of threads
        """
        image, nothing = np.empty(self.shape, self.dtype), np.empty(0, self.dtype)
        edges = sorted({0, self.shape[0], *(end for _, p in parts for end in (p.start, p.stop))})

        def planes(_: int, start: int, stop: int) -> None:
            for low, high in pairwise(edges):
                first, last = max(low, start), min(high, stop)
                if first >= last:
                    continue
                found = [part for part, planes in parts if planes.start <= low < planes.stop]
                if not found:
                    image[first:last] = 0
                    continue
                # the first two are added together, which saves a pass through memory
                other = found[1] if len(found) > 1 else nothing
                _add(found[0], other, False, self.stride, first, last, image)
                for each in found[2:]:
                    _add(each, nothing, True, self.stride, first, last, image)

        self._run(planes, threads)
        return image


@dataclass(frozen=True, eq=False)
class Pairs:
    """Image values interleaved with sums, voxel by voxel: value, sum, value, ...

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
    def n_values(self) -> int:
        """Number of values and sums in memory, including borders and padding."""
        return self._pairs.n_values

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

    def clear(self, part: Array, planes: range) -> None:
        """Write planes of the image, and set their sums to 0.

        Parameters
        ----------
        part
            flat array, which is written
        planes
            planes without the border
        """
        plain = np.ascontiguousarray(self.image, self.dtype)
        _write(plain, 2, planes.start, planes.stop, part)

    def total_of_planes(self, parts: Sequence[Summed], threads: int) -> Array:
        """Return the total of the sums as [z, y, x].

        Parameters
        ----------
        parts
            pairs in bricks, added in this order, each with its planes; others are not read
        threads
            number of threads
        """
        return self._pairs.total_of_planes([(pairs[1:], own) for pairs, own in parts], threads)

"""Stored rows of some orientations, decoded for the kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array, only_read
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head_symmetry import folded, stored_index
from engine.kernels.blocks import run_blocks
from engine.kernels.matrix import memory
from engine.kernels.matrix.codes import MAX_PITCHES, MIRROR_COLUMNS, MIRROR_ROWS, SWAP
from engine.kernels.matrix.decode import LONGEST, DecodeBuffers, GroupLimits, decode
from engine.kernels.matrix.patches import LANES, LOW, lanes_covered, rows_covered


@dataclass(frozen=True)
class StoredRows:
    """Some orientations, and the rows that they share; see `engine.kernels.matrix.correlation`.

    Attributes
    ----------
    chosen : (n, 4) row, symmetry, |a| and |b| of each orientation
    shapes : (n, 2) rows and columns of its image of shifts
    starts : (n_stored, n_planes_stored + 1) first non-zero of each plane of a row
    windows : (n_stored, n_planes_stored, 4) int16 j0, k0, height, width
    codes, weights : (n_nonzero,) position (`engine.kernels.matrix.codes`) and value
    groups : (n_nonzero,) group that is processed together (`engine.kernels.matrix.decode`)
    """

    chosen: NDArray[np.int64]
    shapes: NDArray[np.int64]
    starts: NDArray[np.int64]
    windows: NDArray[np.int16]
    codes: NDArray[np.int32]
    weights: Array
    groups: NDArray[np.int32]

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Arrays in the order of the kernels' arguments."""
        rows = self.chosen, self.shapes, self.starts
        return *rows, self.codes, self.weights, self.groups

    @property
    def n_bytes(self) -> int:
        """Memory of the non-zeros."""
        return self.codes.nbytes + self.weights.nbytes + self.groups.nbytes

    @property
    def max_nonzeros(self) -> int:
        """Maximum number of non-zeros in a plane of a row."""
        return int(np.diff(self.starts).max(initial=0))

    def reach(self, edge: int) -> int:
        """Return the largest distance of non-zeros in a plane, in pitches."""
        longest = int(self.windows[..., 2:].max(initial=0))
        return (longest + edge - 2) // edge if longest else 0


class ArrayPool:
    """Arrays of rows that are no longer needed.

    The system hands out new memory at a rate that is a part of the time of a projection.
    """

    def __init__(self) -> None:
        self._arrays: list[tuple[Array, ...]] = []

    def take(self, n: int, dtype: np.dtype[np.generic]) -> tuple[Array, ...]:
        """Return uninitialised codes, weights and groups of n non-zeros.

        Parameters
        ----------
        n
            number of non-zeros
        dtype
            type of the weights
        """
        try:
            # one step, so that two threads cannot take the same arrays
            found = self._arrays.pop()
        except IndexError:
            found = ()
        if not found or len(found[0]) < n or found[1].dtype != dtype:
            found = np.empty(n, np.int32), np.empty(n, dtype), np.empty(n, np.int32)
        return tuple(array[:n] for array in found)

    def recycle(self, rows: StoredRows) -> None:
        """Reuse the arrays of rows that are no longer needed.

        Parameters
        ----------
        rows
            decoded rows
        """
        arrays = rows.codes, rows.weights, rows.groups
        # These are views of the whole arrays.
        whole = tuple(a if a.base is None else a.base for a in arrays)
        self._arrays[:] = [whole]


def stored_rows(
    response: ResponseMatrix,
    offsets: Array,
    dtype: np.dtype[np.generic],
    limits: GroupLimits,
    threads: int,
    lanes: int = 1,
    spare: ArrayPool | None = None,
) -> StoredRows:
    """Return the decoded rows of some orientations.

    Parameters
    ----------
    response
        the stored rows
    offsets
        (n, 2) a and b
    dtype
        type of arithmetic
    limits
        groups of non-zeros that are processed together
    threads
        number of threads
    lanes
        numbers at each position of the data
    spare
        arrays of earlier rows, which are overwritten; None: new ones
    """
    s, n_planes = response.scanner.settings, response.n_planes_stored
    chosen = turned_rows(response, offsets)
    # Each stored row occurs once for all mirror images, and a second time with rows and columns
    # exchanged, because other non-zeros are then neighbours
    keys, chosen[:, 0] = np.unique(2 * chosen[:, 0] + (chosen[:, 1] & SWAP), return_inverse=True)
    rows, is_turned = keys // 2, keys % 2 == 1
    begins, ends = response.starts[rows * n_planes], response.starts[(rows + 1) * n_planes]
    moved = np.cumsum(ends - begins) - ends  # index in these rows minus index in all rows
    starts = response.starts[rows[:, None] * n_planes + np.arange(n_planes + 1)] + moved[:, None]
    parts = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
    n, windows = int((ends - begins).sum()), response.windows[rows]
    shapes = np.array([s.n_rows, s.n_columns]) - chosen[:, 2:]
    decoded = (spare or ArrayPool()).take(n, dtype)
    found = StoredRows(chosen, shapes, starts, windows, *decoded)
    of_rows = np.empty((len(rows), 2), np.int64)
    of_rows[chosen[:, 0]] = shapes
    image = s.voxels_per_pitch, response.margin
    layout = begins, is_turned, starts, windows, *image, limits.most, limits.reach(of_rows, lanes)
    places, scales, length = only_read(response.places), response.scales[rows], found.max_nonzeros

    def work(_: int, start: int, stop: int) -> None:
        # stored in half precision times a scale for each row, so that rows of distant crystals,
        # with small values, lose no digits
        values = _numbers(np.concatenate([response.values[p] for p in parts[start:stop]]), dtype)
        of_columns, ends = np.empty(MAX_PITCHES + 1, np.int32), np.empty(LONGEST + 1, np.int32)
        as_stored, codes, order, runs = np.empty((4, length), np.int32)
        buffers = DecodeBuffers(as_stored, codes, order, runs, of_columns, ends)
        of_values = places, values, scales.astype(dtype)
        decode(start, stop, *layout, *of_values, buffers, *decoded)

    run_blocks(work, len(rows), threads, smallest=1, in_turn=False)
    return found


def _numbers(values: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return stored values in the dtype of arithmetic."""
    if values.dtype != np.float16:
        return values.astype(dtype)
    # NumPy's own conversion takes many times as long as a table lookup
    return _all_halves(dtype)[values.view(np.uint16)]


@cache
def _all_halves(dtype: np.dtype[np.generic]) -> Array:
    """Return all numbers of half precision, by their bits."""
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(dtype)


class DecodedRows:
    """Cache of decoded rows, with limited memory.

    Parameters
    ----------
    response : the stored rows
    dtype : of arithmetic
    """

    def __init__(self, response: ResponseMatrix, dtype: np.dtype[np.generic]) -> None:
        self._response, self._dtype, self._n_bytes = response, dtype, 0
        self._cache: dict[tuple[GroupLimits, bytes], StoredRows] = {}
        self._lock = Lock()

    def of(self, offsets: Array, limits: GroupLimits, threads: int, lanes: int = 1) -> StoredRows:
        """Return the rows of some orientations, from the cache if possible.

        Parameters
        ----------
        offsets
            (n, 2) a and b
        limits
            groups of non-zeros that are processed together
        threads
            number of threads
        lanes
            numbers at each position of the data
        """
        key = limits, offsets.tobytes()
        rows = self._cache.get(key)
        if rows is None:
            # each iteration needs the same subsets again, forward and back
            rows = stored_rows(self._response, offsets, self._dtype, limits, threads, lanes)
            with self._lock:
                # Another thread may have been faster.
                if key in self._cache:
                    return self._cache[key]
                # The cache only grows: subsets repeat in a fixed order, so replacing entries would
                # never hit.
                if self._n_bytes + rows.n_bytes <= memory.MAX_CACHED_BYTES:
                    self._cache[key], self._n_bytes = rows, self._n_bytes + rows.n_bytes
        return rows


def turned_rows(response: ResponseMatrix, offsets: Array) -> NDArray[np.int64]:
    """Return stored row, symmetry, |a| and |b| of orientations.

    Parameters
    ----------
    response
        the stored rows
    offsets
        (n, 2) a and b

    Returns
    -------
    (n, 4) int64
    """
    s = response.scanner.settings
    chosen = np.empty((len(offsets), 4), np.int64)
    for o, (a, b) in enumerate(offsets.tolist()):
        stored, turn = folded(a, b)
        # bits, so that another mirror is an exclusive or
        mirrors = MIRROR_ROWS * turn.mirror_rows + MIRROR_COLUMNS * turn.mirror_columns
        code = SWAP * turn.swap + mirrors
        chosen[o] = stored_index(*stored, s.n_rows, s.n_columns), code, abs(a), abs(b)
    return chosen


def parts_of(offsets: Array, max_rows: int) -> Iterator[slice]:
    """Yield parts of some orientations, in their order. The rows of a part are decoded together.

    Mirror images share a decoded row, and most orientations of a subset have theirs in it.

    Parameters
    ----------
    offsets
        (n, 2) a and b
    max_rows
        maximum number of decoded rows
    """
    first, rows = 0, set[tuple[int, int]]()
    for place, (a, b) in enumerate(np.abs(offsets).tolist()):
        if len(rows) == max_rows and (a, b) not in rows:
            yield slice(first, place)
            first, rows = place, set()
        rows.add((a, b))
    if rows:
        yield slice(first, len(offsets))


class PlaneImages:
    """Data of some orientations as flat images with a border of zeros.

    Parameters
    ----------
    shapes : (n, 2) rows and columns
    border : zeros on both sides of rows and of columns; after them as many more as patches read
    lanes : numbers at each position of a column
    """

    def __init__(
        self, shapes: Array, border: tuple[int, int], dtype: DTypeLike, lanes: int = 1
    ) -> None:
        self.shapes, self._border = shapes * [1, lanes], (border[0], border[1] * lanes)
        rows, columns = (self.shapes + 2 * np.array(self._border)).T
        if any(border):
            # Patches read a few numbers beyond the border without a test.
            rows, columns = rows + LOW - 1, columns + LANES - 1
        self._sizes = np.stack([rows_covered(rows), lanes_covered(columns)], axis=-1)
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(self._sizes.prod(axis=1))])
        self.flat = np.zeros(int(self.starts[-1]) + 1, dtype)

    @property
    def pitches(self) -> NDArray[np.int64]:
        """Distance of the rows of each image, (n,)."""
        return np.ascontiguousarray(self._sizes[:, 1])

    @property
    def firsts(self) -> NDArray[np.int64]:
        """Index of the first number inside of each border, (n,)."""
        above, before = self._border
        firsts: NDArray[np.int64] = self.starts[:-1] + above * self.pitches + before
        return firsts

    def __getitem__(self, i: int) -> Array:
        """Return image i without its border, as a view."""
        whole = self.flat[self.starts[i] : self.starts[i + 1]].reshape(self._sizes[i])
        (n_r, n_c), (above, before) = self.shapes[i], self._border
        return whole[above : above + n_r, before : before + n_c]

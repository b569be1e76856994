"""The stored rows that some orientations need, decoded for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array, only_read
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head_symmetry import folded, stored_index
from engine.kernels.blocks import run_blocks
from engine.kernels.matrix import memory
from engine.kernels.matrix.codes import MIRROR_COLUMNS, MIRROR_ROWS, SWAP
from engine.kernels.matrix.decode import DecodeBuffers, GroupLimits, decode
from engine.kernels.matrix.patches import LANES, LOW, lanes_covered, rows_covered


@dataclass(frozen=True)
class StoredRows:
    """Some orientations, and the rows they share; see `engine.kernels.matrix.correlation`.

    Attributes
    ----------
    chosen : (n, 4) row, turn, |a| and |b| of each orientation
    shapes : (n, 2) rows and columns of its picture of shifts
    starts : (n_stored, n_planes_stored + 1) where each plane of a row begins
    windows : (n_stored, n_planes_stored, 4) int16 j0, k0, height, width
    codes, weights : (n_nonzero,) where each lies (`engine.kernels.matrix.codes`); value
    groups : (n_nonzero,) which of them are taken together (`engine.kernels.matrix.decode`)
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
        """In the order in which the kernels take them."""
        rows = self.chosen, self.shapes, self.starts
        return *rows, self.codes, self.weights, self.groups

    @property
    def n_bytes(self) -> int:
        """Memory of the non-zeros."""
        return self.codes.nbytes + self.weights.nbytes + self.groups.nbytes

    @property
    def most(self) -> int:
        """Non-zeros of a plane of a row at most."""
        return int(np.diff(self.starts).max(initial=0))

    def reach(self, edge: int) -> int:
        """Pitches that the non-zeros of a plane lie apart at most."""
        longest = int(self.windows[..., 2:].max(initial=0))
        return (longest + edge - 2) // edge if longest else 0


def stored_rows(
    response: ResponseMatrix,
    offsets: Array,
    dtype: np.dtype[np.generic],
    limits: GroupLimits,
    threads: int,
) -> StoredRows:
    """Return the rows of the orientations `offsets` (n, 2), decoded by so many threads."""
    s, n_planes = response.scanner.settings, response.n_planes_stored
    chosen = turned_rows(response, offsets)
    # each stored row is there once, however many orientations are its mirror images; once more
    # where rows and columns are interchanged, which pairs other neighbours
    keys, chosen[:, 0] = np.unique(2 * chosen[:, 0] + (chosen[:, 1] & SWAP), return_inverse=True)
    rows, is_turned = keys // 2, keys % 2 == 1
    begins, ends = response.starts[rows * n_planes], response.starts[(rows + 1) * n_planes]
    moved = np.cumsum(ends - begins) - ends  # from a place in all rows to one in these
    starts = response.starts[rows[:, None] * n_planes + np.arange(n_planes + 1)] + moved[:, None]
    parts = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
    n, windows = int((ends - begins).sum()), response.windows[rows]
    shapes = np.array([s.n_rows, s.n_columns]) - chosen[:, 2:]
    decoded = np.empty(n, np.int32), np.empty(n, dtype), np.empty(n, np.int32)
    found = StoredRows(chosen, shapes, starts, windows, *decoded)
    layout = begins, is_turned, starts, windows, s.voxels_per_pitch, response.margin, limits
    places, scales, most = only_read(response.places), response.scales[rows], found.most

    def work(_: int, start: int, stop: int) -> None:
        # stored as half precision times a scale for each row, so that rows of distant crystals,
        # with small values, keep all of their digits
        values = _numbers(np.concatenate([response.values[p] for p in parts[start:stop]]), dtype)
        as_stored, codes, order = np.empty((3, most), np.int32)
        buffers = DecodeBuffers(as_stored, codes, order, np.empty(most, bool))
        decode(start, stop, *layout, places, values, scales.astype(dtype), buffers, *decoded)

    run_blocks(work, len(rows), threads, smallest=1, in_turn=False)
    return found


def _numbers(values: Array, dtype: np.dtype[np.generic]) -> Array:
    """Stored values in the type of arithmetic."""
    if values.dtype != np.float16:
        return values.astype(dtype)
    # numpy's own conversion takes many times as long as a look into a table
    return _all_halves(dtype)[values.view(np.uint16)]


@cache
def _all_halves(dtype: np.dtype[np.generic]) -> Array:
    """Every number of half precision, by its bits."""
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(dtype)


class DecodedRows:
    """Rows that were decoded, kept as long as all of them take little memory.

    Parameters
    ----------
    response : the stored rows
    dtype : of arithmetic
    """

    def __init__(self, response: ResponseMatrix, dtype: np.dtype[np.generic]) -> None:
        self._response, self._dtype, self._n_bytes = response, dtype, 0
        self._kept: dict[tuple[GroupLimits, bytes], StoredRows] = {}

    def of(self, offsets: Array, limits: GroupLimits, threads: int) -> StoredRows:
        """Return the rows of the orientations `offsets` (n, 2)."""
        key = limits, offsets.tobytes()
        rows = self._kept.get(key)
        if rows is None:
            # subsets come again in each iteration, forward and back
            rows = stored_rows(self._response, offsets, self._dtype, limits, threads)
            if self._n_bytes + rows.n_bytes <= memory.MOST_KEPT_BYTES:
                self._kept[key], self._n_bytes = rows, self._n_bytes + rows.n_bytes
        return rows


def turned_rows(response: ResponseMatrix, offsets: Array) -> NDArray[np.int64]:
    """Stored row, turn, |a| and |b| (n, 4) of the orientations `offsets` (n, 2)."""
    s = response.scanner.settings
    chosen = np.empty((len(offsets), 4), np.int64)
    for o, (a, b) in enumerate(offsets.tolist()):
        stored, turn = folded(a, b)
        # bits: a further mirror is then an exclusive or
        mirrors = MIRROR_ROWS * turn.mirror_rows + MIRROR_COLUMNS * turn.mirror_columns
        code = SWAP * turn.swap + mirrors
        chosen[o] = stored_index(*stored, s.n_rows, s.n_columns), code, abs(a), abs(b)
    return chosen


class PlaneImages:
    """The data of some orientations as images, laid flat, with zeros around them.

    Parameters
    ----------
    shapes : (n, 2) rows and columns
    border : zeros on all sides of each; behind them as many more as patches read
    lanes : numbers at each place of a column
    """

    def __init__(self, shapes: Array, border: int, dtype: DTypeLike, lanes: int = 1) -> None:
        self.shapes, self._border = shapes * [1, lanes], (border, border * lanes)
        rows, columns = (self.shapes + 2 * np.array(self._border)).T
        if border:
            rows, columns = rows + LOW - 1, columns + LANES - 1
        self._sizes = np.stack([rows_covered(rows), lanes_covered(columns)], axis=-1)
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(self._sizes.prod(axis=1))])
        self.flat = np.zeros(int(self.starts[-1]) + 1, dtype)

    @property
    def pitches(self) -> NDArray[np.int64]:
        """(n,) how far apart the rows of each are."""
        return np.ascontiguousarray(self._sizes[:, 1])

    @property
    def firsts(self) -> NDArray[np.int64]:
        """(n,) where the first number of each lies that is none of its border."""
        above, before = self._border
        firsts: NDArray[np.int64] = self.starts[:-1] + above * self.pitches + before
        return firsts

    def __getitem__(self, i: int) -> Array:
        """Image i without its zeros, a view."""
        whole = self.flat[self.starts[i] : self.starts[i + 1]].reshape(self._sizes[i])
        (n_r, n_c), (above, before) = self.shapes[i], self._border
        return whole[above : above + n_r, before : before + n_c]
